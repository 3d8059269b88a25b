// apps/mf/ccd/settings.h -- the options of the app ccd, and the form of its tables.
#pragma once
#include <optional>

#include "apps/mf/settings.h"

namespace rota::mf {

struct CcdSettings : Settings {
  bool round_robin = false;  // by rows, and not by factors
  std::uint32_t inner = 3;
  std::optional<bool> chosen_by_rating;

  void options(auto& list) {
    rank_options(list);
    list.choice("lambda_by", chosen_by_rating, {{"auto", std::nullopt}, {"rating", true}, {"row", false}},
                "How often the penalty of a user or an item counts: for each of its ratings (weighted by counts), or "
                "once; auto: once with --schedule=round_robin, else each.");
    list.choice("schedule", round_robin, {{"ccd++", false}, {"round_robin", true}},
                "The order of updates: one factor of all users and items after the other, or, as STRADS, all factors "
                "of the users and then the items', whose sums the shards of users push and pull divides.");
    list.number("inner", inner, "times", 1, 1000, "How often CCD++ updates users and items before the next factor.")
        .needs = {"--schedule=ccd++", [](const Options& options) { return options.text("schedule") == "ccd++"; }};
    form.options(list);
  }
};

// The tables are stored factor after factor.  A row has the numbers of one factor of that many neighbours: single ones
// would be too many rows to store.
inline constexpr std::size_t kTogether = 64;
inline std::size_t rows_of_factor(std::size_t count) {
  return (count + kTogether - 1) / kTogether;
}

// The argument of a round on one factor.
struct FactorRound {
  std::uint32_t factor = 0;
  bool opens = false;  // the first round of this factor in an epoch

  void fields(auto& list) { list(factor, opens); }
};

inline CcdSettings ccd_settings(const Options& options) {
  auto settings = settings_of<CcdSettings>(options);
  settings.by_rating = settings.chosen_by_rating.value_or(!settings.round_robin);
  settings.held_out = options.has("valid");
  return settings;
}

}  // namespace rota::mf
