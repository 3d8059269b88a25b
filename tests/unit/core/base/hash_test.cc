#include "core/base/hash.h"

namespace rota {
namespace {

std::uint64_t in_pieces(std::string_view text, std::size_t piece) {
  Hasher64 hasher;
  for (std::size_t at = 0; at < text.size(); at += piece) hasher.add(std::as_bytes(std::span(text.substr(at, piece))));
  return hasher.digest();
}

TEST(HashTest, PiecesHashAsTheWhole) {
  const std::string text(1000, 'x');
  EXPECT_EQ(in_pieces(text, 1), in_pieces(text, 1000));
  EXPECT_EQ(in_pieces(text, 7), in_pieces(text, 1000));
  EXPECT_NE(in_pieces(text, 1000), in_pieces(text.substr(1), 1000));
}

// The published value of XXH3 for empty input: hashes on disk must stay valid.
TEST(HashTest, IsXxh3) {
  EXPECT_EQ(hash128(std::string()).hex(), "99aa06d3014798d86001c324468d497f");
  EXPECT_EQ(in_pieces("", 1), 0x2d06800538d394c2U);
}

TEST(HashTest, IsReadFromItsDigits) {
  const Hash128 hash = hash128("a");
  EXPECT_EQ(Hash128::from_hex(hash.hex()), hash);
  const std::string digits = hash.hex();
  for (const std::string& wrong : {std::string(), digits.substr(1), digits + "0", "g" + digits.substr(1),
                                   digits.substr(0, 31) + " ", "-" + digits.substr(1), digits.substr(0, 16)})
    EXPECT_EQ(Hash128::from_hex(wrong), std::nullopt) << wrong;
}

}  // namespace
}  // namespace rota
