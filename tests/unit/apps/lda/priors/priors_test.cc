// The learned priors are where the likelihood has no slope, and near the truth.
#include "apps/lda/priors/priors.h"

#include "rota/numerics/seed_mixer.h"

namespace rota::lda {
namespace {

// Counts of documents whose topics come from a Polya urn, which is a Dirichlet distribution with these alphas.
std::vector<std::vector<std::uint32_t>> drawn(const std::vector<double>& alphas, std::size_t documents, int length) {
  std::vector<std::vector<std::uint32_t>> counts(documents, std::vector<std::uint32_t>(alphas.size()));
  Random random = random_named({7});
  for (auto& document : counts) {
    for (int n = 0; n < length; ++n) {
      std::vector<double> upto;
      double sum = 0;
      for (std::size_t k = 0; k < alphas.size(); ++k) upto.push_back(sum += document[k] + alphas[k]);
      const double target = random.uniform() * sum;
      std::size_t k = 0;
      while (k + 1 < upto.size() && upto[k] <= target) ++k;
      ++document[k];
    }
  }
  return counts;
}

PriorStatistics statistics_of(const std::vector<std::vector<std::uint32_t>>& documents, std::size_t topics) {
  PriorStatistics statistics;
  statistics.topic_counts.resize(topics);
  statistics.words = 1;
  statistics.totals.resize(topics);
  statistics.priors = {std::vector<double>(topics, 0.1), 0.01};
  for (const auto& document : documents) {
    std::uint32_t length = 0;
    for (std::size_t k = 0; k < topics; ++k) {
      statistics.topic_counts[k].add(document[k]);
      statistics.totals[k] += document[k];
      length += document[k];
    }
    statistics.document_lengths.add(length);
  }
  return statistics;
}

Priors learned_fully(PriorStatistics statistics, WhichPriors which) {
  for (int i = 0; i < 30; ++i) statistics.priors = learned_priors(statistics, which);
  return statistics.priors;
}

TEST(LearnPriors, AlphasAreNearTheTruth) {
  const std::vector<double> truth = {0.05, 0.1, 0.4, 1.6};
  const auto statistics = statistics_of(drawn(truth, 5000, 60), truth.size());
  const Priors priors = learned_fully(statistics, {.alpha = true});
  for (std::size_t k = 0; k < truth.size(); ++k) EXPECT_NEAR(priors.alphas[k], truth[k], 0.1 * truth[k]) << k;
  EXPECT_EQ(priors.beta, 0.01) << "not to be learned";
}

// Beta of words of a topic is learned like alpha of topics of a document.
TEST(LearnPriors, BetaIsNearTheTruth) {
  constexpr std::size_t kWords = 50, kTopics = 400;
  PriorStatistics statistics = statistics_of(drawn({0.1, 0.1}, 10, 10), 2);
  statistics.totals.assign(kTopics, 200);
  statistics.words = kWords;
  for (const auto& topic : drawn(std::vector<double>(kWords, 0.3), kTopics, 200))
    for (const std::uint32_t count : topic) statistics.word_counts.add(count);
  const Priors priors = learned_fully(statistics, {.beta = true});
  EXPECT_NEAR(priors.beta, 0.3, 0.03);
  EXPECT_EQ(priors.alphas, statistics.priors.alphas);
}

TEST(LearnPriors, TheLikelihoodHasNoSlopeThere) {
  const auto documents = drawn({0.05, 0.1, 0.4, 1.6}, 500, 60);
  const Priors priors = learned_fully(statistics_of(documents, 4), {.alpha = true});
  const auto log_posterior = [&](const std::vector<double>& alphas) {
    double sum = 0, all = 0;
    for (const double alpha : alphas) {
      all += alpha;
      sum += 0.001 * std::log(alpha) - alpha;  // the weak prior
    }
    for (const auto& document : documents) {
      double length = 0;
      for (std::size_t k = 0; k < alphas.size(); ++k) {
        sum += std::lgamma(document[k] + alphas[k]) - std::lgamma(alphas[k]);
        length += document[k];
      }
      sum += std::lgamma(all) - std::lgamma(length + all);
    }
    return sum;
  };
  for (std::size_t k = 0; k < 4; ++k) {
    std::vector<double> more = priors.alphas, less = priors.alphas;
    more[k] *= 1.02, less[k] /= 1.02;
    EXPECT_GT(log_posterior(priors.alphas), log_posterior(more)) << k;
    EXPECT_GT(log_posterior(priors.alphas), log_posterior(less)) << k;
  }
}

TEST(LearnPriors, ATopicWithoutTokensKeepsASmallAlpha) {
  auto documents = drawn({0.2, 0.3}, 300, 60);
  for (auto& document : documents) document.push_back(0);
  const Priors priors = learned_fully(statistics_of(documents, 3), {.alpha = true});
  EXPECT_GT(priors.alphas[2], kLeastPrior);
  EXPECT_LT(priors.alphas[2], 1e-4);
}

TEST(LearnPriors, ShardsTogetherGiveTheResultOfOne) {
  const auto documents = drawn({0.05, 0.1, 0.4, 1.6}, 301, 60);
  const PriorStatistics whole = statistics_of(documents, 4);
  PriorStatistics sum;
  sum.topic_counts.resize(4);
  for (std::size_t s = 0; s < 3; ++s) {
    std::vector<std::vector<std::uint32_t>> own;
    for (std::size_t d = s; d < documents.size(); d += 3) own.push_back(documents[d]);
    PriorStatistics part = statistics_of(own, 4);
    Writer out;
    write_fields(out, part);
    const Bytes note = Bytes::from(out.take());
    sum.add(read_fields<PriorStatistics>(note));
    for (std::size_t size = 0; size < note.size(); ++size)
      EXPECT_THROW(read_fields<PriorStatistics>(note.part(0, size)), std::runtime_error) << size;
  }
  sum.priors = whole.priors;
  EXPECT_EQ(learned_priors(sum, {.alpha = true}), learned_priors(whole, {.alpha = true}));
}

TEST(Digamma, TheRiseIsTheSumOfReciprocals) {
  for (const double x : {1e-9, 1e-3, 0.1, 1.0, 15.9, 100.0, 690.6}) {
    long double sum = 0;
    std::uint64_t added = 0;
    EXPECT_EQ(digamma_rise(x, 0), 0);
    for (const std::uint64_t n : {1U, 2U, 24U, 25U, 100U, 1'000'000U}) {
      for (; added < n; ++added) sum += 1 / (static_cast<long double>(x) + static_cast<long double>(added));
      EXPECT_NEAR(digamma_rise(x, n), static_cast<double>(sum), 1e-14 * static_cast<double>(sum)) << x << " " << n;
    }
  }
}

TEST(CountHistogram, PartsAddUpToTheWhole) {
  CountHistogram whole, first, second;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const std::uint32_t count = i * i % 701;
    whole.add(count);
    (i % 3 == 0 ? first : second).add(count);
  }
  first.add(second);
  EXPECT_EQ(first, whole);
  std::uint64_t counted = 0;
  whole.for_each([&](std::uint32_t count, std::uint64_t times) {
    EXPECT_NE(count, 0U);
    counted += times;
  });
  EXPECT_EQ(counted, 1997U);
}

}  // namespace
}  // namespace rota::lda
