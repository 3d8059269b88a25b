#include "rota/bytes.h"

namespace rota {
namespace {

std::vector<unsigned> numbers_of(std::span<const std::byte> bytes) {
  std::vector<unsigned> numbers;
  for (const std::byte byte : bytes) numbers.push_back(std::to_integer<unsigned>(byte));
  return numbers;
}

TEST(Bytes, PlainNumbersAreLittleEndian) {
  Writer out;
  out.put(std::uint32_t{0x01020304});
  out.put(std::int16_t{-2});
  out.put(1.0);
  EXPECT_EQ(numbers_of(out.view()), (std::vector<unsigned>{4, 3, 2, 1, 0xfe, 0xff, 0, 0, 0, 0, 0, 0, 0xf0, 0x3f}));
}

TEST(Bytes, VarintsAtTheirBorders) {
  const std::vector<std::pair<std::uint64_t, std::size_t>> borders = {
      {0, 1}, {127, 1}, {128, 2}, {16383, 2}, {16384, 3}, {std::uint64_t{1} << 63, 10}, {~std::uint64_t{0}, 10}};
  for (const auto& [value, size] : borders) {
    Writer out;
    out.put_varint(value);
    EXPECT_EQ(out.view().size(), size) << value;
    Reader in(out.view());
    EXPECT_EQ(in.get_varint(), value);
    EXPECT_TRUE(in.done());
  }
}

TEST(Bytes, AVarintOfMoreThan64BitsIsRefused) {
  std::vector<std::byte> bytes(10, std::byte{0xff});
  bytes[9] = std::byte{2};  // the 65th bit
  Reader in(bytes);
  EXPECT_EQ(in.get_varint(), 0U);
  EXPECT_FALSE(in.ok());
  bytes.assign(11, std::byte{0x80});
  Reader endless(bytes);
  EXPECT_EQ(endless.get_varint(), 0U);
  EXPECT_FALSE(endless.ok());
}

TEST(Bytes, EveryTypeComesBack) {
  const std::vector<double> numbers = {0.5, -1e300, std::numeric_limits<double>::infinity()};
  Writer out;
  out.put_all(std::span<const double>(numbers));
  out.put_text("a word");
  out.put(std::uint8_t{7});
  out.put_text("");
  Reader in(out.view());
  EXPECT_EQ(in.get_all<double>(), numbers);
  EXPECT_EQ(in.get_text(), "a word");
  EXPECT_EQ(in.get<std::uint8_t>(), 7);
  EXPECT_EQ(in.get_text(), "");
  EXPECT_TRUE(in.done());
}

TEST(Bytes, EveryTruncationIsSeen) {
  Writer out;
  out.put(std::uint64_t{9});
  out.put_varint(300);
  out.put_text("abc");
  const std::vector<std::byte> whole = out.take();
  for (std::size_t size = 0; size < whole.size(); ++size) {
    Reader in(std::span<const std::byte>(whole).first(size));
    (void)in.get<std::uint64_t>();
    (void)in.get_varint();
    (void)in.get_text();
    EXPECT_FALSE(in.ok()) << size;
    EXPECT_FALSE(in.done()) << size;
  }
}

TEST(Bytes, AFailedReaderReturnsNothing) {
  Writer out;
  out.put(std::uint8_t{200});
  out.put(std::uint32_t{77});
  Reader in(out.view());
  EXPECT_EQ(in.get_bounded<std::uint8_t>(100), 0);
  EXPECT_EQ(in.get<std::uint32_t>(), 0U);
  EXPECT_TRUE(in.get_bytes(1).empty());
  EXPECT_FALSE(in.ok());
}

TEST(Bytes, ACountMustBeCoveredByWhatIsThere) {
  Writer out;
  out.put_varint(3);
  out.append("0123456789abcdefghijklm", 23);
  Reader fits(out.view());
  EXPECT_EQ(fits.get_count(7), 3U);
  Reader too_many(out.view());
  EXPECT_EQ(too_many.get_count(8), 0U);
  EXPECT_FALSE(too_many.ok());
}

TEST(Bytes, AHugeCountIsRefusedWithoutOverflow) {
  for (const std::uint64_t claim : {std::uint64_t{1} << 61, ~std::uint64_t{0}, (std::uint64_t{1} << 61) + 1}) {
    Writer out;
    out.put_varint(claim);  // times eight is small again, in 64 bits
    out.put(0.0);
    Reader in(out.view());
    EXPECT_TRUE(in.get_all<double>().empty());
    EXPECT_FALSE(in.ok());
  }
}

}  // namespace
}  // namespace rota
