#include "core/checkpoint/copies.h"

namespace rota {
namespace {

Chunk answer(const AskChunk& ask) {
  return {ask.file, ask.at, Bytes::from(std::vector<std::byte>(ask.bytes))};
}

TEST(FileCopy, RequestsEveryByteOnceWithALimit) {
  FileCopy copy({"f", 25, {}}, {4, 3, 1});
  std::vector<bool> seen(25);
  std::vector<AskChunk> open = copy.asks();
  EXPECT_EQ(open.size(), 3U);
  EXPECT_TRUE(copy.asks().empty());
  while (!open.empty()) {
    EXPECT_LE(open.size(), 3U);
    EXPECT_FALSE(copy.complete());
    const AskChunk ask = open.back();  // in another order than requested
    open.pop_back();
    for (std::uint64_t i = ask.at; i < ask.at + ask.bytes; ++i) {
      EXPECT_FALSE(seen[i]);
      seen[i] = true;
    }
    const Chunk chunk = answer(ask);
    ASSERT_TRUE(copy.take(chunk));
    EXPECT_TRUE(copy.asks().empty()) << "it is not stored yet";
    EXPECT_FALSE(copy.complete());
    copy.stored(chunk);
    for (AskChunk& next : copy.asks()) open.push_back(std::move(next));
  }
  EXPECT_TRUE(copy.complete());
  EXPECT_EQ(std::count(seen.begin(), seen.end(), true), 25);
}

TEST(FileCopy, IgnoresUnrequestedChunks) {
  FileCopy copy({"f", 10, {}}, {4, 1, 1});
  const AskChunk ask = copy.asks().at(0);
  EXPECT_FALSE(copy.take(answer({"g", ask.at, ask.bytes})));
  EXPECT_FALSE(copy.take(answer({"f", ask.at + 4, 4})));
  EXPECT_FALSE(copy.take(answer({"f", ask.at, ask.bytes - 1})));
  EXPECT_FALSE(copy.take(answer({"f", ask.at, ask.bytes + 1})));
  EXPECT_TRUE(copy.take(answer(ask)));
  EXPECT_FALSE(copy.take(answer(ask))) << "twice";
}

TEST(FileCopy, OfAFileWithoutBytesIsComplete) {
  FileCopy copy({"f", 0, {}}, {});
  EXPECT_TRUE(copy.asks().empty());
  EXPECT_TRUE(copy.complete());
}

TEST(FileCopy, OfTheLargestSizeContinues) {
  FileCopy copy({"f", std::numeric_limits<std::uint64_t>::max(), {}}, {4, 2, 1});
  EXPECT_EQ(copy.asks().size(), 2U);
  EXPECT_FALSE(copy.complete());
}

TEST(FileCopy, AChunkIsARunOfTheFile) {
  const HashedFile file{"f", 100, {}};
  EXPECT_TRUE(is_chunk_of({"f", 0, 100}, file));
  EXPECT_TRUE(is_chunk_of({"f", 99, 1}, file));
  EXPECT_FALSE(is_chunk_of({"../f", 0, 1}, file));
  EXPECT_FALSE(is_chunk_of({"f", 0, 0}, file));
  EXPECT_FALSE(is_chunk_of({"f", 0, 101}, file));
  EXPECT_FALSE(is_chunk_of({"f", 100, 1}, file));
  EXPECT_FALSE(is_chunk_of({"f", std::numeric_limits<std::uint64_t>::max(), 2}, file));
  const HashedFile large{"f", 10 * kChunkBytesMost, {}};
  EXPECT_TRUE(is_chunk_of({"f", 5, kChunkBytesMost}, large));
  EXPECT_FALSE(is_chunk_of({"f", 5, kChunkBytesMost + 1}, large));
}

}  // namespace
}  // namespace rota
