// tests/unit/wire/codec_limits_test.cc -- what a message claims costs nothing; only what has arrived does.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <new>

#include "tests/unit/wire/every_field.h"
#include "wire/codec.h"

namespace {

std::size_t largest_allocation = 0;

void* allocate(std::size_t size) {
  largest_allocation = std::max(largest_allocation, size);
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

// Puts a huge varint at every place of every kind's body, so that it is sooner or later each list's count.
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

// A list's elements take more memory than their bytes on the wire, but by no more than this.
TEST(CodecLimits, ALongListCostsInProportionToItsBytes) {
  Writer body;
  constexpr std::size_t kCount = 100000;
  body.put_varint(kCount);
  for (std::size_t i = 0; i < kCount; ++i) body.put_varint(0);  // a slice without keys takes one byte
  body.put_varint(0);
  const Frames frames = {Bytes::from(body.take())};
  largest_allocation = 0;
  EXPECT_TRUE(decode_message(Kind::cut, frames).ok());
  EXPECT_LE(largest_allocation, 64 * frames[0].size());
}

}  // namespace
}  // namespace rota
