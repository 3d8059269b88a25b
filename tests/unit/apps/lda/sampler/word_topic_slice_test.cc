#include "apps/lda/sampler/word_topic_slice.h"

namespace rota::lda {
namespace {

constexpr std::uint32_t kTopics = 1000;

WordTopicSlice sample() {
  WordTopicSlice slice(4, kTopics);
  slice.row(0) = {{1, 0}, {300, 1}, {4'000'000'000, 999}};
  slice.row(2) = {{7, 500}};
  return slice;
}

bool decodes(std::size_t rows, std::span<const std::byte> bytes) {
  WordTopicSlice slice(rows, kTopics);
  Reader in(bytes);
  slice.decode(in);
  return in.done();
}

TEST(WordTopicSlice, ComesBackAsItWas) {
  const WordTopicSlice slice = sample();
  Writer out;
  slice.encode(out);
  WordTopicSlice copy(4, kTopics);
  Reader in(out.view());
  copy.decode(in);
  ASSERT_TRUE(in.done());
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(copy.row(i), slice.row(i));
}

TEST(WordTopicSlice, EveryTruncationIsRefused) {
  Writer out;
  sample().encode(out);
  for (std::size_t size = 0; size < out.view().size(); ++size) EXPECT_FALSE(decodes(4, out.view().first(size))) << size;
  EXPECT_TRUE(decodes(4, out.view()));
  EXPECT_FALSE(decodes(5, out.view()));
  EXPECT_FALSE(decodes(3, out.view()));
}

TEST(WordTopicSlice, NoByteCanDoHarm) {
  Writer out;
  sample().encode(out);
  const std::vector<std::byte> right(out.view().begin(), out.view().end());
  for (std::size_t at = 0; at < right.size(); ++at) {
    for (int value = 0; value < 256; ++value) {
      auto wrong = right;
      wrong[at] = static_cast<std::byte>(value);
      WordTopicSlice slice(4, kTopics);
      Reader in(wrong);
      slice.decode(in);
      if (!in.done()) continue;
      for (std::size_t i = 0; i < 4; ++i) {
        for (std::size_t c = 0; c < slice.row(i).size(); ++c) {
          EXPECT_LT(slice.row(i)[c].topic, kTopics);
          EXPECT_GT(slice.row(i)[c].count, 0U);
          EXPECT_TRUE(c == 0 || slice.row(i)[c].topic > slice.row(i)[c - 1].topic);
        }
      }
    }
  }
}

TEST(WordTopicSlice, CountsBeyondTheirRangeAreRefused) {
  const auto row = [](std::initializer_list<std::uint64_t> numbers) {
    Writer out;
    for (const std::uint64_t number : numbers) out.put_varint(number);
    return out.take();
  };
  EXPECT_TRUE(decodes(1, row({1, 999, 1})));
  EXPECT_FALSE(decodes(1, row({1, 1000, 1})));
  EXPECT_FALSE(decodes(1, row({2, 999, 1, 0, 1})));
  EXPECT_FALSE(decodes(1, row({1, 5, 0})));
  EXPECT_FALSE(decodes(1, row({1, 5, 1ULL << 32})));
  EXPECT_FALSE(decodes(1, row({2, 5, 0xffffffff, 1, 1})));
}

}  // namespace
}  // namespace rota::lda
