#include "apps/lda/priors/count_histogram.h"

namespace rota::lda {
namespace {

using Pairs = std::vector<std::pair<std::uint32_t, std::uint64_t>>;

Pairs pairs_of(const CountHistogram& histogram) {
  Pairs pairs;
  histogram.for_each([&](std::uint32_t count, std::uint64_t times) { pairs.emplace_back(count, times); });
  return pairs;
}

TEST(CountHistogram, CountsAscendAndZerosAreLeftOut) {
  CountHistogram histogram;
  EXPECT_TRUE(histogram.empty());
  histogram.add(0);
  EXPECT_TRUE(histogram.empty());
  for (const std::uint32_t count : {1000U, 3U, 255U, 256U, 3U}) histogram.add(count);
  EXPECT_EQ(pairs_of(histogram), (Pairs{{3, 2}, {255, 1}, {256, 1}, {1000, 1}}));
}

TEST(CountHistogram, PartsAddUpToTheWhole) {
  CountHistogram whole, first, second;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const std::uint32_t count = i * i % 701;
    whole.add(count);
    (i % 3 == 0 ? first : second).add(count);
  }
  first.add(second);
  EXPECT_EQ(first, whole);
}

TEST(CountHistogram, ComesBackAsItWas) {
  CountHistogram histogram;
  for (const std::uint32_t count : {1U, 2U, 300U, std::numeric_limits<std::uint32_t>::max()})
    histogram.add(count, count);
  Writer out;
  histogram.encode(out);
  Reader in(out.view());
  CountHistogram again;
  again.decode(in);
  EXPECT_EQ(again, histogram);
  EXPECT_TRUE(in.done());
  for (std::size_t size = 0; size < out.view().size(); ++size) {
    Reader cut(out.view().first(size));
    CountHistogram().decode(cut);
    EXPECT_FALSE(cut.ok()) << size;
  }
}

TEST(CountHistogram, InvalidInputIsRefused) {
  const auto refused = [](std::initializer_list<std::uint64_t> numbers) {
    Writer out;
    for (const std::uint64_t number : numbers) out.put_varint(number);
    Reader in(out.view());
    CountHistogram().decode(in);
    return !in.ok();
  };
  EXPECT_FALSE(refused({1, 5, 1}));
  EXPECT_TRUE(refused({1, 0, 1}));
  EXPECT_TRUE(refused({1, 5, 0}));
  EXPECT_TRUE(refused({2, 0xffffffff, 1, 1, 1}));
  EXPECT_TRUE(refused({std::uint64_t{1} << 60, 1, 1}));
}

}  // namespace
}  // namespace rota::lda
