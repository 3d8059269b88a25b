#include "core/records/evaluated_epoch.h"

#include <algorithm>
#include <set>
#include <string>

#include "core/job/scores.h"

namespace rota {

Status check_scores(const std::vector<Term>& terms, const std::vector<Score>& scores) {
  const auto broken = [](const std::string& what) { return Status(ExitCode::failed, "plugin: " + what); };
  std::set<std::string> names;
  for (const Term& term : terms)
    if (!names.insert(term.name).second) return broken("duplicate term " + term.name);
  for (const Score& score : scores) {
    if (!names.insert(score.name).second) return broken("duplicate name of a score: " + score.name);
    for (const std::string* of : {&score.term, &score.count})
      if (std::ranges::find(terms, *of, &Term::name) == terms.end() && (of == &score.term || !of->empty()))
        return broken("score " + score.name + ": no term '" + *of + "'");
  }
  return {};
}

Status check_held_out(const std::string& app, const std::vector<Score>& scores) {
  if (held_out_score(scores) != nullptr) return {};
  return {ExitCode::usage, "--valid: " + app + " has no score of held-out data"};
}

const Score* held_out_score(const std::vector<Score>& scores) {
  const auto found = std::ranges::find_if(scores, &Score::held_out);
  return found == scores.end() ? nullptr : &*found;
}

void fill_scores(const std::vector<Term>& terms, const std::vector<Score>& scores, std::span<const double> sums,
                 std::uint64_t items, EpochRecord& record) {
  double growing = 0;
  bool grows = false;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    record.terms.emplace_back(terms[i].name, sums[i]);
    const bool is_growing = terms[i].kind == Term::Kind::objective;
    if (is_growing || terms[i].kind == Term::Kind::normalised) record.objective += sums[i];
    grows = grows || is_growing;
    if (is_growing) growing += sums[i];
  }
  if (grows && items > 0) record.per_item = growing / static_cast<double>(items);
  const Score* const watched = held_out_score(scores);
  for (const Score& score : scores) {
    const auto value = score_value(score, terms, sums, items);
    if (!value) continue;
    record.terms.emplace_back(score.name, *value);
    if (&score == watched) record.valid = *value;
  }
}

bool BestEpoch::add(Epoch epoch, double valid, Score::Better better) {
  if (!follows()) return false;
  const bool is_best = !best_ || (better == Score::Better::smaller ? valid < best_->valid : valid > best_->valid);
  if (is_best)
    best_ = BestSoFar{epoch, valid, 0};
  else
    ++best_->since;
  return is_best;
}

}  // namespace rota
