// tests/unit/apps/lda/sampler/cell_sampler_test.cc -- the kernel: its forms of rows, its variants, its bookkeeping.
#include "apps/lda/sampler/cell_sampler.h"

#include <iostream>

namespace rota::lda {
namespace {

constexpr std::uint32_t kWords = 30;

// A shard of random text: kWords words, each with the same number of tokens in random documents.
struct Text {
  Text(std::uint32_t documents, std::uint32_t each) : lengths(documents), places(kWords), topics(kWords) {
    Random random({1, 2, 3, 4});
    for (std::uint32_t w = 0; w < kWords; ++w) {
      for (std::uint32_t i = 0; i < each; ++i) places[w].push_back(static_cast<std::uint32_t>(random.below(documents)));
      for (const std::uint32_t d : places[w]) ++lengths[d];
      topics[w].resize(each);
    }
  }
  std::vector<std::uint32_t> lengths;
  std::vector<std::vector<std::uint32_t>> places;  // of each word, the documents of its tokens
  std::vector<std::vector<std::uint16_t>> topics;
};

// As at the end of an epoch.
void commit_all(TopicTotals& totals, std::uint32_t k) {
  totals.commit(std::vector<double>(totals.totals(), totals.totals() + k));
}

// If rows are whole, a third of the tokens get their first topics while words may be listed.
struct Model {
  Model(const Text& from, std::uint32_t k, Draw first, bool symmetric = true, bool whole = false)
      : priors(priors_of(k, symmetric)),
        text(from),
        words(kWords),
        totals(k, kWords * 0.01, 0.01),
        rows(k, text.lengths, whole),
        sampler(priors, true) {
    const std::size_t each = text.topics[0].size(), at_first = whole ? each * 2 / 3 : each;
    sweep(first, 0, at_first);
    rows.choose_forms();
    if (whole) sweep(Draw::first_fixed, at_first, each);
  }
  void sweep(Draw draw) { sweep(draw, 0, text.topics[0].size()); }
  // Of each word the tokens from `begin` to `end`.
  void sweep(Draw draw, std::size_t begin, std::size_t end) {
    commit_all(totals, priors.topics());
    sampler.begin(draw, totals, rows);
    for (std::uint32_t w = 0; w < kWords; ++w)
      sampler.add(words[w], std::span(text.places[w]).subspan(begin, end - begin),
                  std::span(text.topics[w]).subspan(begin, end - begin), random);
    sampler.finish();
  }

  static Priors priors_of(std::uint32_t k, bool symmetric) {
    Priors priors{std::vector<double>(k, 0.1), 0.01};
    for (std::uint32_t t = 0; t < k && !symmetric; ++t) priors.alphas[t] = 0.01 + 0.05 * (t % 5);
    return priors;
  }

  Priors priors;
  Text text;
  std::vector<WordRow> words;
  TopicTotals totals;
  DocumentRows rows;
  CellSampler sampler;
  Random random{{5, 6, 7, 8}};
};

// All counts must be those of the tokens' topics.
void expect_consistent(Model& model, std::uint32_t k) {
  std::vector<std::int64_t> totals(k);
  std::vector<std::vector<std::uint32_t>> documents(model.text.lengths.size(), std::vector<std::uint32_t>(k));
  for (std::uint32_t w = 0; w < kWords; ++w) {
    std::vector<std::uint32_t> word(k);
    for (std::size_t i = 0; i < model.text.topics[w].size(); ++i) {
      const std::uint16_t topic = model.text.topics[w][i];
      ASSERT_LT(topic, k);
      ++word[topic], ++totals[topic], ++documents[model.text.places[w][i]][topic];
    }
    WordRow row;
    for (std::uint16_t t = 0; t < k; ++t)
      if (word[t] != 0) row.push_back({word[t], t});
    EXPECT_EQ(model.words[w], row);
  }
  for (std::uint32_t t = 0; t < k; ++t) EXPECT_EQ(model.totals.totals()[t], totals[t]);
  for (std::size_t d = 0; d < documents.size(); ++d) {
    std::vector<TopicCount> cells;
    model.rows.counts_of(d, cells);
    std::uint32_t sum = 0;
    for (const TopicCount cell : cells) {
      EXPECT_EQ(documents[d][cell.topic], cell.count);
      sum += cell.count;
    }
    EXPECT_EQ(sum, model.text.lengths[d]);
  }
}

struct Size {
  std::uint32_t topics, documents, each;
};
// Rows narrower than a vector, with and without padding; of every number of blocks that has a loop of its own; lists;
// lists and long rows mixed; a wide row.
constexpr Size kSizes[] = {{2, 20, 10},      {16, 20, 10},   {17, 20, 100},  {48, 20, 30},   {50, 20, 30},
                           {80, 20, 30},     {81, 20, 30},   {100, 50, 100}, {128, 20, 60},  {129, 20, 60},
                           {256, 20, 100},   {300, 50, 100}, {1000, 20, 30}, {1000, 3, 400}, {1000, 7, 2000},
                           {65535, 10, 100}, {20, 1, 3000}};

TEST(CellSampler, CountsStayTrue) {
  for (const Size size : kSizes) {
    SCOPED_TRACE(std::to_string(size.topics) + " topics");
    for (int form = 0; form < 8; ++form) {
      const Draw first = form % 2 == 0 ? Draw::first : Draw::first_random;
      Model model(Text(size.documents, size.each), size.topics, first, form / 2 % 2 == 0, form / 4 == 0);
      expect_consistent(model, size.topics);
      for (const Draw draw : {Draw::resample, Draw::resample_exact, Draw::resample}) {
        model.sweep(draw);
        model.rows.choose_forms();
      }
      expect_consistent(model, size.topics);
    }
  }
}

TEST(CellSampler, ADocumentOfMoreTokensThanSixteenBitsCount) {
  for (const bool whole : {false, true}) {
    Model model(Text(1, 3000), 20, Draw::first, true, whole);
    ASSERT_EQ(model.rows.rows()[0].kind, RowKind::wide);
    model.sweep(Draw::resample);
    expect_consistent(model, 20);
  }
}

// The sums of documents outlast a task, but neither a commit nor another kind of draw.
TEST(CellSampler, SumsOfDocumentsAreThoseOfTheirCounts) {
  Model model(Text(7, 100), 600, Draw::first, true, true);
  const auto expect_true_sums = [&] {
    for (std::size_t d = 0; d < model.text.lengths.size(); ++d) {
      std::vector<TopicCount> cells;
      model.rows.counts_of(d, cells);
      double sum = 0;
      for (const TopicCount cell : cells) sum += cell.count * static_cast<double>(model.totals.inverse()[cell.topic]);
      EXPECT_NEAR(model.rows.sums()[d].sum, sum, 1e-5 * sum);
    }
  };
  model.sweep(Draw::resample);
  expect_true_sums();
  for (const Draw draw : {Draw::resample, Draw::resample_exact, Draw::resample}) {
    model.sampler.begin(draw, model.totals, model.rows);
    for (std::uint32_t w = 0; w < kWords; w += 2)
      model.sampler.add(model.words[w], model.text.places[w], model.text.topics[w], model.random);
    model.sampler.finish();
    if (draw == Draw::resample) expect_true_sums();
  }
}

TEST(CellSampler, AllKernelsGiveTheSameTopics) {
  for (const Size size : kSizes) {
    for (const auto& [symmetric, whole] : {std::pair(true, false), {false, false}, {true, true}, {false, true}}) {
      std::vector<std::vector<std::uint16_t>> expected;
      for (const char* kernel : {"baseline", "v3", "v4"}) {
        ::setenv("ROTA_LDA_KERNEL", kernel, 1);
        try {
          Model model(Text(size.documents, size.each), size.topics, Draw::first, symmetric, whole);
          for (const Draw draw : {Draw::resample, Draw::resample_exact, Draw::resample}) model.sweep(draw);
          if (expected.empty()) expected = model.text.topics;
          EXPECT_EQ(model.text.topics, expected) << kernel << " with " << size.topics << " topics";
        } catch (const std::runtime_error&) {
          std::cout << "this processor cannot run the kernel " << kernel << "\n";
        }
      }
    }
  }
  ::setenv("ROTA_LDA_KERNEL", "v9", 1);
  EXPECT_THROW(choose_kernel(100), std::runtime_error);
  ::unsetenv("ROTA_LDA_KERNEL");
}

// One token of one word in a document whose other tokens do not change: its conditional distribution is known.
struct OneToken {
  OneToken(std::uint32_t topics, bool symmetric, bool whole = false)
      : k(topics), priors{std::vector<double>(k, 0.5), beta}, rows(k, {41}, whole), totals(k, 3 * beta, beta) {
    for (std::uint32_t t = 0; t < k && !symmetric; ++t) priors.alphas[t] = 0.1 + 0.2 * (t % 4);
    set_token(1);

    for (std::uint32_t t = 0; t < k; ++t) {
      const double n_dk = t < 4 ? 10 : 0, n_wk = t == 0 ? 3 : t == 2 ? 9 : t == 4 ? 5 : 0;
      expected.push_back((n_dk + priors.alphas[t]) * (n_wk + beta) / (20.0 + t % 7 + 3 * beta));
    }
    const double sum = std::accumulate(expected.begin(), expected.end(), 0.0);
    for (double& each : expected) each /= sum;
  }

  // The token has topic 0 (present: 1), or none.
  void set_token(std::uint32_t present) {
    std::vector<TopicCount> document;
    for (std::uint16_t t = 0; t < 4; ++t) document.push_back({10 + (t == 0 ? present : 0), t});
    rows.assign(0, document);
    std::vector<double> n(k);
    for (std::uint32_t t = 0; t < k; ++t) n[t] = 20.0 + t % 7;
    n[0] += present;
    totals.commit(n);
    word = {{3 + present, 0}, {9, 2}, {5, 4}};
  }
  // In units of its standard deviation above its mean.
  double excess_chi_square(int draws, Draw draw) {
    CellSampler sampler(priors, false);
    Random random({9, 9, 9, k});
    std::vector<double> seen(k);
    for (int i = 0; i < draws; ++i) {
      if (draw == Draw::first_fixed) set_token(0);
      if (draw == Draw::resample) commit_all(totals, k);
      if (i == 0 || is_fixed(draw)) sampler.begin(draw, totals, rows);
      sampler.add(word, place, topic_of, random);
      sampler.finish();
      seen[topic_of[0]] += 1;
    }
    double chi_square = 0;
    for (std::uint32_t t = 0; t < k; ++t) {
      const double mean = expected[t] * draws;
      chi_square += (seen[t] - mean) * (seen[t] - mean) / mean;
    }
    return (chi_square - (k - 1)) / std::sqrt(2.0 * (k - 1));
  }

  static constexpr double beta = 0.1;
  static constexpr std::uint32_t place[] = {0};
  std::uint32_t k;
  Priors priors;
  DocumentRows rows;
  TopicTotals totals;
  WordRow word;
  std::vector<std::uint16_t> topic_of = {0};  // of the only token of its word in the shard
  std::vector<double> expected;
};

TEST(CellSampler, DrawsFromTheConditionalDistribution) {
  for (const bool symmetric : {true, false}) {
    for (const std::uint32_t k : {5U, 40U, 600U}) {
      for (const Draw draw : {Draw::resample, Draw::resample_exact}) {
        OneToken exact(k, symmetric);
        EXPECT_LT(exact.excess_chi_square(400'000, draw), 4.5) << k << " topics, one alpha: " << symmetric;
      }
      // The word is listed if it has few of all topics.
      for (const Draw draw : {Draw::resample, Draw::first_fixed}) {
        OneToken listed(k, symmetric, true);
        EXPECT_LT(listed.excess_chi_square(400'000, draw), 4.5) << k << " topics, one alpha: " << symmetric;
      }
    }
  }
}

}  // namespace
}  // namespace rota::lda
