// Memory is allocated for what has arrived, not for what a message
// claims.
#include <new>

#include "core/wire/pieces.h"
#include "tests/unit/core/wire/every_field.h"

namespace {

std::size_t largest_allocation = 0;
std::size_t allocation_most = ~std::size_t{0};

void* allocate(std::size_t size) {
  largest_allocation = std::max(largest_allocation, size);
  if (size > allocation_most) throw std::bad_alloc();
  if (void* memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t size) {
  return allocate(size);
}
void* operator new[](std::size_t size) {
  return allocate(size);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace rota {
namespace {

// Puts a huge varint at every place of every kind's body: one of them is the count of each list.
TEST(CodecLimits, AHugeCountAllocatesNothing) {
  std::size_t refused = 0;
  for (std::size_t index = 0; index < tests::kKinds; ++index) {
    tests::Counting numbers;
    const Message message = tests::filled(index, numbers);
    const Frames whole = encode_message(message);
    for (std::size_t at = 0; at <= whole[0].size(); ++at)
      for (const std::uint64_t claim : {std::uint64_t{1} << 31, std::uint64_t{1} << 60, ~std::uint64_t{0}}) {
        Writer body;
        body.append(whole[0].view().data(), at);
        body.put_varint(claim);
        body.append(whole[0].view().data() + at, whole[0].size() - at);
        Frames frames = whole;
        frames[0] = Bytes::from(body.take());
        largest_allocation = 0;
        const auto decoded = decode_message(kind_of(message), frames);
        EXPECT_LT(largest_allocation, std::size_t{64} << 10) << kind_name(kind_of(message)) << ", byte " << at;
        refused += decoded.ok() ? 0 : 1;
      }
  }
  EXPECT_GT(refused, 1000U);
}

TEST(CodecLimits, AllocationsAreSeen) {
  largest_allocation = 0;
  const std::vector<std::byte> large(1 << 20);
  EXPECT_GE(largest_allocation, large.size());
}

Frames one_byte_slices(std::size_t count) {
  Writer body;
  body.put_varint(count);
  for (std::size_t i = 0; i < count; ++i) body.put_varint(0);
  body.put_varint(0);  // replicated rows
  body.put_varint(0);  // tables
  body.put_varint(0);  // ignored options
  body.put_varint(0);  // may_end_job
  return {Bytes::from(body.take())};
}

// A slice of one byte on the wire takes 24 in memory: a message of 1 GiB exhausted the machine.
TEST(CodecLimits, AMessageThatGrowsTooMuchIsRefusedBeforeItDoes) {
  constexpr std::size_t kCount = std::size_t{8} << 20;
  const Frames frames = one_byte_slices(kCount);
  largest_allocation = 0;
  const auto decoded = decode_message(Kind::cut, frames);
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.status().code(), ExitCode::bug);
  EXPECT_EQ(decoded.status().what(), "a CUT that takes far more memory than its 8388616 bytes");
  EXPECT_LE(largest_allocation, kDecodeTimes * frames[0].size() + kDecodeSlack);
}

TEST(CodecLimits, NumbersOfOneByteAreAllowedAtAnySize) {
  constexpr std::size_t kCount = std::size_t{8} << 20;
  Writer body;
  body.put_varint(0);  // facts
  body.put_varint(kCount);
  for (std::size_t i = 0; i < kCount; ++i) body.put_varint(i % 128);
  EXPECT_TRUE(decode_message(Kind::facts, {Bytes::from(body.take())}).ok());
}

// It ended the program.
TEST(CodecLimits, WithoutMemoryAMessageIsAnError) {
  const Frames frames = one_byte_slices(100000);
  allocation_most = 1 << 20;
  const auto decoded = decode_message(Kind::cut, frames);
  allocation_most = ~std::size_t{0};
  ASSERT_FALSE(decoded.ok());
  EXPECT_EQ(decoded.status().code(), ExitCode::temporary);
  EXPECT_EQ(decoded.status().what(), "no memory for a CUT of 100007 bytes");
}

TEST(CodecLimits, WithoutMemoryPiecesAreAnError) {
  Joiner joiner;
  const Frames message = {Bytes::from(std::vector<std::byte>(2 << 20))};
  const NodeId from{Role::worker, 0};
  Status status;
  for (const Frames& frames : cut_into_pieces(Kind::deltas, message, 1 << 20)) {
    auto piece = decode_message(Kind::piece, frames);
    ASSERT_TRUE(piece.ok());
    allocation_most = 1 << 20;
    const auto whole = joiner.add(from, from, std::get<Piece>(*std::move(piece)));
    allocation_most = ~std::size_t{0};
    if (!whole.ok()) status = whole.status();
  }
  EXPECT_EQ(status.code(), ExitCode::temporary);
  EXPECT_EQ(status.what(), "no memory for the 2097152 bytes of a DELTAS");
}

// A list's elements may take more memory than their bytes on the wire, by a bounded factor.
TEST(CodecLimits, ALongListCostsInProportionToItsBytes) {
  const Frames frames = one_byte_slices(100000);
  largest_allocation = 0;
  EXPECT_TRUE(decode_message(Kind::cut, frames).ok());
  EXPECT_LE(largest_allocation, 64 * frames[0].size());
}

}  // namespace
}  // namespace rota
