#include <algorithm>
#include <numeric>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "apps/mf/commands/commands.h"
#include "apps/mf/commands/seen_items.h"
#include "apps/mf/commands/trained_model.h"
#include "apps/mf/ratings/rating_reader.h"
#include "apps/mf/scoring/fold_in.h"
#include "apps/mf/scoring/top_items.h"
#include "rota/error.h"
#include "rota/io/csv_text.h"
#include "rota/io/lines.h"
#include "rota/io/number_text.h"

namespace rota::mf {
namespace {

constexpr Option kRecommendOptions[] = {
    integer_option("top", "10", "items", 1, 268435456.0, "Number of items for each user, the best first."),
    {.name = "users",
     .kind = Option::Kind::path,
     .meaning = "A file with the users to recommend to, one a line; without it all users of the model."},
    {.name = "ratings",
     .kind = Option::Kind::path,
     .meaning = "Recommend to the users of this file of ratings, known or new: their factors are computed from these "
                "ratings, by least squares, and the model does not change."},
    kSeenOption,
    {.name = "include_seen",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "Also recommend items that a user has rated."},
    kThreadsOption,
};

// A user with the items that are not recommended to it, and if it is new, its factors.
struct Target {
  std::string name;
  std::vector<std::uint32_t> excluded;
  Asker asker;
  NewUser made;
};

void finish(std::vector<std::uint32_t>& items) {
  std::sort(items.begin(), items.end());
  items.erase(std::unique(items.begin(), items.end()), items.end());
}

// Users of the model: those of the file, or all.
std::vector<Target> known_users(const TrainedModel& model, const Options& options) {
  std::vector<std::uint32_t> numbers(model.users.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  if (options.has("users")) {
    numbers.clear();
    io::Lines lines{std::string(options.text("users"))};
    for (std::string_view line; lines.next(line);) {
      if (line.empty()) continue;
      const auto user = model.users.names.find(line);
      if (!user) lines.fail("the model does not have this user");
      numbers.push_back(*user);
    }
  }
  std::vector<Target> targets(numbers.size());
  for (std::size_t t = 0; t < targets.size(); ++t)
    targets[t] = {
        model.users.names.word(numbers[t]), {}, {model.users.row(numbers[t]), model.users.biases[numbers[t]], {}}, {}};
  return targets;
}

std::vector<Target> new_users(const TrainedModel& model, const Options& options) {
  std::vector<Target> targets;
  std::vector<std::vector<Partner>> ratings;
  io::Vocabulary names;
  RatingReader reader(std::string(options.text("ratings")), format_of(options), model.settings.kind());
  for (RatingLine line; reader.next(line);) {
    const std::uint32_t t = names.number_of(line.user);
    if (t == targets.size()) {
      targets.push_back({std::string(line.user), {}, {}, {}});
      ratings.emplace_back();
    }
    if (const auto item = model.items.names.find(line.item)) {
      targets[t].excluded.push_back(*item);
      ratings[t].push_back({*item, static_cast<float>(line.value - model.base)});
    }
  }
  const FoldIn fold_in(model);
  for (std::size_t t = 0; t < targets.size(); ++t) targets[t].made = fold_in(ratings[t]);
  for (Target& target : targets) target.asker = {target.made.factors, target.made.bias, {}};
  return targets;
}

void recommend(const Call& call, std::ostream& out) {
  const Options& options = call.options;
  if (options.has("ratings") && options.has("users"))
    throw UsageError("--users names users of the model, --ratings new ones: give one of them");
  const TrainedModel model = read_model(*call.model);
  const bool folded = options.has("ratings");
  if (folded && model.settings.loss != Loss::squared)
    throw UsageError("--ratings computes factors by least squares: it is for --loss=squared");
  std::vector<Target> targets = folded ? new_users(model, options) : known_users(model, options);
  if (options.flag("include_seen")) {
    for (Target& target : targets) target.excluded.clear();
  } else if (!folded) {
    const ItemLists seen = seen_items(model, call);
    for (Target& target : targets) target.excluded = seen.of_user[*model.users.names.find(target.name)];
  }
  std::vector<Asker> askers;
  for (Target& target : targets) {
    finish(target.excluded);
    target.asker.excluded = target.excluded;
    askers.push_back(target.asker);
  }
  const unsigned threads = thread_count(options);
  const auto top = static_cast<std::size_t>(options.integer("top"));
  constexpr std::size_t kPiece = 4096;  // users whose recommendations are in memory at a time
  out << "user,item,score\n";
  for (std::size_t at = 0; at < askers.size(); at += kPiece) {
    const auto piece = std::span<const Asker>(askers).subspan(at, std::min(kPiece, askers.size() - at));
    const auto best = top_items(model, piece, top, threads);
    for (std::size_t u = 0; u < best.size(); ++u)
      for (const Recommendation& one : best[u])
        out << io::csv_field(targets[at + u].name) << "," << io::csv_field(model.items.names.word(one.item)) << ","
            << io::six_digits(static_cast<double>(one.score)) << "\n";
  }
}

}  // namespace

Command recommend_command() {
  static const std::vector<Option> kOptions = with_format(kRecommendOptions);
  return {
      .name = "recommend", .summary = "prints the best items for users, as CSV", .options = kOptions, .run = recommend};
}

}  // namespace rota::mf
