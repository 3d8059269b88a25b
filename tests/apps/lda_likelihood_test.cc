// tests/apps/lda_likelihood_test.cc -- the LDA app against a plain serial sampler on the sample corpus.

#include "apps/lda/settings.h"
#include "rota/io/corpus.h"
#include "rota/testing/serial_host.h"
#include "tests/apps/gibbs_oracle.h"
#include "tests/apps/lda_terms.h"
#include "tests/apps/make_job.h"
#include "tests/source_dir.h"

namespace rota::lda {
namespace {

using tests::GibbsOracle;

constexpr double kAlpha = 0.1, kBeta = 0.01;
constexpr int kEpochs[] = {20, 60};
constexpr int kSeeds = 3;
const std::string kSample = tests::source_dir() + "/apps/lda/sample/docword.kos.txt.gz";

using Likelihoods = std::array<double, std::size(kEpochs)>;  // per token, after kEpochs

Job sample_job(std::map<std::string, std::string> given, std::uint64_t seed) {
  Job job = tests::make_job(linked_plugin(), std::move(given), {kSample}, 8);
  job.seed = seed;
  return job;
}

Likelihoods app(const char* topics, const char* start, std::uint64_t seed) {
  SerialHost host(linked_plugin(), sample_job({{"topics", topics}, {"start", start}}, seed));
  host.run_epoch();
  Likelihoods result{};
  for (std::size_t i = 0; i < result.size(); ++i) {
    host.run_epochs(kEpochs[i] - static_cast<int>(host.epochs()) + 1);
    result[i] = joint_per_token(host);
  }
  return result;
}

GibbsOracle plain_sampler(std::uint32_t topics, std::uint64_t seed) {
  std::vector<GibbsOracle::Token> tokens;
  io::Vocabulary none;
  const auto size = io::read_corpus({kSample}, {{.format = "uci"}}, none, [&](std::span<const io::WordCount> counts) {
    for (const io::WordCount& each : counts) tokens.insert(tokens.end(), each.count, {each.document, each.word});
  });
  return GibbsOracle(std::move(tokens), static_cast<std::uint32_t>(size.documents),
                     static_cast<std::uint32_t>(size.words), topics, kAlpha, kBeta, seed);
}

Likelihoods oracle(std::uint32_t topics, std::uint64_t seed) {
  GibbsOracle sampler = plain_sampler(topics, seed);
  Likelihoods result{};
  int done = 0;
  for (std::size_t i = 0; i < result.size(); ++i) {
    for (; done < kEpochs[i]; ++done) sampler.sweep();
    result[i] = sampler.log_likelihood() / static_cast<double>(sampler.tokens());
  }
  return result;
}

TEST(LdaLikelihood, IsThatOfAPlainSamplerAfterAsManyEpochs) {
  Likelihoods ours{}, plain{}, online{};
  for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
    const Likelihoods each[] = {app("50", "random", seed), oracle(50, seed), app("50", "online", seed)};
    for (std::size_t i = 0; i < ours.size(); ++i) {
      ours[i] += each[0][i] / kSeeds;
      plain[i] += each[1][i] / kSeeds;
      online[i] += each[2][i] / kSeeds;
    }
  }
  for (std::size_t i = 0; i < ours.size(); ++i) {
    std::cout << "after " << kEpochs[i] << " epochs: " << ours[i] << ", plain sampler " << plain[i]
              << ", with the online start " << online[i] << " per token\n";
    // Never worse, and the same in the end.  In between, another order of words and fixed n_k are better.
    const bool last = i + 1 == ours.size();
    EXPECT_GT(ours[i], plain[i] - 0.002 * std::abs(plain[i]));
    EXPECT_LT(ours[i], plain[i] + (last ? 0.002 : 0.005) * std::abs(plain[i]));
    // The online start saves epochs, and the same quality is reached in the end.
    EXPECT_GT(online[i], plain[i] - 0.002 * std::abs(plain[i]));
  }
  EXPECT_GT(online[0], ours[0]);
}

}  // namespace
}  // namespace rota::lda
