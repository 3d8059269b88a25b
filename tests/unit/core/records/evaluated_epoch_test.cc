#include "core/records/evaluated_epoch.h"

#include <gtest/gtest.h>

#include <cmath>

namespace rota {
namespace {

using Better = Score::Better;

EpochRecord scored(const std::vector<Term>& terms, const std::vector<double>& sums,
                   const std::vector<Score>& scores = {}, std::uint64_t items = 10) {
  EpochRecord record;
  fill_scores(terms, scores, sums, items, record);
  return record;
}

// The mean was taken of the sum so far: it included a penalty before the loss, and none after it.
TEST(Scores, TheMeanOverItemsDoesNotDependOnTheOrderOfTheTerms) {
  using Kind = Term::Kind;
  const std::vector<std::pair<Term, double>> all = {{{"loss", Kind::objective}, 20},
                                                    {{"penalty", Kind::normalised}, 3},
                                                    {{"more", Kind::objective}, 1},
                                                    {{"nonzeros", Kind::report}, 7},
                                                    {{"items", Kind::conserved}, 10}};
  std::vector<std::size_t> order = {0, 1, 2, 3, 4};
  do {
    std::vector<Term> terms;
    std::vector<double> sums;
    for (const std::size_t i : order) terms.push_back(all[i].first), sums.push_back(all[i].second);
    const EpochRecord record = scored(terms, sums);
    EXPECT_EQ(record.objective, 24);
    EXPECT_EQ(record.per_item, 2.1) << "of the terms that grow with the data";
    EXPECT_EQ(record.valid, std::nullopt);
    EXPECT_EQ(record.terms.size(), 5U);
  } while (std::next_permutation(order.begin(), order.end()));
  EXPECT_EQ(scored({{"penalty", Kind::normalised}}, {3}).per_item, std::nullopt);
}

using Scale = Score::Scale;

TEST(Scores, AreMadeOfTheirTerms) {
  const std::vector<Term> terms = {{"squares"}, {"pairs"}, {"none"}};
  const std::vector<Score> scores = {{.name = "sum", .term = "squares", .scale = Scale::sum},
                                     {.name = "mean", .term = "squares"},
                                     {.name = "ratio", .term = "squares", .count = "pairs"},
                                     {.name = "rmse", .term = "squares", .count = "pairs", .scale = Scale::root_mean},
                                     {.name = "exp", .term = "squares", .count = "pairs", .scale = Scale::exp_mean},
                                     {.name = "absent", .term = "squares", .count = "none"}};
  ASSERT_TRUE(check_scores(terms, scores).ok());
  const EpochRecord record = scored(terms, {36, 9, 0}, scores, 12);
  const std::map<std::string, double> by_name(record.terms.begin(), record.terms.end());
  EXPECT_EQ(by_name, (std::map<std::string, double>{{"squares", 36},
                                                    {"pairs", 9},
                                                    {"none", 0},
                                                    {"sum", 36},
                                                    {"mean", 3},
                                                    {"ratio", 4},
                                                    {"rmse", 2},
                                                    {"exp", std::exp(4.0)}}));
  EXPECT_EQ(record.valid, std::nullopt) << "none is of held-out data";
  EXPECT_EQ(scored(terms, {36, 9, 0}, scores, 0).terms.size(), 3U + 4U) << "and no mean without items";
}

TEST(Scores, TheFirstOfHeldOutDataIsValid) {
  const std::vector<Term> terms = {{"errors"}, {"rows"}};
  const std::vector<Score> scores = {
      {.name = "loss", .term = "errors", .scale = Scale::sum},
      {.name = "error", .term = "errors", .count = "rows", .held_out = true},
      {.name = "errors_in_all", .term = "errors", .scale = Scale::sum, .held_out = true}};
  EXPECT_EQ(held_out_score(scores)->name, "error");
  EXPECT_EQ(held_out_score({}), nullptr);
  EXPECT_EQ(scored(terms, {6, 4}, scores).valid, 1.5);
  EXPECT_EQ(scored(terms, {0, 4}, scores).valid, 0) << "a score of 0 is one";
  EXPECT_EQ(scored(terms, {6, 0}, scores).valid, std::nullopt) << "there is none yet";
}

TEST(Scores, InvalidOnesAreThePluginsFault) {
  const std::vector<Term> terms = {{"errors"}, {"rows"}};
  const auto why = [&](const std::vector<Score>& scores) {
    const Status status = check_scores(terms, scores);
    EXPECT_EQ(status.code(), ExitCode::failed);
    return status.what();
  };
  EXPECT_EQ(why({{.name = "error", .term = "erors"}}), "plugin: score error: no term 'erors'");
  EXPECT_EQ(why({{.name = "error", .term = "errors", .count = "row"}}), "plugin: score error: no term 'row'");
  EXPECT_EQ(why({{.name = "error", .term = ""}}), "plugin: score error: no term ''");
  EXPECT_EQ(why({{.name = "rows", .term = "errors"}}), "plugin: duplicate name of a score: rows");
  EXPECT_EQ(check_scores({{"a"}, {"a"}}, {}).what(), "plugin: duplicate term a");
}

TEST(Scores, HeldOutDataNeedsOne) {
  EXPECT_TRUE(check_held_out("app", {{.name = "error", .term = "errors", .held_out = true}}).ok());
  const Status status = check_held_out("app", {{.name = "error", .term = "errors"}});
  EXPECT_EQ(status.code(), ExitCode::usage);
  EXPECT_EQ(status.what(), "--valid: app has no score of held-out data");
}

TEST(BestEpoch, IsOverAfterEnoughEvaluationsWithoutABetterOne) {
  BestEpoch best(2);
  EXPECT_TRUE(best.add(1, 5, Better::smaller)) << "the first is always the best";
  EXPECT_TRUE(best.add(2, 4, Better::smaller));
  EXPECT_FALSE(best.add(3, 4, Better::smaller)) << "as good is not better";
  EXPECT_FALSE(best.over());
  EXPECT_FALSE(best.add(4, 9, Better::smaller));
  EXPECT_TRUE(best.over());
  EXPECT_EQ(best.best(), (BestSoFar{2, 4, 2}));
}

TEST(BestEpoch, ABetterOneResetsTheCount) {
  BestEpoch best(2);
  for (const auto& [epoch, valid] : {std::pair(1U, 1.0), std::pair(2U, 0.5), std::pair(3U, 2.0), std::pair(4U, 1.0)})
    best.add(epoch, valid, Better::larger);
  EXPECT_EQ(best.best(), (BestSoFar{3, 2, 1}));
  EXPECT_FALSE(best.over());
}

TEST(BestEpoch, WithoutPatienceNothingIsFollowed) {
  BestEpoch best(0, BestSoFar{7, 1.5, 1});
  EXPECT_FALSE(best.add(1, 5, Better::smaller));
  EXPECT_EQ(best.best(), std::nullopt);
  EXPECT_FALSE(best.over());
}

}  // namespace
}  // namespace rota
