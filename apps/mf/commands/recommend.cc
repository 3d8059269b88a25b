#include <algorithm>
#include <numeric>
#include <ostream>
#include <string>
#include <vector>

#include "apps/mf/als/row_solver.h"
#include "apps/mf/commands/commands.h"
#include "apps/mf/commands/trained_model.h"
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

// The users of a file of ratings, with rows solved as the app als does, with fixed items: exactly, or for factors of at
// least 0 by coordinate descent.  `rated`: the items that each has rated.
Side new_users(const TrainedModel& model, const RecommendOptions& options,
               std::vector<std::vector<std::uint32_t>>& rated) {
  const Settings& settings = model.settings;
  if (settings.loss != Loss::squared)
    throw UsageError("--ratings computes factors by least squares: it is for --loss=squared");
  Side users;
  std::vector<Rating> ratings;
  for_each_rating({options.ratings}, options.ranking.form, settings.kind(),
                  [&](const io::EntryReader&, const io::Entry& entry, double value) {
                    const std::uint32_t user = users.names.number_of(entry.first);
                    if (const auto item = model.items.names.find(entry.second))
                      ratings.push_back({{user, *item}, static_cast<float>(value - model.base)});
                  });
  const std::size_t count = users.names.size();
  std::vector<double> counts(count);
  for (const Rating& one : ratings) counts[one.of[kUserSide]] += 1;
  RatingRows rows(ratings, kUserSide, {0, 1, static_cast<std::uint32_t>(count)});
  rows.sort();
  if (settings.implicit) rows.add_up();

  const RowForm form(settings, 0, 1 / model.penalty_scale);
  std::vector<double> items, row(form.size);
  for (std::size_t i = 0; i < model.items.size(); ++i) {
    const std::span<const float> factors = model.items.row(i).first(settings.rank);
    items.insert(items.end(), factors.begin(), factors.end());
    if (settings.biases) items.push_back(model.items.biases[i]);
  }
  LineVector<double> gram_of_items;
  if (settings.implicit) gram(items, form, gram_of_items);
  RowSolver solver(settings, 0, form);
  users.width = model.items.width;
  users.factors.resize(count * users.width);
  users.biases.resize(count);
  rated.resize(count);
  for (std::size_t u = 0; u < count; ++u) {
    const double penalty = settings.penalty() / form.bias_times * (settings.by_rating ? counts[u] : 1);
    solver.solve(items, settings.implicit ? gram_of_items.data() : nullptr, rows.row(u), penalty, row);
    std::ranges::transform(std::span(row).first(settings.rank), &users.factors[u * users.width],
                           [](double x) { return static_cast<float>(x); });
    if (settings.biases) users.biases[u] = row.back();
    for (const Partner& one : rows.row(u)) rated[u].push_back(one.number);
    rated[u].erase(std::unique(rated[u].begin(), rated[u].end()), rated[u].end());
  }
  return users;
}

// Users of the model: those of the file, or all.
std::vector<std::uint32_t> known_users(const TrainedModel& model, const std::string& file) {
  std::vector<std::uint32_t> numbers(file.empty() ? model.users.size() : 0);
  std::iota(numbers.begin(), numbers.end(), 0U);
  if (file.empty()) return numbers;
  io::Lines lines{file};
  for (std::string_view line; lines.next(line);) {
    if (line.empty()) continue;
    const auto user = model.users.names.find(line);
    if (!user) lines.fail("the model does not have this user");
    numbers.push_back(*user);
  }
  return numbers;
}

void recommend(const Call& call, std::ostream& out) {
  constexpr std::size_t kPiece = 4096;  // users whose recommendations are in memory at a time
  const TrainedModel model = read_model(*call.model);
  const auto options = settings_of<RecommendOptions>(call.options);
  if (!options.ratings.empty() && !options.users.empty())
    throw UsageError("--users names users of the model, --ratings new ones: give one of them");
  Side made;
  std::vector<std::vector<std::uint32_t>> rated;  // by user
  std::vector<std::uint32_t> numbers;
  if (options.ratings.empty()) {
    numbers = known_users(model, options.users);
    if (!options.include_seen) rated = seen_items(model, call.model->job(), options.ranking).of_user;
  } else {
    made = new_users(model, options, rated);
    numbers.resize(made.size());
    std::iota(numbers.begin(), numbers.end(), 0U);
  }
  const Side& users = options.ratings.empty() ? model.users : made;
  if (options.include_seen) rated.assign(users.size(), {});
  const ItemRows items = model.items.rows();
  out << "user,item,score\n";
  for (std::size_t at = 0; at < numbers.size(); at += kPiece) {
    std::vector<Asker> askers;
    for (std::size_t i = at; i < std::min(at + kPiece, numbers.size()); ++i)
      askers.push_back({users.row(numbers[i]), rated[numbers[i]]});
    const auto best = top_items(items, askers, options.ranking.top, options.ranking.thread_count());
    for (std::size_t i = 0; i < best.size(); ++i)
      for (const Recommendation& one : best[i]) {
        const std::uint32_t user = numbers[at + i];
        const float score = one.score + static_cast<float>(model.base + users.biases[user]);
        out << io::csv_field(users.names.word(user)) << "," << io::csv_field(model.items.names.word(one.item)) << ","
            << io::six_digits(static_cast<double>(score)) << "\n";
      }
  }
}

}  // namespace

Command recommend_command() {
  return {.name = "recommend",
          .summary = "prints the best items for users, as CSV",
          .options = declared_options<RecommendOptions>(),
          .run = recommend};
}

}  // namespace rota::mf
