#include "apps/lda/held_out.h"

#include "apps/lda/sampler/cell_kernel.h"

namespace rota::lda {
namespace {

const Priors kPriorsOfTwo{{0.3, 0.5}, 0.01};

std::vector<float> phi(float first, float second) {
  std::vector<float> values(padded(2), 0);
  values[0] = first, values[1] = second;
  return values;
}

// Two documents, four words; word 2 is replicated.
const std::vector<io::WordCount> kCounts = {{0, 0, 400}, {0, 2, 300}, {1, 3, 500}, {1, 2, 1}, {1, 2, 99}};
const Cut kCut{{{0, 1}, {3}}, {2}};

HeldOut both(std::uint64_t seed = 1) {
  return HeldOut(kPriorsOfTwo, seed, 0, 1, 2, kCut, kCounts);
}
void visit_all(HeldOut& held_out) {
  held_out.visit(held_out.groups()[0].at(0), phi(0.4F, 0.1F));
  held_out.visit(held_out.groups()[1].at(0), phi(0.1F, 0.3F));
  held_out.visit(held_out.groups()[2].at(0), phi(0.2F, 0.2F));
}

TEST(HeldOut, WordsAreWhereTheCutPutsThem) {
  const HeldOut held_out = both();
  ASSERT_EQ(held_out.groups().size(), 3U);
  for (const auto& words : held_out.groups()) EXPECT_EQ(words.size(), 1U);
  EXPECT_EQ(held_out.groups()[1][0].word, 3U);
  EXPECT_EQ(held_out.groups()[1][0].row, 0U);
  EXPECT_EQ(held_out.groups()[2][0].word, 2U) << "the replicated word";
  EXPECT_THROW(HeldOut(kPriorsOfTwo, 1, 0, 1, 2, Cut{{{0, 1}, {3}}, {}}, kCounts), std::logic_error);
}

TEST(HeldOut, AboutHalfOfTheTokensAreHidden) {
  EXPECT_NEAR(static_cast<double>(both().hidden_tokens()), 650, 4 * std::sqrt(1300 / 4.0));
  EXPECT_EQ(both().hidden_tokens(), both().hidden_tokens());
  EXPECT_NE(both(2).hidden_tokens(), both().hidden_tokens());
}

// Document d of all is document d / S of shard d mod S: the choice must not depend on S.
TEST(HeldOut, TheChoiceDoesNotDependOnTheShards) {
  const std::vector<io::WordCount> first(kCounts.begin(), kCounts.begin() + 2);
  std::vector<io::WordCount> second(kCounts.begin() + 2, kCounts.end());
  for (io::WordCount& each : second) each.document = 0;
  EXPECT_EQ(HeldOut(kPriorsOfTwo, 5, 0, 2, 1, kCut, first).hidden_tokens() +
                HeldOut(kPriorsOfTwo, 5, 1, 2, 1, kCut, second).hidden_tokens(),
            both(5).hidden_tokens());
}

TEST(HeldOut, TheScoreIsTheHiddenTokensProbability) {
  HeldOut held_out(kPriorsOfTwo, 1, 0, 1, 1, kCut, std::vector<io::WordCount>{{0, 0, 1000}});
  const auto observed = static_cast<double>(1000 - held_out.hidden_tokens());
  const auto theta = [&](double m, double alpha) { return (m + alpha) / (observed + 0.8); };
  const double first = observed / 2;
  EXPECT_EQ(held_out.expected()[0], static_cast<float>(first));
  held_out.visit(held_out.groups()[0].at(0), phi(0.4F, 0.1F));
  const HeldOutScore score = held_out.end_epoch();
  EXPECT_EQ(score.tokens, static_cast<double>(held_out.hidden_tokens()));
  EXPECT_NEAR(score.log_probability / score.tokens, std::log(theta(first, 0.3) * 0.4 + theta(first, 0.5) * 0.1), 1e-6);
  // p(z = 0) of each token, without its own share.
  const double own = (first + 0.3) * 0.4 / ((first + 0.3) * 0.4 + (first + 0.5) * 0.1);
  const double a = (first - own + 0.3) * 0.4, b = (first - (1 - own) + 0.5) * 0.1;
  EXPECT_NEAR(static_cast<double>(held_out.expected()[0]), observed * a / (a + b), 1e-3);
}

// The state of a shard with words of probability above 1 counted as damaged.
TEST(HeldOut, RoundedNumbersMakeNoWordMoreThanCertain) {
  HeldOut held_out(kPriorsOfTwo, 1, 0, 1, 1, kCut, std::vector<io::WordCount>{{0, 0, 1000}});
  held_out.visit(held_out.groups()[0].at(0), phi(1.00001F, 1.00001F));
  EXPECT_EQ(held_out.end_epoch().log_probability, 0);
}

TEST(HeldOut, ExpectedTopicsAddUpToTheObservedTokens) {
  HeldOut held_out = both();
  for (int epoch = 0; epoch < 20; ++epoch) {
    visit_all(held_out);
    held_out.end_epoch();
    const std::vector<float> m = held_out.expected();
    const double sum = std::accumulate(m.begin(), m.end(), 0.0);
    EXPECT_NEAR(sum, static_cast<double>(1300 - held_out.hidden_tokens()), 0.01);
  }
}

TEST(HeldOut, ContinuesFromItsState) {
  HeldOut straight = both(), resumed = both();
  visit_all(straight);
  straight.end_epoch();
  EXPECT_TRUE(resumed.set_expected(straight.expected()));
  visit_all(straight), visit_all(resumed);
  EXPECT_EQ(straight.end_epoch().log_probability, resumed.end_epoch().log_probability);
  EXPECT_EQ(straight.expected(), resumed.expected());
  EXPECT_FALSE(resumed.set_expected(std::vector<float>{1, 2, 3}));
  for (const float wrong : {-1.0F, NAN}) {
    std::vector<float> expected = straight.expected();
    expected[1] = wrong;
    EXPECT_FALSE(resumed.set_expected(expected));
  }
}

}  // namespace
}  // namespace rota::lda
