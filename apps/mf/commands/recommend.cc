#include <algorithm>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "apps/mf/als/row_solver.h"
#include "apps/mf/commands/commands.h"
#include "apps/mf/commands/seen_items.h"
#include "rota/error.h"
#include "rota/io/csv_text.h"
#include "rota/io/lines.h"
#include "rota/io/number_text.h"

namespace rota::mf {
namespace {

struct RecommendOptions {
  std::string users, ratings;
  bool include_seen = false;
  RankingOptions ranking;

  void options(auto& list) {
    list.path("users", users, "A file with the users to recommend to, one a line; without it all users of the model.");
    list.path("ratings", ratings,
              "Recommend to the users of this file of ratings, known or new: their factors are computed from these "
              "ratings, by least squares, and the model does not change.");
    list.flag("include_seen", include_seen, "Also recommend items that a user has rated.");
    ranking.options(list, "Number of items for each user, the best first.");
  }
};

struct NewUser {
  std::vector<float> factors;  // of the width of the model's rows
  double bias = 0;
};

// Solves rows of new users as the app als does, with fixed items: exactly, or for factors of at least 0 by coordinate
// descent.
class FoldIn {
 public:
  explicit FoldIn(const TrainedModel& model)
      : settings_(model.settings), form_(settings_, 0, 1 / model.penalty_scale), width_(model.items.width) {
    for (std::size_t i = 0; i < model.items.size(); ++i) {
      const std::span<const float> q = model.items.row(i);
      items_.insert(items_.end(), q.begin(), q.begin() + settings_.rank);
      if (settings_.biases) items_.push_back(model.items.biases[i]);
    }
    if (settings_.implicit) gram({items_, 0}, form_, kernels().rows, gram_);
  }
  // From ratings of items, less the model's base; implicit ones of the same item add up.
  NewUser operator()(std::vector<Partner> ratings) const {
    const double times = settings_.by_rating ? static_cast<double>(ratings.size()) : 1;
    if (settings_.implicit) add_up(ratings);
    std::vector<double> row(form_.size);
    RowSolver(settings_, 0, form_)
        .solve({items_, 0}, settings_.implicit ? gram_.data() : nullptr, ratings,
               settings_.penalty() / form_.bias_times * times, row);
    NewUser user{std::vector<float>(row.begin(), row.begin() + settings_.rank), settings_.biases ? row.back() : 0};
    user.factors.resize(width_);
    return user;
  }

 private:
  Settings settings_;
  RowForm form_;
  std::size_t width_;
  std::vector<double> items_;
  LineVector<double> gram_;
};

// A user with the items that are not recommended to it, and if it is new, its factors.
struct Target {
  std::string name;
  std::vector<std::uint32_t> excluded;
  std::span<const float> factors;
  double bias = 0;
  NewUser made;
};

// Users of the model: those of the file, or all.
std::vector<Target> known_users(const TrainedModel& model, const Call& call, const RecommendOptions& options) {
  std::vector<std::uint32_t> numbers(options.users.empty() ? model.users.size() : 0);
  std::iota(numbers.begin(), numbers.end(), 0U);
  if (!options.users.empty()) {
    io::Lines lines{options.users};
    for (std::string_view line; lines.next(line);) {
      if (line.empty()) continue;
      const auto user = model.users.names.find(line);
      if (!user) lines.fail("the model does not have this user");
      numbers.push_back(*user);
    }
  }
  const ItemLists seen = options.include_seen ? ItemLists() : seen_items(model, call, options.ranking);
  std::vector<Target> targets;
  for (const std::uint32_t u : numbers)
    targets.push_back({model.users.names.word(u),
                       options.include_seen ? std::vector<std::uint32_t>() : seen.of_user[u],
                       model.users.row(u),
                       model.users.biases[u],
                       {}});
  return targets;
}

std::vector<Target> new_users(const TrainedModel& model, const RecommendOptions& options) {
  if (model.settings.loss != Loss::squared)
    throw UsageError("--ratings computes factors by least squares: it is for --loss=squared");
  std::vector<Target> targets;
  std::vector<std::vector<Partner>> ratings;
  io::Vocabulary names;
  for_each_rating({options.ratings}, options.ranking.form, model.settings.kind(),
                  [&](const io::EntryReader&, const RatingLine& line) {
                    const std::uint32_t t = names.number_of(line.user);
                    ratings.resize(names.size());
                    if (const auto item = model.items.names.find(line.item))
                      ratings[t].push_back({*item, static_cast<float>(line.value - model.base)});
                  });
  const FoldIn fold_in(model);
  for (std::size_t t = 0; t < ratings.size(); ++t) {
    targets.push_back({names.word(t), {}, {}, 0, fold_in(ratings[t])});
    std::vector<std::uint32_t>& excluded = targets.back().excluded;
    for (const Partner& one : ratings[t])
      if (!options.include_seen) excluded.push_back(one.number);
    std::ranges::sort(excluded);
    excluded.erase(std::unique(excluded.begin(), excluded.end()), excluded.end());
  }
  for (Target& target : targets) {
    target.factors = target.made.factors;
    target.bias = target.made.bias;
  }
  return targets;
}

}  // namespace

std::span<const Option> recommend_options() {
  return declared_options<RecommendOptions>();
}

void recommend(const TrainedModel& model, const Call& call, std::ostream& out) {
  constexpr std::size_t kPiece = 4096;  // users whose recommendations are in memory at a time
  const auto options = settings_of<RecommendOptions>(call.options);
  if (!options.ratings.empty() && !options.users.empty())
    throw UsageError("--users names users of the model, --ratings new ones: give one of them");
  const std::vector<Target> targets =
      options.ratings.empty() ? known_users(model, call, options) : new_users(model, options);
  std::vector<Asker> askers;
  for (const Target& target : targets) askers.push_back({target.factors, target.excluded});
  const ItemRows items = model.items.rows();
  out << "user,item,score\n";
  for (std::size_t at = 0; at < askers.size(); at += kPiece) {
    const auto piece = std::span<const Asker>(askers).subspan(at, std::min(kPiece, askers.size() - at));
    const auto best = top_items(items, piece, options.ranking.top, options.ranking.thread_count());
    for (std::size_t u = 0; u < best.size(); ++u)
      for (const Recommendation& one : best[u]) {
        const float score = one.score + static_cast<float>(model.base + targets[at + u].bias);
        out << io::csv_field(targets[at + u].name) << "," << io::csv_field(model.items.names.word(one.item)) << ","
            << io::six_digits(static_cast<double>(score)) << "\n";
      }
  }
}

}  // namespace rota::mf
