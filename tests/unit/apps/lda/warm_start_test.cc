#include "apps/lda/warm_start.h"

#include "rota/error.h"
#include "tests/unit/apps/io/scratch_files.h"

namespace rota::lda {
namespace {

using tests::message_of;

io::Vocabulary words_of(std::initializer_list<const char*> words) {
  io::Vocabulary vocabulary;
  for (const char* const word : words) vocabulary.number_of(word);
  return vocabulary;
}

struct Files : tests::ScratchFiles {
  Files() {
    write("topics.txt", "0\t0.5\t3\tcat dog\n1\t0.25\t4\towl\n");
    write("priors.txt", "alpha_sum 0.75\nbeta 0.5\n");
    write("word_topic.txt", "cat 0:2 1:1\ndog 0:1\nowl 1:3\nsun\n");
  }
  OldModel read(std::uint32_t topics, const io::Vocabulary& vocabulary) const {
    return OldModel(folder().string(), topics, vocabulary);
  }
};

TEST(OldModel, GivesPhiOfTheWordsThatItKnows) {
  const Files files;
  const OldModel model = files.read(2, words_of({"new", "cat", "sun"}));
  EXPECT_EQ(model.priors(), (Priors{{0.5, 0.25}, 0.5}));
  EXPECT_EQ(model.known_words(), 1U);
  std::vector<double> phi(2);
  model.phi(1, phi);
  EXPECT_EQ(phi, (std::vector<double>{2.5 / (3 + 4 * 0.5), 1.5 / (4 + 4 * 0.5)}));
  for (const std::uint32_t unknown : {0U, 2U}) {
    model.phi(unknown, phi);
    EXPECT_EQ(phi[0], phi[1]);
  }
}

// A bag of words counts from 1, LDA-C from 0: every word was confused with its neighbour.
TEST(OldModel, WordsWithoutNamesAreThoseOfTheSamePlace) {
  for (const char* const numbered : {"0 0:2\n1 1:3\n2\n", "1 0:2\n2 1:3\n3\n"}) {
    const Files files;
    files.write("word_topic.txt", numbered);
    for (const auto& words : {words_of({"0", "1"}), words_of({"1", "2"})}) {
      const OldModel model = files.read(2, words);
      EXPECT_EQ(model.known_words(), 2U);
      std::vector<double> phi(2);
      model.phi(0, phi);
      EXPECT_GT(phi[0], phi[1]);
      model.phi(1, phi);
      EXPECT_LT(phi[0], phi[1]);
    }
  }
  const Files files;
  files.write("word_topic.txt", "1 0:2\n3 1:3\n");
  EXPECT_NE(message_of<DataError>([&] {
              files.read(2, words_of({"0", "1"}));
            }).find("word_topic.txt:2: expected the word 2"),
            std::string::npos);
}

TEST(OldModel, InvalidInputIsRefused) {
  const io::Vocabulary vocabulary = words_of({"cat"});
  EXPECT_THROW(Files().read(3, vocabulary), UsageError);
  EXPECT_THROW(Files().read(2, words_of({"zebra"})), DataError);
  EXPECT_THROW(OldModel("/nowhere", 2, vocabulary), NoInput);
  const auto refused = [&](const char* name, const char* content) {
    const Files files;
    files.write(name, content);
    const std::string text = message_of<DataError>([&] { files.read(2, vocabulary); });
    return text.find(name) != text.npos;
  };
  EXPECT_TRUE(refused("topics.txt", "0\t0.5\n2\t0.5\n"));
  EXPECT_TRUE(refused("topics.txt", "0\t0.5\n1\t-1\n"));
  EXPECT_TRUE(refused("topics.txt", "0\t0.5\n1\tnan\n"));
  EXPECT_TRUE(refused("priors.txt", "alpha_sum 1\n"));
  EXPECT_TRUE(refused("priors.txt", "beta x\n"));
  EXPECT_TRUE(refused("word_topic.txt", "cat 0:2 2:1\n"));
  EXPECT_TRUE(refused("word_topic.txt", "cat 0:0\n"));
  EXPECT_TRUE(refused("word_topic.txt", "cat 0\n"));
}

TEST(OldModel, DrawsInProportion) {
  const std::vector<double> document = {0, 3, 0}, alphas = {1, 1, 2}, phi = {0.5, 0.25, 0.25};
  std::vector<double> upto(3);  // weights 0.5, 1, 0.5
  const auto draw = [&](double uniform) { return draw_topic(document, alphas, phi, upto, uniform); };
  EXPECT_EQ(draw(0), 0);
  EXPECT_EQ(draw(0.249), 0);
  EXPECT_EQ(draw(0.251), 1);
  EXPECT_EQ(draw(0.749), 1);
  EXPECT_EQ(draw(0.751), 2);
  EXPECT_EQ(draw(0.9999999), 2);
}

}  // namespace
}  // namespace rota::lda
