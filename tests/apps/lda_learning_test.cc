// Learned priors, held-out documents, early stop and warm start, over the serial host.

#include "apps/lda/settings.h"
#include "apps/lda/shard_state.h"
#include "rota/testing/serial_host.h"
#include "tests/apps/lda_terms.h"
#include "tests/apps/make_job.h"
#include "tests/apps/resumed.h"
#include "tests/source_dir.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::lda {
namespace {

using tests::Given;
using tests::message_of;
using tests::ScratchFiles;

// The sample, with every tenth document held out.
class Kos {
 public:
  Kos() {
    io::Vocabulary none;
    std::vector<io::WordCount> counts;
    const std::string sample = tests::source_dir() + "/apps/lda/sample/docword.kos.txt.gz";
    const auto size = io::read_corpus({sample}, {{.format = "uci"}}, none, [&](std::span<const io::WordCount> batch) {
      counts.insert(counts.end(), batch.begin(), batch.end());
    });
    train_ = write("train", counts, size, [](std::uint32_t d) { return d % 10 != 3; });
    valid_ = write("valid", counts, size, [](std::uint32_t d) { return d % 10 == 3; });
  }

  Job job(Given given, std::uint32_t shards, bool held_out = true) const {
    if (held_out) given["valid"] = valid_;
    const std::vector<std::string> valid(held_out ? 1 : 0, valid_);
    return tests::make_job(linked_plugin(), std::move(given), {train_}, shards, valid);
  }
  const ScratchFiles& files() const { return files_; }

 private:
  template <typename Keep>
  std::string write(const std::string& name, const std::vector<io::WordCount>& counts, const io::CorpusSize& size,
                    Keep keep) const {
    std::string lines;
    std::size_t kept = 0;
    for (const io::WordCount& each : counts) {
      if (!keep(each.document)) continue;
      ++kept;
      lines += std::to_string(each.document + 1) + " " + std::to_string(each.word + 1) + " " +
               std::to_string(each.count) + "\n";
    }
    return files_.write(name, std::to_string(size.documents) + "\n" + std::to_string(size.words) + "\n" +
                                  std::to_string(kept) + "\n" + lines);
  }

  ScratchFiles files_;
  std::string train_, valid_;
};

std::vector<std::string> vocabulary_of(const SerialHost& host) {
  return read_fields<std::vector<std::string>>(SerialModel(host).common());
}

ShardState state_of(const SerialHost& host, ShardId shard) {
  return read_fields<ShardState>(Bytes::from(host.save().shards[shard]));
}

double held_out_perplexity(const SerialHost& host) {
  const auto terms = host.evaluate();
  return std::exp(terms[kValidLossTerm] / terms[kValidTokensTerm]);
}

TEST(LdaLearning, HeldOutDocumentsDoNotChangeTheModel) {
  const Kos kos;
  // The annealed start has a beta of its own, words are listed if there are many topics, and few tokens a topic have
  // current totals within a task.
  for (const Given& given : {Given{{"topics", "20"}},
                             {{"topics", "20"}, {"start", "annealed"}},
                             {{"topics", "300"}, {"start", "annealed"}},
                             {{"topics", "3000"}}}) {
    SerialHost with(linked_plugin(), kos.job(given, 4)), without(linked_plugin(), kos.job(given, 4, false));
    with.run_epochs(4), without.run_epochs(4);
    EXPECT_EQ(with.save().slices, without.save().slices);
    EXPECT_EQ(with.row(kTotals, kTopicTotals), without.row(kTotals, kTopicTotals));
    EXPECT_GT(held_out_perplexity(with), 100);
  }
}

TEST(LdaLearning, LearnedPriorsPredictBetter) {
  const Kos kos;
  const auto perplexity = [&](Given given) {
    given.emplace("topics", "100");
    SerialHost host(linked_plugin(), kos.job(std::move(given), 4));
    host.run_epochs(81);
    return held_out_perplexity(host);
  };
  const double fixed = perplexity({}), alpha = perplexity({{"learn_alpha", "10"}}),
               both = perplexity({{"learn_alpha", "10"}, {"learn_beta", "10"}});
  std::cout << "held-out perplexity: fixed priors " << fixed << ", learned alpha " << alpha << ", alpha and beta "
            << both << "\n";
  EXPECT_LT(alpha, fixed);
  EXPECT_LT(both, alpha);
}

TEST(LdaLearning, AllShardsHaveWhatTheStoreHas) {
  const Kos kos;
  SerialHost host(linked_plugin(),
                  kos.job({{"topics", "20"}, {"learn_alpha", "2"}, {"learn_beta", "3"}, {"burn_in", "1"}}, 3));
  host.run_epochs(7);
  const std::vector<double> row = host.row(kPriors, 0);
  ASSERT_EQ(row.size(), 21U);
  for (ShardId s = 0; s < 3; ++s) {
    const Priors priors = state_of(host, s).priors;
    EXPECT_TRUE(std::equal(priors.alphas.begin(), priors.alphas.end(), row.begin()));
    EXPECT_EQ(priors.beta, row.back());
    EXPECT_FALSE(priors.symmetric());
    EXPECT_NE(priors.beta, 0.01);
  }
}

// The statistics must be those of the same topics for any placement of slices.
TEST(LdaLearning, BetaIsLearnedFromAllWordsOnce) {
  const ScratchFiles files;
  std::string text;
  for (int d = 0; d < 40; ++d) {
    for (int w = 0; w < 100; ++w)
      for (int i = 0; i < 1 + 200 / (w + 1); ++i) text.append("w").append(std::to_string(w)).append(" ");
    text += "\n";
  }
  const std::string path = files.write("text", text);
  for (const std::uint32_t shards : {1U, 3U, 8U}) {
    const Job job =
        tests::make_job(linked_plugin(), {{"topics", "5"}, {"learn_beta", "1"}, {"burn_in", "0"}}, {path}, shards);
    SerialHost host(linked_plugin(), job);
    host.run_epochs(3);
    const double beta = host.row(kPriors, 0).back();
    // No slope of the joint likelihood in beta: the word term a little to either side is lower.
    const SerialHost::Snapshot snapshot = host.save();
    const auto word_term = [&](double factor) {
      SerialHost::Snapshot moved = snapshot;
      for (auto& bytes : moved.shards) {
        auto state = read_fields<ShardState>(Bytes::from(bytes));
        state.priors.beta = beta * factor;
        Writer out;
        write_fields(out, state);
        bytes = out.take();
      }
      SerialHost other(linked_plugin(), job);
      other.restore(moved);
      return other.evaluate()[kWordTerm];
    };
    EXPECT_GT(word_term(1), word_term(1.1)) << shards;
    EXPECT_GT(word_term(1), word_term(1 / 1.1)) << shards;
  }
}

TEST(LdaLearning, ARestoredRunContinuesToTheLastBit) {
  const Kos kos;
  tests::expect_resumed_alike(
      kos.job({{"topics", "300"}, {"learn_alpha", "2"}, {"learn_beta", "3"}, {"burn_in", "1"}}, 3), 5, 4);
}

TEST(LdaLearning, AWarmStartBeginsWhereTheOldModelWas) {
  const Kos kos;
  SerialHost old(linked_plugin(), kos.job({{"topics", "30"}, {"learn_alpha", "5"}}, 4));
  old.run_epochs(60);
  const auto after_it = [&](Given given) {
    Job job = kos.job(std::move(given), 4);
    job.initial = std::make_shared<SerialModel>(old);
    return job;
  };
  SerialHost cold(linked_plugin(), kos.job({{"topics", "30"}}, 4)), warm(linked_plugin(), after_it({{"topics", "30"}}));
  EXPECT_EQ(state_of(warm, 1).priors.alphas, state_of(old, 1).priors.alphas);
  cold.run_epochs(2), warm.run_epochs(2);
  std::cout << "after an epoch, per token: cold start " << joint_per_token(cold) << ", warm " << joint_per_token(warm)
            << ", old model " << joint_per_token(old) << "\n";
  EXPECT_GT(joint_per_token(warm), joint_per_token(cold));
  EXPECT_GT(joint_per_token(warm), joint_per_token(old) - 0.05 * std::abs(joint_per_token(old)));
  EXPECT_THROW(SerialHost(linked_plugin(), after_it({{"topics", "31"}})), UsageError);
  SerialHost given(linked_plugin(), after_it({{"topics", "30"}, {"alpha", "0.3"}}));
  EXPECT_TRUE(state_of(given, 0).priors.symmetric());
  tests::expect_resumed_alike(after_it({{"topics", "30"}}), 1, 2);
}

TEST(LdaLearning, WordsThatOnlyHeldOutDocumentsHaveAreLeftOut) {
  const ScratchFiles files;
  SerialHost host(linked_plugin(), tests::make_job(linked_plugin(), {{"topics", "2"}, {"valid", "given"}},
                                                   {files.write("train", "a b a\nb c\n")}, 2,
                                                   {files.write("valid", "a a x b b a y\nx\nc b c b a a a\n")}));
  host.run_epochs(3);
  EXPECT_TRUE(std::isfinite(held_out_perplexity(host)));
  EXPECT_EQ(vocabulary_of(host), (std::vector<std::string>{"a", "b", "c"}));
}

}  // namespace
}  // namespace rota::lda
