#include "coordinator/scores.h"

#include <algorithm>
#include <set>
#include <string>

#include "rota/scores.h"

namespace rota {

namespace {

bool has_term(const std::vector<Term>& terms, const std::string& name) {
  return std::any_of(terms.begin(), terms.end(), [&](const Term& term) { return term.name == name; });
}

}  // namespace

Status check_scores(const std::vector<Term>& terms, const std::vector<Score>& scores) {
  const auto broken = [](const std::string& what) { return Status(ExitCode::failed, "plugin: " + what); };
  std::set<std::string> names;
  for (const Term& term : terms)
    if (!names.insert(term.name).second) return broken("two terms are called " + term.name);
  for (const Score& score : scores) {
    if (!names.insert(score.name).second) return broken("a score has the name of another, or of a term: " + score.name);
    for (const std::string* of : {&score.term, &score.count})
      if (!has_term(terms, *of) && (of == &score.term || !of->empty()))
        return broken("the score " + score.name + " is made of '" + *of + "', which is no term");
  }
  return {};
}

const Score* held_out_score(const std::vector<Score>& scores) {
  const auto found = std::find_if(scores.begin(), scores.end(), [](const Score& score) { return score.held_out; });
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

}  // namespace rota
