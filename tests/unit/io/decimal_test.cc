// tests/unit/io/decimal_test.cc -- numbers are read as strtod reads them, to the last bit.
#include "rota/io/decimal.h"

#include <bit>

namespace rota::io {
namespace {

std::uint64_t bits(double value) {
  return std::bit_cast<std::uint64_t>(value);
}

// The text as in a reader's buffer: followed by exactly kReadable bytes.
class Buffer {
 public:
  explicit Buffer(const std::string& text) : bytes_(new char[text.size() + kReadable]) {
    std::fill_n(bytes_.get(), text.size() + kReadable, '\n');
    text.copy(bytes_.get(), text.size());
  }
  const char* begin() const { return bytes_.get(); }

 private:
  std::unique_ptr<char[]> bytes_;
};

class RandomText {
 public:
  explicit RandomText(std::uint64_t seed) : random_(seed) {}

  // Runs of 0 and 9 are frequent: there rounding is hard.
  std::string digits(std::uint64_t most) {
    std::string text;
    const bool plain = random_() % 2 == 0;
    for (std::uint64_t left = random_() % (most + 1); left > 0; --left)
      text += static_cast<char>('0' + (plain || random_() % 8 == 0 ? random_() % 10 : random_() % 2 * 9));
    return text;
  }
  std::string number() {
    for (;;) {
      std::string text = random_() % 4 == 0 ? (random_() % 2 == 0 ? "-" : "+") : "";
      const std::string whole = digits(random_() % 3 == 0 ? 24 : 8), places = digits(random_() % 3 == 0 ? 26 : 17);
      if (whole.empty() && places.empty()) continue;
      text += whole;
      if (!places.empty() || random_() % 2 == 0) text += "." + places;
      if (random_() % 4 == 0) text += exponent();
      return text;
    }
  }

 private:
  std::string exponent() {
    const std::uint64_t most = random_() % 4 == 0 ? 340 : 30;
    return std::string(random_() % 2 == 0 ? "e" : "E") + (random_() % 2 == 0 ? "-" : "") +
           std::to_string(random_() % most);
  }

  std::mt19937_64 random_;
};

TEST(Decimal, RandomTextsAreReadAsStrtodReadsThem) {
  RandomText texts(1);
  int quick = 0, too_large = 0;
  for (int i = 0; i < 300'000; ++i) {
    const std::string text = texts.number();
    const double expected = std::strtod(text.c_str(), nullptr);
    double value = 7;
    if (std::isinf(expected)) {
      ASSERT_FALSE(parse_number(text, value)) << text;
      ASSERT_EQ(value, 7) << text;
      ++too_large;
      continue;
    }
    ASSERT_TRUE(parse_number(text, value)) << text;
    ASSERT_EQ(bits(value), bits(expected)) << text;
    for (const char next : {' ', '\n', ':'}) {
      const Buffer buffer(text + next);
      double scanned = 0;
      const char* const end = scan_decimal(buffer.begin(), scanned);
      if (end == nullptr) continue;
      ASSERT_EQ(end, buffer.begin() + text.size()) << text;
      ASSERT_EQ(bits(scanned), bits(expected)) << text;
      ++quick;
    }
  }
  EXPECT_GT(quick, 300'000);
  EXPECT_GT(too_large, 100);
}

TEST(Decimal, HalfwayCasesRoundToEven) {
  for (const std::string text : {"9007199254740993", "9007199254740995", "9007199254740993.0", "0.9007199254740993",
                                 "900719925474099.3", "0.5000000000000001110", "1.000000000000000111",
                                 "18446744073709551615", "1844674407370955161.5", "9999999999999999999"}) {
    const Buffer buffer(text);
    double value = 0, scanned = 0;
    ASSERT_TRUE(parse_number(text, value));
    EXPECT_EQ(bits(value), bits(std::strtod(text.c_str(), nullptr))) << text;
    if (scan_decimal(buffer.begin(), scanned) != nullptr) {
      EXPECT_EQ(bits(scanned), bits(value)) << text;
    }
  }
}

TEST(Decimal, DivisionRoundsOnce) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 100'000; ++i) {
    const std::uint64_t mantissa = (random() >> random() % 64) | 1;
    const unsigned places = static_cast<unsigned>(random() % (decimal::kMostDigits + 1));
    const std::string text = std::to_string(mantissa) + "e-" + std::to_string(places);
    ASSERT_EQ(bits(decimal::divided(mantissa, places)), bits(std::strtod(text.c_str(), nullptr))) << text;
  }
}

TEST(Decimal, UsualAndUnusualForms) {
  const auto read = [](const std::string& text) {
    double value = -1;
    return parse_number(text, value) ? value : std::nan("");
  };
  EXPECT_EQ(read("1"), 1);
  EXPECT_EQ(read("+1"), 1);
  EXPECT_EQ(read("-1"), -1);
  EXPECT_EQ(read("1."), 1);
  EXPECT_EQ(read(".5"), .5);
  EXPECT_EQ(read("-.5E+1"), -5);
  EXPECT_EQ(read("007"), 7);
  EXPECT_EQ(bits(read("-0")), bits(-0.0));
  EXPECT_EQ(read("4.9e-324"), 4.9e-324);
  EXPECT_EQ(read("1e-400"), 0);
  EXPECT_EQ(read("0.00000001e-99999999999999999999"), 0);
  EXPECT_EQ(read("10000000000e-340"), 0);
  EXPECT_EQ(read("0e999999999"), 0);
}

TEST(Decimal, WhatIsNoFiniteNumberIsRefused) {
  for (const std::string text : {"",
                                 "+",
                                 "-",
                                 ".",
                                 "+-1",
                                 "-+1",
                                 "--1",
                                 "e5",
                                 "1e",
                                 "1e+",
                                 "1 ",
                                 " 1",
                                 "1,5",
                                 "1x",
                                 "0x10",
                                 "nan",
                                 "inf",
                                 "-inf",
                                 "infinity",
                                 "+nan",
                                 "1e400",
                                 "-1e400",
                                 "1e99999999999999999999",
                                 "1.5.5",
                                 "1_000"}) {
    double value = 7;
    EXPECT_FALSE(parse_number(text, value)) << text;
    EXPECT_EQ(value, 7) << text;
  }
}

TEST(Decimal, ScannersStopAfterTheNumber) {
  for (const std::string text : {"", "-", "+", ".", "-.", "x", ":", "12345678", "1e5", "1.5e5", "1E5", "nan",
                                 "0.12345678901234567890", "0.123456789012345678901234567890"}) {
    double value = 0;
    EXPECT_EQ(scan_decimal(Buffer(text).begin(), value), nullptr) << text;
  }
  for (const std::string text : {"", "x", ":", "-1", "+1", "1234567890123456"}) {
    std::uint64_t value = 0;
    EXPECT_EQ(scan_integer(Buffer(text).begin(), value), nullptr) << text;
  }
}

TEST(Decimal, IntegersOfEveryLength) {
  std::mt19937_64 random(3);
  for (unsigned digits = 1; digits <= 15; ++digits)
    for (int i = 0; i < 100; ++i) {
      const std::uint64_t number = random() % decimal::kPowers[digits];
      std::string text = std::to_string(number);
      text.insert(0, digits - text.size(), '0');
      for (const char next : {':', ' ', '\n', '/'}) {
        const Buffer buffer(text + next + "77777777");
        std::uint64_t value = 0;
        ASSERT_EQ(scan_integer(buffer.begin(), value), buffer.begin() + digits) << text;
        ASSERT_EQ(value, number);
      }
    }
}

}  // namespace
}  // namespace rota::io
