#include "apps/lda/commands/commands.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::lda {
namespace {

using tests::message_of;
using tests::read_file;
using tests::ScratchFiles;
using Given = std::map<std::string, std::string, std::less<>>;

struct Converted {
  std::string bag, words, names, output;
};
Converted converted(const ScratchFiles& files, const std::string& text, Given given) {
  for (const Option& option : convert_command().options)
    given.emplace(std::string(option.name), std::string(option.default_value));
  const std::string bag = (files.folder() / "bag").string();
  if (given["output"].empty()) given["output"] = bag;
  std::ostringstream out;
  const Options options(given);
  const std::vector<std::string> input = {files.write("text", text)};
  convert_command().run({nullptr, options, input}, out);
  return {read_file(bag), read_file(bag + ".vocab"), read_file(bag + ".names"), out.str()};
}

using Convert = tests::WithFiles;

TEST_F(Convert, RunningTextToABagOfWords) {
  const Converted got = converted(files, "The cat, the dog!\n\nOwls -- and a cat's owls.\n", {});
  EXPECT_EQ(got.words, "a\nand\ncat\ncat's\ndog\nowls\nthe\n");
  EXPECT_EQ(got.bag, "3\n7\n7\n1 3 1\n1 5 1\n1 7 2\n3 1 1\n3 2 1\n3 4 1\n3 6 2\n");
  EXPECT_EQ(got.names, "");
  EXPECT_TRUE(got.output.starts_with("converted: 3 documents, 7 words, 9 tokens, ")) << got.output;
}

TEST_F(Convert, FieldsBeforeTheTextAreNotTheText) {
  const Converted got = converted(files, "one x cat dog\ntwo\ty\tdog\n", {{"fields", "2"}});
  EXPECT_EQ(got.names, "one\ntwo\n");
  EXPECT_EQ(got.words, "cat\ndog\n");
  EXPECT_EQ(got.bag, "2\n2\n3\n1 1 1\n1 2 1\n2 2 1\n");
}

TEST_F(Convert, OptionsLeaveWordsOut) {
  const std::string text = "the cat saw it\nthe dog saw a cat\nthe owl\n";
  EXPECT_EQ(converted(files, text, {{"stop_words", "english"}}).words, "cat\ndog\nowl\nsaw\n");
  EXPECT_EQ(converted(files, text, {{"stop_words", files.write("stop", "cat dog\nowl\n")}}).words, "a\nit\nsaw\nthe\n");
  EXPECT_EQ(converted(files, text, {{"min_count", "2"}}).words, "cat\nsaw\nthe\n");
  EXPECT_EQ(converted(files, text, {{"min_count", "2"}, {"max_share", "0.7"}}).words, "cat\nsaw\n");
  EXPECT_EQ(converted(files, text, {{"min_length", "3"}}).words, "cat\ndog\nowl\nsaw\nthe\n");
  EXPECT_EQ(converted(files, "A1 B2 A1\n", {{"token_pattern", "letters_digits"}, {"lowercase", "false"}}).words,
            "A1\nB2\n");
}

TEST_F(Convert, AGivenVocabularyKeepsItsOrder) {
  const Converted got = converted(files, "cat dog owl owl\n", {{"vocab", files.write("words", "sun\nowl\ncat\n")}});
  EXPECT_EQ(got.words, "sun\nowl\ncat\n");
  EXPECT_EQ(got.bag, "1\n3\n2\n1 2 2\n1 3 1\n");
}

// Letters of other encodings became words of one letter.
TEST_F(Convert, OtherEncodingsAreRefusedWithTheLine) {
  const auto why = [&](const std::string& text) { return message_of<DataError>([&] { converted(files, text, {}); }); };
  EXPECT_NE(why("fine\nf\xfcr\n").find("text:2: the line is not UTF-8"), std::string::npos);
  EXPECT_NE(why(std::string("h\0i\0\n\0", 6)).find("text:1: expected text, found a NUL byte"), std::string::npos);
  EXPECT_EQ(converted(files, "f\xfcr F\xfcr\n", {{"token_pattern", "whitespace"}}).words, "f\xfcr\n");
}

TEST_F(Convert, ItsInputIsNotOverwritten) {
  const std::string stop = files.write("bag.vocab", "cat\n");
  EXPECT_THROW(converted(files, "cat dog\n", {{"stop_words", stop}}), UsageError);
  EXPECT_EQ(read_file(stop), "cat\n");
}

TEST_F(Convert, InvalidInputIsRefused) {
  const auto refused = [&](Given given, const std::string& text) {
    return message_of<DataError>([&] { converted(files, text, std::move(given)); }).ends_with(": no word is left");
  };
  EXPECT_TRUE(refused({}, "12 34\n"));
  EXPECT_TRUE(refused({{"min_count", "5"}}, "a b\n"));
  EXPECT_THROW(converted(files, "a\n", {{"output", "/nowhere/bag"}}), std::runtime_error);
}

}  // namespace
}  // namespace rota::lda
