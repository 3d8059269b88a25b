#include "rota/fields.h"

#include "rota/push.h"

namespace rota {
namespace {

enum class Colour : std::uint8_t { red, green };

struct Point {
  double x = 0, y = 0;
  void fields(auto& list) { list(x, y); }
  friend bool operator==(const Point&, const Point&) = default;
};

struct Short {  // with an encoding of its own
  std::uint64_t number = 0;
  void encode(Writer& out) const { out.put_varint(number); }
  void decode(Reader& in) { number = in.get_varint(); }
  friend bool operator==(const Short&, const Short&) = default;
};

struct All {
  std::uint32_t number = 0;
  bool flag = false;
  Colour colour = Colour::red;
  std::string text;
  std::vector<double> numbers;
  std::vector<Point> points;
  std::vector<std::string> texts;
  std::array<std::uint16_t, 3> three{};
  std::optional<Point> some, none;
  std::pair<std::uint64_t, std::string> pair;
  std::vector<Short> shorts;

  void fields(auto& list) {
    list(number, flag, colour, text, numbers, points, texts);
    list(three, some, none, pair, shorts);
    list.check(points.size() == numbers.size());
  }
  friend bool operator==(const All&, const All&) = default;
};

All sample() {
  return {7,         true,        Colour::green, "words",     {1.5, -2},   {{1, 2}, {3, 4}}, {"a", "", "ccc"},
          {1, 2, 3}, Point{5, 6}, std::nullopt,  {9, "nine"}, {{1}, {300}}};
}

Bytes bytes_of(const All& all) {
  Writer out;
  write_fields(out, all);
  return Bytes::from(out.take());
}

TEST(Fields, ComeBackAsTheyWere) {
  EXPECT_EQ(read_fields<All>(bytes_of(sample())), sample());
  EXPECT_EQ(read_fields<All>(bytes_of(All())), All());
}

TEST(Fields, BytesThatAreCutOrTooLongAreRefused) {
  const Bytes whole = bytes_of(sample());
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW(read_fields<All>(whole.part(0, size)), std::runtime_error) << size;
  std::vector<std::byte> longer(whole.view().begin(), whole.view().end());
  longer.push_back({});
  EXPECT_THROW(read_fields<All>(Bytes::from(longer)), std::runtime_error);
}

TEST(Fields, InvariantsAreChecked) {
  All wrong = sample();
  wrong.points.pop_back();
  EXPECT_THROW(read_fields<All>(bytes_of(wrong)), std::runtime_error);
}

// A count of 2^62 points in nine bytes.
TEST(Fields, ACountIsCheckedAgainstTheBytes) {
  Writer out;
  out.put_varint(std::uint64_t{1} << 62);
  Reader in(out.view());
  Archive list(in);
  std::vector<Point> points;
  list(points);
  EXPECT_FALSE(in.ok());
  EXPECT_TRUE(points.empty());
}

class CountingPush final : public Push {
 public:
  std::uint64_t items() const override { return 1; }
  void state(Archive& list) override { list(count, line); }
  std::uint64_t count = 0;
  std::vector<float> line;
};

TEST(Fields, AHooksObjectSavesThem) {
  CountingPush push, other;
  push.count = 3;
  push.line = {1, 2};
  Writer out;
  push.save(out);
  Reader in(out.view());
  other.restore(in);
  EXPECT_TRUE(in.done());
  EXPECT_EQ(other.count, 3U);
  EXPECT_EQ(other.line, push.line);
}

}  // namespace
}  // namespace rota
