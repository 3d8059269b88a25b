#include "core/checkpoint/cut.h"

namespace rota::cut {
namespace {

Cut sample() {
  Cut cut;
  cut.slices = {{1, 5, 1000}, {}, {2}};
  cut.replicated = {0, 7};
  return cut;
}

std::vector<std::byte> bytes_of(const Cut& cut) {
  Writer out;
  encode_cut(cut, out);
  return out.take();
}

std::optional<Cut> cut_of(std::span<const std::byte> bytes) {
  Reader in(bytes);
  return decode_cut(in);
}

TEST(CutBytes, ComeBack) {
  const auto back = cut_of(bytes_of(sample()));
  ASSERT_TRUE(back.has_value());
  EXPECT_EQ(back->slices, sample().slices);
  EXPECT_EQ(back->replicated, sample().replicated);
  ASSERT_TRUE(cut_of(bytes_of({})).has_value());
  EXPECT_TRUE(cut_of(bytes_of({}))->slices.empty());
}

TEST(CutBytes, StayAsTheyAre) {
  Cut cut;
  cut.slices = {{3}, {}};
  cut.replicated = {256};
  const std::vector<unsigned> expected = {2, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0, 0, 0, 0};
  std::vector<unsigned> found;
  for (const std::byte byte : bytes_of(cut)) found.push_back(std::to_integer<unsigned>(byte));
  EXPECT_EQ(found, expected);
}

TEST(CutBytes, EveryOtherLengthIsRefused) {
  const auto whole = bytes_of(sample());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_FALSE(cut_of(std::span<const std::byte>(whole).first(size)).has_value()) << size;
  auto longer = whole;
  longer.push_back({});
  EXPECT_FALSE(cut_of(longer).has_value());
}

}  // namespace
}  // namespace rota::cut
