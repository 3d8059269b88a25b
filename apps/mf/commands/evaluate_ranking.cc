#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <ostream>
#include <vector>

#include "apps/mf/commands/commands.h"
#include "apps/mf/commands/seen_items.h"
#include "apps/mf/commands/trained_model.h"
#include "apps/mf/scoring/ranking.h"
#include "rota/error.h"

namespace rota::mf {
namespace {

constexpr Needs kRanking = {"--ranking", [](const Options& options) { return options.flag("ranking"); }};
constexpr Option kRankingOptions[] = {
    {.name = "ranking",
     .kind = Option::Kind::flag,
     .default_value = "false",
     .meaning = "How high the items of each user are ranked, whatever their ratings, among those that it did not rate "
                "in training: precision, recall, NDCG, area under the ROC curve."},
    integer_option("top", "10", "items", 1, 268435456.0, "Length of the list for precision, recall and NDCG.",
                   kRanking),
    with_needs(kSeenOption, kRanking),
    with_needs(kThreadsOption, kRanking),
};

}  // namespace

std::span<const Option> evaluate_options() {
  static const std::vector<Option> all = with_format(kRankingOptions);
  return all;
}

void evaluate_ranking(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  const ItemLists held_out = items_of_users(model, call.input, format_of(call.options));
  const ItemLists seen = seen_items(model, call);
  if (held_out.lines == 0) throw DataError(call.input.front(), 0, "there are no held-out items");
  std::vector<std::vector<std::uint32_t>> wanted(model.users.size());
  std::vector<RankedUser> users;
  std::uint64_t trained = 0;
  for (std::size_t u = 0; u < wanted.size(); ++u) {
    std::ranges::set_difference(held_out.of_user[u], seen.of_user[u], std::back_inserter(wanted[u]));
    trained += held_out.of_user[u].size() - wanted[u].size();
    if (!wanted[u].empty()) users.push_back({{model.users.row(u), model.users.biases[u], seen.of_user[u]}, wanted[u]});
  }
  const auto top = static_cast<std::size_t>(call.options.integer("top"));
  const RankingMetrics found = ranking_metrics(model, users, top, thread_count(call.options));
  const auto mean = [](double value, std::uint64_t of) { return of == 0 ? nlohmann::json() : nlohmann::json(value); };
  out << nlohmann::ordered_json{{"users", found.users},
                                {"top", top},
                                {"precision", mean(found.top.precision, found.users)},
                                {"recall", mean(found.top.recall, found.users)},
                                {"ndcg", mean(found.top.ndcg, found.users)},
                                {"auc", mean(found.auc, found.auc_users)},
                                {"auc_users", found.auc_users},
                                {"of_unknown_user_or_item", held_out.unknown},
                                {"seen_in_training", trained}}
      << "\n";
}

}  // namespace rota::mf
