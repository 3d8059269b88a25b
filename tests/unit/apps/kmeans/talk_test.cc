#include "apps/kmeans/talk.h"

#include "rota/random.h"

namespace rota::kmeans {
namespace {

Bytes encoded(const Talk& talk) {
  Writer out;
  write_fields(out, talk);
  return Bytes::from(out.take());
}

Talk talk_of(std::vector<double> keys, std::uint32_t wanted) {
  Talk talk;
  talk.potentials = keys;
  talk.wanted = wanted;
  talk.moved = keys.size();
  talk.inertia = 0.5;
  for (std::size_t i = 0; i < keys.size(); ++i)
    talk.candidates.push_back({keys[i], 0, static_cast<std::uint32_t>(i), {1, 3}, {keys[i], 2}});
  return talk;
}

TEST(Talk, OfAllShardsTheSmallestKeysWin) {
  const Bytes notes[] = {encoded(talk_of({3, 9}, 3)), encoded(talk_of({}, 3)), encoded(talk_of({1, 3}, 3))};
  const Talk all = read_fields<Talk>(encoded(Talk::combined(notes)));
  EXPECT_EQ(all.moved, 4U);
  EXPECT_DOUBLE_EQ(all.inertia, 1.5);
  EXPECT_EQ(all.potentials, (std::vector<double>{4, 12}));
  ASSERT_EQ(all.candidates.size(), 3U);
  EXPECT_EQ(all.candidates[0].shard, 2U);
  EXPECT_EQ(all.candidates[1].shard, 0U);  // of equal keys the first shard's
  EXPECT_EQ(all.candidates[2].shard, 2U);
  EXPECT_EQ(all.candidates[2].row, 1U);
  EXPECT_EQ(all.candidates[0].columns, (std::vector<std::uint32_t>{1, 3}));
  EXPECT_EQ(all.candidates[0].values, (std::vector<double>{1, 2}));
}

TEST(Talk, DamagedBytesAreRefused) {
  const Bytes whole = encoded(talk_of({1, 2}, 2));
  for (std::size_t size = 0; size < whole.size(); ++size)
    EXPECT_THROW((void)read_fields<Talk>(whole.part(0, size)), std::runtime_error) << size;
}

TEST(DrawKey, DrawsInProportionToTheWeights) {
  Random random({1, 2, 3, 4});
  int first = 0;
  constexpr int kDraws = 20000;
  for (int i = 0; i < kDraws; ++i) {
    const double one = draw_key(random.uniform(), 3), other = draw_key(random.uniform(), 1);
    first += one < other ? 1 : 0;
  }
  EXPECT_NEAR(first / static_cast<double>(kDraws), 0.75, 0.015);  // five standard deviations
  EXPECT_EQ(draw_key(0, 0), std::numeric_limits<double>::infinity());
  EXPECT_TRUE(std::isfinite(draw_key(0x1.fffffffffffffp-1, 1)));
}

}  // namespace
}  // namespace rota::kmeans
