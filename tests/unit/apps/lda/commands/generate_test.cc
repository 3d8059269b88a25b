#include "apps/lda/commands/generate.h"

#include "rota/io/corpus.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::lda {
namespace {

std::string corpus_of(const CorpusShape& shape) {
  std::ostringstream out;
  generate_corpus(shape, out);
  return out.str();
}

struct Counts {
  io::CorpusSize size;
  std::vector<double> words;
  std::map<std::uint32_t, std::uint64_t> lengths;
};
Counts counts_of(const CorpusShape& shape) {
  const tests::ScratchFiles files;
  Counts counts;
  counts.words.resize(shape.words);
  io::Vocabulary none;
  counts.size = io::read_corpus({files.write("bag", corpus_of(shape))}, io::CorpusFormat::uci, none,
                                [&](std::span<const io::WordCount> batch) {
                                  for (const io::WordCount& each : batch) {
                                    counts.words[each.word] += each.count;
                                    counts.lengths[each.document] += each.count;
                                  }
                                });
  return counts;
}

TEST(Generate, IsABagOfWordsOfTheShapeAskedFor) {
  for (const std::uint32_t words : {1U, 2U, 3U, 100U, 1000U}) {
    const Counts counts = counts_of({.documents = 50, .words = words, .topics = 7, .length = 20, .alpha = 0.2});
    EXPECT_EQ(counts.size.documents, 50U);
    EXPECT_EQ(counts.size.words, words);
    EXPECT_EQ(counts.lengths.size(), 50U);
    for (const auto& [document, length] : counts.lengths) EXPECT_TRUE(length >= 10 && length <= 30) << length;
  }
}

TEST(Generate, EqualShapesGiveEqualCorporaAndOtherSeedsDoNot) {
  const CorpusShape shape{.documents = 20, .words = 100, .topics = 5, .length = 20};
  CorpusShape other = shape;
  other.seed = 2;
  EXPECT_EQ(corpus_of(shape), corpus_of(shape));
  EXPECT_NE(corpus_of(shape), corpus_of(other));
}

TEST(Generate, FrequenciesAreThoseOfZipf) {
  const CorpusShape shape{.documents = 5000, .words = 1023, .topics = 50, .length = 100, .alpha = 0.1, .zipf = 1.1};
  const Counts counts = counts_of(shape);
  double all = 0;
  for (std::uint32_t r = 1; r <= shape.words; ++r) all += std::pow(r, -1.1);
  for (std::uint32_t j = 0; j < 10; ++j) {
    double expected = 0, seen = 0;
    for (std::uint32_t r = 1U << j; r < 2U << j; ++r) {
      expected += std::pow(r, -1.1) / all;
      seen += counts.words[r - 1] / static_cast<double>(counts.size.tokens);
    }
    EXPECT_NEAR(seen, expected, 0.004) << "octave " << j;
  }
}

// With few topics in a document it has fewer different words than one with all.
TEST(Generate, DocumentsHaveFewTopics) {
  CorpusShape shape{.documents = 200, .words = 5000, .topics = 100, .length = 1000, .alpha = 0.001, .zipf = 0.5};
  const auto lines = [](const std::string& corpus) { return std::count(corpus.begin(), corpus.end(), '\n'); };
  const auto few = lines(corpus_of(shape));
  shape.alpha = 100;
  EXPECT_LT(2 * few, lines(corpus_of(shape)));
}

}  // namespace
}  // namespace rota::lda
