// tests/apps/lda_test.cc -- the LDA app over the serial host: its distribution, its likelihood, its state, its output.

#include "apps/lda/sampler/word_topic_slice.h"
#include "apps/lda/settings.h"
#include "apps/lda/shard_state.h"
#include "rota/io/lines.h"
#include "rota/testing/serial_host.h"
#include "tests/apps/lda_terms.h"
#include "tests/apps/make_job.h"
#include "tests/apps/resumed.h"
#include "tests/source_dir.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::lda {
namespace {

using tests::Given;
using tests::make_job;
using tests::message_of;
using tests::read_file;
using tests::ScratchFiles;

Job job_over(const std::string& input, Given given, std::uint32_t shards) {
  return make_job(linked_plugin(), std::move(given), {input}, shards);
}

Job kos_job(Given given, std::uint32_t shards) {
  const std::string sample = tests::source_dir() + "/apps/lda/sample/";
  given.emplace("vocab", sample + "vocab.kos.txt");
  return job_over(sample + "docword.kos.txt.gz", std::move(given), shards);
}

// Text in which word i is 1 + 300 / (i + 1) times in each document: the first words are too heavy for a slice.
std::string skewed_text(int documents, int words) {
  std::string text;
  for (int d = 0; d < documents; ++d) {
    for (int w = 0; w < words; ++w)
      for (int i = 0; i < 1 + 300 / (w + 1); ++i) text.append("w").append(std::to_string(w)).append(" ");
    text += "\n";
  }
  return text;
}

void expect_consistent(const SerialHost& host, Epoch epoch) {
  const std::vector<double> terms = host.evaluate();
  EXPECT_EQ(terms[kTokensTerm], static_cast<double>(host.items())) << "epoch " << epoch;
  EXPECT_TRUE(terms[kDeltaTerm] >= 0 && terms[kDeltaTerm] <= 2) << terms[kDeltaTerm];
  EXPECT_TRUE(std::isfinite(terms[kDocTerm]) && std::isfinite(terms[kWordTerm]));
  // The committed totals are those of slices and replicated words together.
  const auto topics = static_cast<std::size_t>(host.job().options.integer("topics"));
  std::vector<double> totals(topics);
  for (const Key word : host.cut().replicated) {
    const auto row = host.row(kTotals, kFirstReplicated + word);
    for (std::size_t k = 0; k < topics; ++k) totals[k] += row[k];
  }
  const auto snapshot = host.save();
  for (SliceId b = 0; b < snapshot.slices.size(); ++b) {
    WordTopicSlice slice(host.cut().slices[b].size(), static_cast<std::uint32_t>(topics));
    Reader in(snapshot.slices[b]);
    slice.decode(in);
    ASSERT_TRUE(in.done());
    for (std::size_t i = 0; i < slice.rows(); ++i)
      for (const TopicCount cell : slice.row(i)) totals[cell.topic] += cell.count;
  }
  EXPECT_EQ(host.row(kTotals, kTopicTotals), totals) << "epoch " << epoch;
}

using Lda = tests::WithFiles;

TEST_F(Lda, CountsAreConservedInEveryEpoch) {
  const std::string text = files.write("text", skewed_text(37, 200));
  for (const char* topics : {"2", "16", "50", "300"}) {
    for (const char* start : {"online", "random"}) {
      for (const std::uint32_t shards : {1U, 3U, 8U, 50U}) {
        SerialHost host(linked_plugin(), job_over(text, {{"topics", topics}, {"start", start}}, shards));
        EXPECT_EQ(host.cut().replicated.empty(), shards < 8) << "both kinds of round are to be tested";
        for (Epoch epoch = 0; epoch < 4; ++epoch) {
          host.run_epoch();
          expect_consistent(host, epoch);
        }
      }
    }
  }
}

// Two groups of documents with words of their own.
TEST_F(Lda, CountsOfAnyScaleSeparateTheSameTopics) {
  constexpr int kDocuments = 40, kWords = 5;
  for (const int scale : {1, 30, 1000}) {
    std::string bag = std::to_string(kDocuments) + "\n" + std::to_string(2 * kWords) + "\n" +
                      std::to_string(kDocuments * kWords) + "\n";
    for (int d = 0; d < kDocuments; ++d)
      for (int w = 0; w < kWords; ++w)
        bag += std::to_string(d + 1) + " " + std::to_string(1 + w + d % 2 * kWords) + " " + std::to_string(2 * scale) +
               "\n";
    const std::string input = files.write("bag" + std::to_string(scale), bag);
    for (const std::uint32_t shards : {1U, 4U}) {
      SerialHost host(linked_plugin(), job_over(input, {{"topics", "2"}}, shards));
      for (Epoch epoch = 0; epoch < 20; ++epoch) host.run_epoch();
      expect_consistent(host, 20);
      const std::vector<double> terms = host.evaluate();
      const double tokens = terms[kTokensTerm];
      EXPECT_EQ(tokens, kDocuments * kWords * 2.0 * scale);
      EXPECT_NEAR(terms[kWordTerm] / tokens, -std::log(kWords), 0.2) << "each topic has the words of one group";
    }
  }
}

// The first documents of the sample, their 20 most frequent words ten times as frequent: with 16 shards nearly all of
// these are too heavy for a slice.
std::string heavy_bag() {
  constexpr std::uint32_t kDocuments = 500, kHeavy = 20;
  io::Lines lines(tests::source_dir() + "/apps/lda/sample/docword.kos.txt.gz");
  std::vector<std::array<std::uint32_t, 3>> entries;
  std::map<std::uint32_t, std::uint32_t> tokens_of;
  std::string_view line;
  for (int i = 0; i < 3; ++i) lines.next(line);
  while (lines.next(line)) {
    std::array<std::uint32_t, 3> entry;
    std::istringstream in{std::string(line)};
    in >> entry[0] >> entry[1] >> entry[2];
    if (entry[0] > kDocuments) break;
    entries.push_back(entry);
    tokens_of[entry[1]] += entry[2];
  }
  std::vector<std::pair<std::uint32_t, std::uint32_t>> words;
  for (const auto& [word, tokens] : tokens_of) words.emplace_back(tokens, word);
  std::partial_sort(words.begin(), words.begin() + kHeavy, words.end(), std::greater<>());
  words.resize(kHeavy);
  std::string bag = std::to_string(kDocuments) + "\n6906\n" + std::to_string(entries.size()) + "\n";
  for (const auto& [document, word, count] : entries) {
    const bool heavy = std::any_of(words.begin(), words.end(), [&](const auto& each) { return each.second == word; });
    bag +=
        std::to_string(document) + " " + std::to_string(word) + " " + std::to_string(heavy ? 10 * count : count) + "\n";
  }
  return bag;
}

TEST_F(Lda, ManyShardsKeepTheLikelihood) {
  const std::string bag = files.write("bag", heavy_bag());
  const auto joint = [&](std::uint32_t shards) {
    SerialHost host(linked_plugin(), job_over(bag, {{"topics", "50"}, {"format", "uci"}}, shards));
    EXPECT_EQ(host.cut().replicated.size(), shards > 1 ? 7U : 0U);
    host.run_epochs(40);
    const std::vector<double> terms = host.evaluate();
    return (terms[kDocTerm] + terms[kWordTerm]) / terms[kTokensTerm];
  };
  EXPECT_GT(joint(16), 1.01 * joint(1));
}

TEST_F(Lda, EqualSeedsGiveEqualModelsAndOthersDoNot) {
  Job job = kos_job({{"topics", "20"}}, 4);
  SerialHost a(linked_plugin(), job), b(linked_plugin(), job);
  job.seed = 2;
  SerialHost c(linked_plugin(), job);
  for (SerialHost* host : {&a, &b, &c}) host->run_epochs(3);
  EXPECT_EQ(a.save(), b.save());
  EXPECT_NE(a.save().slices, c.save().slices);
}

TEST_F(Lda, AllKernelsGiveTheSameModel) {
  for (const char* topics : {"50", "1000"}) {
    std::unique_ptr<SerialHost::Snapshot> expected;
    for (const char* kernel : {"baseline", "v3", "v4"}) {
      ::setenv("ROTA_LDA_KERNEL", kernel, 1);
      try {
        SerialHost host(linked_plugin(), kos_job({{"topics", topics}}, 4));
        host.run_epochs(3);
        if (!expected) expected = std::make_unique<SerialHost::Snapshot>(host.save());
        EXPECT_EQ(host.save(), *expected) << kernel;
      } catch (const std::runtime_error&) {
        std::cout << "this processor cannot run the kernel " << kernel << "\n";
      }
    }
  }
  ::unsetenv("ROTA_LDA_KERNEL");
}

TEST_F(Lda, ARestoredRunContinuesToTheLastBit) {
  const std::string text = files.write("text", skewed_text(37, 200));
  for (const Job& job : {kos_job({{"topics", "50"}}, 4), kos_job({{"topics", "700"}}, 3),
                         kos_job({{"start", "annealed"}}, 4), job_over(text, {{"topics", "300"}}, 5)}) {
    SCOPED_TRACE(std::string(job.options.text("topics")) + " topics");
    tests::expect_resumed_alike(job, 2, 3);
  }
}

TEST_F(Lda, AWrongStateIsRefused) {
  const Job job = job_over(files.write("text", "a b a\nb c\na\n\nc c b\n"), {{"topics", "3"}}, 2);
  SerialHost host(linked_plugin(), job), other(linked_plugin(), job);
  host.run_epochs(2);
  const SerialHost::Snapshot right = host.save();
  for (std::size_t size = 0; size < right.shards[0].size(); ++size) {
    SerialHost::Snapshot cut = right;
    cut.shards[0].resize(size);
    EXPECT_THROW(other.restore(cut), std::runtime_error) << size;
  }
  SerialHost::Snapshot swapped = right;
  std::swap(swapped.shards[0], swapped.shards[1]);
  EXPECT_THROW(other.restore(swapped), std::runtime_error);

  const auto refused = [&](auto change) {
    auto state = read_fields<ShardState>(Bytes::from(right.shards[0]));
    change(state);
    Writer out;
    write_fields(out, state);
    SerialHost::Snapshot wrong = right;
    wrong.shards[0] = out.take();
    return !message_of<std::runtime_error>([&] { other.restore(wrong); }).starts_with("no error");
  };
  EXPECT_FALSE(refused([](ShardState&) {}));
  EXPECT_TRUE(refused([](ShardState& s) { s.tokens.of_tokens[0] = s.tokens.of_tokens[0] == 0 ? 1 : 0; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.tokens.of_tokens.pop_back(); }));
  EXPECT_TRUE(refused([](ShardState& s) { s.documents.pop_back(); }));
  EXPECT_TRUE(refused([](ShardState& s) { s.documents[0][0].count += 1; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.committed[0] += 1; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.cursors[0] = 1000; }));
  EXPECT_TRUE(refused([](ShardState& s) { s.cursors.pop_back(); }));
  other.restore(right);
  EXPECT_EQ(other.save(), right);
}

// A clock for budgets: every reading is one nanosecond later.
std::int64_t looks = 0;
std::int64_t look() {
  return ++looks;
}

TEST_F(Lda, ASpentBudgetEndsAVisitAndTheNextContinues) {
  const std::string text = files.write("text", "a b c d e f\na b c d e f\n");
  SerialHost host(linked_plugin(), job_over(text, {{"topics", "2"}}, 1));
  host.set_budget(Budget(0, look));  // always spent: one word a visit
  host.run_epoch();
  expect_consistent(host, 0);
  EXPECT_EQ(looks, 0) << "the starting pass has no limit";
  const auto cursors = [&] { return read_fields<ShardState>(Bytes::from(host.save().shards[0])).cursors; };
  const auto words = host.cut().slices[0].size();
  ASSERT_EQ(words, 3U);
  for (std::uint32_t visit = 0; visit < 7; ++visit) {
    EXPECT_EQ(cursors()[0], visit % words);
    host.run_epoch();
    expect_consistent(host, visit + 1);
  }
  EXPECT_EQ(looks, 7 * 2);
}

// With one shard the sampler has the posterior as its distribution: over many sweeps, each assignment of topics is as
// frequent as its probability given the words, which a corpus this small lets us compute by enumeration.
struct PosteriorCase {
  std::array<double, 2> alphas;
  std::uint32_t slices;  // one: its words are drawn side by side; two: one word each, and one is replicated
};

class LdaPosterior : public testing::TestWithParam<PosteriorCase> {
 protected:
  static constexpr int kTokens = 9, kStates = 1 << kTokens;
  static constexpr int kDocument[] = {0, 0, 0, 1, 1, 1, 2, 2, 2}, kWord[] = {0, 0, 1, 0, 0, 2, 0, 2, 1};
  static constexpr double kBeta = 0.3;

  // Of each assignment: bit i is the topic of token i.
  static std::vector<double> posterior(const std::array<double, 2>& alphas) {
    std::vector<double> of_state(kStates);
    double sum = 0;
    for (int state = 0; state < kStates; ++state) {
      double doc[3][2] = {}, of_word[3][2] = {}, total[2] = {}, log_p = 0;
      for (int i = 0; i < kTokens; ++i) {
        const int k = state >> i & 1;
        log_p += std::log((doc[kDocument[i]][k]++ + alphas[k]) * (of_word[kWord[i]][k]++ + kBeta) /
                          (total[k]++ + 3 * kBeta));
        // The documents' normalisers do not depend on the topics.
      }
      sum += of_state[state] = std::exp(log_p);
    }
    for (double& each : of_state) each /= sum;
    return of_state;
  }

  // The shard's tokens in its own order: slice by slice, word by word, document by document.
  static std::vector<int> places(const SerialHost& host) {
    std::vector<int> place;
    auto groups = host.cut().slices;
    groups.push_back(host.cut().replicated);
    EXPECT_EQ(host.cut().replicated.empty(), host.cut().slices.size() == 1) << "both kinds of round are to be tested";
    for (const auto& keys : groups)
      for (const Key key : keys)
        for (int i = 0; i < kTokens; ++i)
          if (kWord[i] == static_cast<int>(key)) place.push_back(i);
    return place;
  }

  static ShardState state_of(SerialHost& host) {
    Writer out;
    host.shard(0).save(out);
    return read_fields<ShardState>(Bytes::from(out.take()));
  }
};

TEST_P(LdaPosterior, IsSampled) {
  const auto& [alphas, slices] = GetParam();
  const ScratchFiles files;
  const std::string text = files.write("text", "a a b\na a c\na c b\n");
  Job job = job_over(text, {{"topics", "2"}, {"beta", "0.3"}}, 1);
  job.slices = slices;
  SerialHost host(linked_plugin(), job);
  const std::vector<int> place = places(host);
  ASSERT_EQ(place.size(), std::size_t{kTokens});
  host.run_epoch();
  SerialHost::Snapshot snapshot = host.save();  // alphas that differ are learned ones
  ShardState learned = state_of(host);
  learned.priors.alphas.assign(alphas.begin(), alphas.end());
  Writer out;
  write_fields(out, learned);
  snapshot.shards[0] = out.take();
  host.restore(snapshot);

  std::vector<double> seen(kStates);
  const int sweeps = 700'000;
  for (int i = 0; i < sweeps; ++i) {
    host.run_epoch();
    const ShardState shard = state_of(host);
    int state = 0;
    for (int t = 0; t < kTokens; ++t) state |= shard.tokens.of_tokens[t] << place[t];
    seen[state] += 1;
  }
  const std::vector<double> expected = posterior(alphas);
  double distance = 0;
  for (int state = 0; state < kStates; ++state) distance += std::abs(seen[state] / sweeps - expected[state]) / 2;
  std::cout << "total variation " << distance << "\n";
  // As many independent draws would give about sqrt(512 / (2 pi sweeps)) = 0.011 or, from uneven distributions, less.
  EXPECT_LT(distance, 0.017);
}

INSTANTIATE_TEST_SUITE_P(Priors, LdaPosterior,
                         testing::Values(PosteriorCase{{0.4, 0.4}, 2}, PosteriorCase{{0.3, 0.9}, 2},
                                         PosteriorCase{{0.4, 0.4}, 1}, PosteriorCase{{0.3, 0.9}, 1}));

// SAME: m copies of each token are a corpus with m times the counts, under m times the priors.
TEST_F(Lda, CopiesAreARepeatedCorpus) {
  const std::string once = files.write("once", "3\n4\n5\n1 2 2\n1 3 1\n2 1 4\n3 4 1\n3 1 3\n");
  const std::string often = files.write("often", "3\n4\n5\n1 2 8\n1 3 4\n2 1 16\n3 4 4\n3 1 12\n");
  SerialHost copies(linked_plugin(),
                    job_over(once, {{"topics", "3"}, {"alpha", "0.25"}, {"beta", "0.125"}, {"copies", "4"}}, 2));
  SerialHost repeated(linked_plugin(), job_over(often, {{"topics", "3"}, {"alpha", "1"}, {"beta", "0.5"}}, 2));
  for (SerialHost* const host : {&copies, &repeated}) {
    host->run_epochs(5);
    expect_consistent(*host, 5);
  }
  EXPECT_EQ(copies.model_hash(), repeated.model_hash());
  const auto shares = [&](const SerialHost& host) {
    linked_plugin().export_text(SerialModel(host), files.folder());
    return read_file(files.folder() / "doc_topic.txt");
  };
  const std::string of_copies = shares(copies);
  EXPECT_EQ(read_file(files.folder() / "priors.txt"), "alpha_sum 0.75\nbeta 0.125\n");
  EXPECT_EQ(of_copies, shares(repeated));
  const Given learned = {{"copies", "2"}, {"learn_alpha", "1"}};
  EXPECT_THROW(SerialHost(linked_plugin(), job_over(once, learned, 2)), UsageError);
}

TEST_F(Lda, WrongInputIsRefused) {
  const auto refused = [&](const std::string& content) {
    const std::string path = files.write("bag", content);
    const auto text = message_of<DataError>([&] { SerialHost(linked_plugin(), job_over(path, {}, 2)); });
    return text.substr(path.size());
  };
  EXPECT_EQ(refused("1\n6906\n1\n1 7000 1\n"), ":4: expected a word id from 1 to 6906, found '7000'");
  EXPECT_EQ(refused("1\n6906\n1\njunk\n"), ":4: expected 'document word count', found 'junk'");
  EXPECT_EQ(refused(""), ": the file is empty");
  const std::string bag = files.write("bag", "1\n3\n1\n1 2 1\n"), vocab = files.write("vocab", "a\nb\n");
  EXPECT_EQ(message_of<DataError>([&] {
              SerialHost(linked_plugin(), job_over(bag, {{"vocab", vocab}}, 2));
            }),
            bag + ":2: the corpus has 3 words, but the vocabulary " + vocab + " has 2");
  EXPECT_THROW(SerialHost(linked_plugin(), job_over("/nowhere/bag", {}, 2)), NoInput);
}

TEST_F(Lda, ExportAndShow) {
  SerialHost host(linked_plugin(), job_over(files.write("text", "cat cat dog\n\nowl owl owl\n"),
                                            {{"topics", "2"}, {"alpha", "0.01"}}, 2));
  host.run_epochs(30);
  const SerialModel model(host);
  linked_plugin().export_text(model, files.folder());

  std::istringstream topics(read_file(files.folder() / "topics.txt"));
  std::string number, alpha, tokens, words, line;
  int sum = 0;
  for (int k = 0; std::getline(topics, line); ++k) {
    std::istringstream fields(line);
    std::getline(fields, number, '\t'), std::getline(fields, alpha, '\t'), std::getline(fields, tokens, '\t');
    EXPECT_EQ(number, std::to_string(k));
    EXPECT_EQ(alpha, "0.01");
    sum += std::stoi(tokens);
  }
  EXPECT_EQ(sum, 6);

  std::istringstream word_topic(read_file(files.folder() / "word_topic.txt"));
  for (const auto& [word, count] : {std::pair("cat", 2), std::pair("dog", 1), std::pair("owl", 3)}) {
    ASSERT_TRUE(std::getline(word_topic, line));
    std::istringstream fields(line);
    std::string name, cell;
    int of_word = 0;
    fields >> name;
    EXPECT_EQ(name, word);
    while (fields >> cell) of_word += std::stoi(cell.substr(cell.find(':') + 1));
    EXPECT_EQ(of_word, count);
  }

  std::istringstream documents(read_file(files.folder() / "doc_topic.txt"));
  ASSERT_TRUE(std::getline(documents, line));
  EXPECT_EQ(line.substr(0, 2), "1 ");
  ASSERT_TRUE(std::getline(documents, line));
  EXPECT_EQ(line, "2");
  ASSERT_TRUE(std::getline(documents, line));
  EXPECT_TRUE(line == "3 0:0.996689 " || line.starts_with("3 "));
  EXPECT_FALSE(read_file(files.folder() / "README.txt").empty());
  EXPECT_EQ(read_file(files.folder() / "priors.txt"), "alpha_sum 0.02\nbeta 0.01\n");

  std::ostringstream out;
  const Options show_options = make_job(linked_plugin(), {{"top_words", "1"}}, {}).options;
  const std::vector<std::string> none;
  linked_plugin().commands[0].run({&model, show_options, none}, out);
  EXPECT_NE(out.str().find("2 topics, 3 words, 6 tokens, epoch 29\n"), std::string::npos) << out.str();
  EXPECT_NE(out.str().find(" owl "), std::string::npos) << out.str();
}

}  // namespace
}  // namespace rota::lda
