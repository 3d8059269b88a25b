// tests/unit/apps/mf/seen_ratings_test.cc -- ratings of a sparse matrix in memory, beside the same ones in a file.
#include "apps/mf/seen_ratings.h"

#include <cmath>

#include "apps/mf/ratings.h"
#include "rota/io/number_text.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::tests {
namespace {

using mf::RatingKind;

class SeenRatings : public WithFiles {
 protected:
  SeenRatings() { memory_slot() = &inputs_; }
  ~SeenRatings() override { memory_slot() = nullptr; }

  // Five rows, of which two are empty, and four columns, whose last is empty.  The values are seen where they are.
  std::string matrix(const std::vector<double>& values) {
    MemoryInput input{.rows = 5, .columns = 4};
    input.dense = false;
    input.begins = std::span(begins_);
    input.column = std::span(columns_);
    input.values = std::span(values);
    return inputs_.put(input);
  }
  std::string file(const std::vector<double>& values) {
    std::string text;
    for (std::size_t r = 0; r + 1 < begins_.size(); ++r)
      for (auto e = static_cast<std::size_t>(begins_[r]); e < static_cast<std::size_t>(begins_[r + 1]); ++e)
        text += std::to_string(r) + " " + std::to_string(columns_[e]) + " " + io::exact_text(values[e]) + "\n";
    return files.write("ratings", text);
  }
  static std::vector<std::tuple<std::uint32_t, std::uint32_t, float>> list(const mf::AllRatings& all) {
    std::vector<std::tuple<std::uint32_t, std::uint32_t, float>> out;
    all.for_each([&](const mf::Rating& one) { out.emplace_back(one.of[0], one.of[1], one.value); });
    return out;
  }
  void expect_same(const std::vector<double>& values, RatingKind kind) {
    const mf::AllRatings seen = mf::read_ratings({matrix(values)}, {}, {}, kind);
    const mf::AllRatings read = mf::read_ratings({file(values)}, {}, {}, kind);
    ASSERT_NE(seen.seen, nullptr);
    EXPECT_EQ(list(seen), list(read));
    EXPECT_EQ(seen.common.names, read.common.names);
    EXPECT_EQ(seen.common.counts, read.common.counts);
    EXPECT_EQ(seen.common.mean, read.common.mean);
    EXPECT_EQ(seen.common.deviation, read.common.deviation);
    EXPECT_EQ(seen.common.origin, read.common.origin);
    EXPECT_EQ(seen.common.ratings, read.common.ratings);
  }

  MemoryInputs inputs_;
  const std::vector<std::int32_t> begins_ = {0, 0, 2, 5, 5, 7}, columns_ = {1, 2, 0, 1, 2, 0, 2};
};

TEST_F(SeenRatings, AreThoseOfAFile) {
  expect_same({1, 2.5, -3, 0, 1.0 / 3, 4, 5}, RatingKind::ratings);
  expect_same({1, 2.5, 3, 4, 1.0 / 3, 4, 5}, RatingKind::counts);
}

TEST_F(SeenRatings, HaveTheSameOriginAndRounding) {
  expect_same({1e9 + 1, 1e9 + 2, 1e9 + 4.5, 1e9, 1e9, 1e9, 1e9 + 1.0 / 3}, RatingKind::ratings);
  std::vector<double> values;  // near the first up to a place in the middle of a row
  for (int i = 0; i < 7; ++i) values.push_back(i < 4 ? 1e3 + std::sin(i) / 3 : i);
  expect_same(values, RatingKind::ratings);
}

TEST_F(SeenRatings, AreOnlyOfWhatAFileMayHave) {
  const auto sees = [&](const std::vector<double>& values, RatingKind kind) {
    return mf::SeenRatings::of({matrix(values)}, kind) != nullptr;
  };
  EXPECT_TRUE(sees({1, 1, 1, 1, 1, 1, 1}, RatingKind::counts));
  EXPECT_FALSE(sees({1, 1, 0, 1, 1, 1, 1}, RatingKind::counts)) << "skipped in a file";
  EXPECT_FALSE(sees({1, 1, -1, 1, 1, 1, 1}, RatingKind::counts));
  EXPECT_FALSE(sees({1, 1, 1e16, 1, 1, 1, 1}, RatingKind::ratings));
  EXPECT_FALSE(sees({1, 1, std::nan(""), 1, 1, 1, 1}, RatingKind::ratings));
  EXPECT_FALSE(sees({1, 1, 1, 1, 1, 1, 1}, RatingKind::pairs));
  EXPECT_EQ(mf::SeenRatings::of({"a file"}, RatingKind::ratings), nullptr);
}

TEST_F(SeenRatings, OfUsersStayInPlace) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7};
  mf::AllRatings all = mf::read_ratings({matrix(values)}, {}, {}, RatingKind::ratings);
  mf::cut_ranges(all.common, 2);
  const std::vector<ShardId> both = {0, 1};
  std::vector<mf::ShardRatings> seen = mf::deal(all, 2, both, {true, true}, false, true);
  const std::vector<mf::ShardRatings> copied = mf::deal(all, 2, both);
  for (const ShardId s : both)
    for (const std::uint32_t side : {mf::kUserSide, mf::kItemSide}) {
      mf::RatingRows copy = copied[s].of[side];
      EXPECT_EQ(seen[s].of[side].partners.empty(), side == mf::kUserSide);
      seen[s].of[side].multiply(0.5F);
      copy.multiply(0.5F);
      for (std::size_t i = 0; i < copy.rows(); ++i)
        EXPECT_TRUE(std::ranges::equal(seen[s].of[side].row(i), copy.row(i), [](const auto& a, const auto& b) {
          return a.number == b.number && a.value == b.value;
        }));
    }
}

}  // namespace
}  // namespace rota::tests
