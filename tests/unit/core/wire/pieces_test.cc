#include "core/wire/pieces.h"

#include "tests/unit/core/wire/every_field.h"
#include "tests/unit/core/wire/frames_of.h"

namespace rota {
namespace {

constexpr NodeId kFrom{Role::worker, 1}, kTo{Role::partition, 2};

// The message, if every piece was accepted, and only the last completed it.
std::optional<Delivery> join(const std::vector<Frames>& pieces) {
  Joiner joiner;
  std::optional<Delivery> message;
  for (const Frames& frames : pieces) {
    auto piece = decode_message(Kind::piece, frames);
    EXPECT_TRUE(piece.ok());
    auto whole = joiner.add(kFrom, kTo, std::get<Piece>(*std::move(piece)));
    if (!whole.ok() || message) return std::nullopt;
    EXPECT_EQ(joiner.amid(), !whole->has_value());
    if (whole->has_value()) message = **std::move(whole);
  }
  return message;
}

TEST(Pieces, EveryMessageOfEveryKindComesBackFromPiecesOfEverySize) {
  std::size_t pieces = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    tests::Drawing numbers(seed);
    for (std::size_t index = 0; index < tests::kKinds; ++index) {
      const Message message = tests::filled(index, numbers);
      const Kind kind = kind_of(message);
      if (!may_be_cut(kind)) continue;
      const Frames whole = encode_message(message);
      for (const std::size_t size : {1U, 2U, 3U, 7U, 64U, 1000U}) {
        const auto cut = cut_into_pieces(kind, whole, size);
        pieces += cut.size();
        const auto back = join(cut);
        ASSERT_TRUE(back.has_value()) << kind_name(kind) << " in pieces of " << size;
        EXPECT_EQ(back->kind, kind);
        EXPECT_EQ(back->from, kFrom);
        EXPECT_EQ(back->to, kTo);
        EXPECT_EQ(tests::hex(back->frames), tests::hex(whole));
      }
    }
  }
  EXPECT_GT(pieces, 10000U);
}

TEST(Pieces, ShareTheMemoryOfTheMessage) {
  const Frames message = {Bytes::from(std::vector<std::byte>(10)), Bytes::from(std::vector<std::byte>(1000))};
  const auto pieces = cut_into_pieces(Kind::put, message, 400);
  ASSERT_EQ(pieces.size(), 4U);
  EXPECT_EQ(pieces[1][1].view().data(), message[1].view().data());
  EXPECT_EQ(pieces[3][1].view().data(), message[1].view().data() + 800);
  EXPECT_EQ(pieces[3][1].size(), 200U);
}

TEST(Pieces, AreBytesThatStayAsTheyAre) {
  const Frames message = {Bytes::from({std::byte{1}}), Bytes(),
                          Bytes::from({std::byte{2}, std::byte{3}, std::byte{4}})};
  std::string text;
  for (const Frames& piece : cut_into_pieces(Kind::lease, message, 2)) text += tests::hex(piece) + "\n";
  EXPECT_EQ(text, "2100030001 01\n2101030000 -\n2102030003 0203\n2102030203 04\n");
}

TEST(Pieces, AWrongSequenceOfPiecesIsNeverAMessage) {
  const Frames message = {Bytes::from(std::vector<std::byte>(5)), Bytes::from(std::vector<std::byte>(7))};
  const auto right = cut_into_pieces(Kind::put, message, 2);
  ASSERT_TRUE(join(right).has_value());
  for (std::size_t i = 0; i < right.size(); ++i) {
    auto pieces = right;
    pieces.erase(pieces.begin() + static_cast<std::ptrdiff_t>(i));
    EXPECT_FALSE(join(pieces).has_value()) << "without " << i;
    pieces = right;
    pieces.insert(pieces.begin() + static_cast<std::ptrdiff_t>(i), right[i]);
    EXPECT_FALSE(join(pieces).has_value()) << "twice " << i;
    for (std::size_t j = 0; j < i; ++j) {
      pieces = right;
      std::swap(pieces[i], pieces[j]);
      EXPECT_FALSE(join(pieces).has_value()) << i << " for " << j;
    }
  }
}

TEST(Pieces, ControlAndFirstMessagesAreNotCut) {
  for (const Kind kind : {Kind::ack, Kind::probe, Kind::piece, Kind::hello, Kind::ask_status})
    EXPECT_FALSE(may_be_cut(kind)) << kind_name(kind);
  for (const Kind kind : {Kind::welcome, Kind::loaded, Kind::facts, Kind::cut, Kind::lease, Kind::deltas, Kind::put,
                          Kind::fetched, Kind::status})
    EXPECT_TRUE(may_be_cut(kind)) << kind_name(kind);
}

}  // namespace
}  // namespace rota
