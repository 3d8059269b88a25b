#include "rota/schedules/priority.h"

#include <deque>

namespace rota {
namespace {

using Config = PrioritySchedule::Config;

// Feeds a round back with the change that `change` gives of each key.
template <typename Change>
void feed_back(PrioritySchedule& schedule, const Round& round, Change change) {
  std::vector<double> changes;
  for (const Key key : round.shared) changes.push_back(change(key));
  std::vector<Delta> deltas;
  for (std::size_t i = 0; i < changes.size(); ++i)
    deltas.push_back({round.shared[i], std::span(&changes[i], 1), std::span(&changes[i], 1)});
  schedule.feedback({1, round.table, deltas, {}, {}});
}

double figure(const std::vector<Figure>& figures, const std::string& name) {
  for (const Figure& each : figures)
    if (each.name == name) return each.value;
  ADD_FAILURE() << name;
  return -1;
}

TEST(Priority, DrawsByTheSquareOfTheLastChangePlusEta) {
  const Key keys = 20;
  PrioritySchedule schedule({.table = 3, .first = 100, .end = 100 + keys, .eta = 0.5, .uniform_share = 0.25}, nullptr);
  const auto change = [](Key key) { return static_cast<double>(key - 100) / 10; };
  Random random({5, 6, 7, 8});
  std::vector<double> squares, probability;
  for (Key key = 100; key < 100 + keys; ++key) squares.push_back(change(key) * change(key));
  schedule.set_weights(squares);
  double total = 0;
  for (const double square : squares) total += square + 0.5;
  for (const double square : squares) probability.push_back(0.75 * (square + 0.5) / total + 0.25 / keys);

  std::vector<int> count(keys);
  const int draws = 200'000;
  for (int i = 0; i < draws; ++i) {
    const Round round = schedule.next(random);
    EXPECT_EQ(round.table, 3U);
    ASSERT_EQ(round.shared.size(), 1U);
    ++count[round.shared[0] - 100];
    feed_back(schedule, round, change);
  }
  double chi_square = 0;
  for (Key k = 0; k < keys; ++k) {
    const double expected = draws * probability[k];
    chi_square += (count[k] - expected) * (count[k] - expected) / expected;
  }
  // 19 degrees of freedom: mean 19, standard deviation sqrt(38) = 6.2.
  EXPECT_LT(chi_square, 19 + 5 * 6.2);
}

TEST(Priority, AWideRowCountsByItsSquaredNorm) {
  PrioritySchedule schedule({.end = 2, .eta = 0, .uniform_share = 0}, nullptr);
  Random random({1, 2, 3, 4});
  const std::vector<double> wide = {3, 4}, none = {0, 0};
  for (int i = 0; i < 2; ++i) {
    const Round round = schedule.next(random);
    const Delta delta{round.shared[0], wide, round.shared[0] == 0 ? wide : none};
    schedule.feedback({1, 0, std::span(&delta, 1), {}, {}});
  }
  for (int i = 0; i < 10; ++i) {
    const Round round = schedule.next(random);
    EXPECT_EQ(round.shared[0], 0U) << "only row 0 has ever changed";
    const Delta delta{0, wide, wide};
    schedule.feedback({1, 0, std::span(&delta, 1), {}, {}});
  }
  Writer out;
  schedule.save(out);
  Reader in(out.view());
  in.get<double>();
  EXPECT_EQ(in.get_all<double>(), (std::vector<double>{25, 0}));
}

TEST(Priority, RowsInFlightAreNotDrawnAndBatchesFitThePipeline) {
  for (const std::uint32_t staleness : {0U, 1U, 3U}) {
    for (const double uniform : {0.0, 0.5, 1.0}) {
      const Key keys = 30;
      PrioritySchedule schedule({.end = keys, .batch = 1000, .staleness = staleness, .uniform_share = uniform},
                                nullptr);
      const std::uint32_t pipeline = schedule.pipeline(0);
      EXPECT_EQ(pipeline, staleness + 2);
      Random random({1, 2, staleness, 4});
      std::deque<Round> out;
      for (int i = 0; i < 300; ++i) {
        if (out.size() == pipeline) {
          feed_back(schedule, out.front(), [](Key key) { return static_cast<double>(key % 3); });
          out.pop_front();
        }
        out.push_back(schedule.next(random));
        EXPECT_EQ(out.back().shared.size(), keys / pipeline);
        std::set<Key> seen;
        for (const Round& round : out)
          for (const Key key : round.shared) EXPECT_TRUE(key < keys && seen.insert(key).second);
      }
    }
  }
}

TEST(Priority, ThePipelineCoversTheStaleness) {
  PrioritySchedule schedule({.end = 9, .staleness = 2}, nullptr);
  EXPECT_EQ(schedule.pipeline(0), 4U);
  EXPECT_EQ(schedule.pipeline(7), 7U);
  EXPECT_EQ(schedule.pipeline(1), 3U);
  EXPECT_EQ(PrioritySchedule({.end = 9, .pipeline = 5}, nullptr).pipeline(0), 5U);
}

TEST(Priority, ConflictsAreGroupedWithinARoundOnly) {
  const auto test = [](Key a, Key b) { return a / 4 == b / 4; };  // groups of four
  for (const std::uint32_t staleness : {0U, 2U}) {
    PrioritySchedule schedule({.end = 400, .batch = 40, .rounds = 500, .staleness = staleness, .largest_block = 3},
                              std::make_unique<PairInterference>(test));
    const std::uint32_t pipeline = schedule.pipeline(0);
    Random random({9, 2, 3, staleness});
    std::deque<Round> out;
    double kept = 0, grouped = 0;
    for (int i = 0; i < 500; ++i) {
      if (out.size() == pipeline) {
        feed_back(schedule, out.front(), [](Key key) { return key < 100 ? 1.0 : 0.01; });
        out.pop_front();
      }
      out.push_back(schedule.next(random));
      const Round& round = out.back();
      kept += static_cast<double>(round.shared.size());
      std::set<Key> groups;
      std::size_t at = 0;
      for (const std::uint32_t size :
           round.blocks.empty() ? std::vector<std::uint32_t>(round.shared.size(), 1) : round.blocks) {
        EXPECT_LE(size, 3U);
        if (size > 1) grouped += size;
        EXPECT_TRUE(groups.insert(round.shared[at] / 4).second) << "two blocks interfere";
        for (std::uint32_t q = 1; q < size; ++q) EXPECT_EQ(round.shared[at + q] / 4, round.shared[at] / 4);
        at += size;
      }
      for (std::size_t back = 1; back <= staleness && back < out.size(); ++back)
        for (const Key key : out[out.size() - 1 - back].shared) EXPECT_FALSE(groups.contains(key / 4));
    }
    const std::vector<Figure> figures = schedule.figures();
    EXPECT_EQ(figure(figures, "rounds"), 500);
    EXPECT_EQ(figure(figures, "kept"), kept);
    EXPECT_EQ(figure(figures, "grouped"), grouped);
    EXPECT_GT(figure(figures, "rejected"), 0);
    EXPECT_EQ(figure(figures, "drawn"), figure(figures, "kept") + figure(figures, "rejected"));
    EXPECT_EQ(figure(figures, "largest_block"), 3);
    EXPECT_NEAR(figure(figures, "staleness"), pipeline - 1, 0.05);
    EXPECT_EQ(figure(schedule.figures(), "drawn"), 0) << "figures are those of one epoch";
  }
}

// All rows interfere, so a round can only be one block, and with unseen rounds it is empty.
TEST(Priority, EndsWhenNothingFits) {
  for (const OnConflict on_conflict : {OnConflict::group, OnConflict::drop}) {
    for (const std::uint32_t staleness : {0U, 1U}) {
      PrioritySchedule schedule({.end = 50, .batch = 10, .staleness = staleness, .on_conflict = on_conflict},
                                std::make_unique<PairInterference>([](Key, Key) { return true; }));
      Random random({1, 2, 3, 4});
      const std::size_t full = on_conflict == OnConflict::group ? 10 : 1;
      const Round first = schedule.next(random);
      EXPECT_EQ(first.shared.size(), full);
      EXPECT_EQ(schedule.next(random).shared.size(), staleness == 0 ? full : 0);
      feed_back(schedule, first, [](Key) { return 1.0; });
      EXPECT_EQ(schedule.next(random).shared.size(), full) << "the first round is seen";
    }
  }
  // More rounds out than there are rows.
  PrioritySchedule few({.end = 3, .pipeline = 10}, nullptr);
  Random random({1, 2, 3, 4});
  for (int i = 0; i < 3; ++i) EXPECT_EQ(few.next(random).shared.size(), 1U);
  EXPECT_TRUE(few.next(random).shared.empty());
  PrioritySchedule none({.first = 7, .end = 7}, nullptr);
  EXPECT_TRUE(none.next(random).shared.empty());
}

TEST(Priority, InTurnGoesThroughAllRows) {
  PrioritySchedule schedule({.first = 2, .end = 12, .batch = 4, .uniform_share = 1, .in_turn = true}, nullptr);
  Random random({1, 2, 3, 4});
  std::vector<Key> order;
  std::vector<bool> ends;
  for (int i = 0; i < 5; ++i) {
    const Round round = schedule.next(random);
    order.insert(order.end(), round.shared.begin(), round.shared.end());
    ends.push_back(round.ends_epoch);
    feed_back(schedule, round, [](Key) { return 1.0; });
  }
  for (std::size_t i = 0; i < order.size(); ++i) EXPECT_EQ(order[i], 2 + i % 10);
  EXPECT_EQ(ends, (std::vector<bool>{false, false, true, false, false})) << "10 rows in rounds of 4";
}

// If rounds began at the same rows in every pass, a refused row that lost its turn would be refused forever.
TEST(Priority, InTurnARefusedRowComesFirstInTheNextRound) {
  PrioritySchedule schedule({.end = 8,
                             .batch = 4,
                             .pipeline = 1,
                             .uniform_share = 1,
                             .in_turn = true,
                             .oversampling = 1,
                             .on_conflict = OnConflict::drop},
                            std::make_unique<PairInterference>([](Key a, Key b) { return a / 2 == b / 2; }));
  Random random({1, 2, 3, 4});
  std::vector<std::vector<Key>> rounds;
  for (int i = 0; i < 4; ++i) {
    const Round round = schedule.next(random);
    rounds.push_back(round.shared);
    feed_back(schedule, round, [](Key) { return 1.0; });
  }
  EXPECT_EQ(rounds, (std::vector<std::vector<Key>>{{0, 2}, {1, 3, 4}, {5, 6, 0}, {7, 1, 2}}));
}

TEST(Priority, AnInfiniteChangeIsOnlyVeryImportant) {
  PrioritySchedule schedule({.end = 4, .uniform_share = 0}, nullptr);
  Random random({1, 2, 3, 4});
  for (const double change : {std::numeric_limits<double>::infinity(), std::nan(""), 1e300}) {
    for (int i = 0; i < 4; ++i) feed_back(schedule, schedule.next(random), [&](Key) { return change; });
  }
  EXPECT_EQ(schedule.next(random).shared.size(), 1U);
}

TEST(Priority, NothingIsLostBySavingAtAnEpochsEnd) {
  const Config config{.end = 50, .batch = 5, .rounds = 4, .staleness = 1, .uniform_share = 0.5, .in_turn = true};
  const auto interference = [] {
    return std::make_unique<PairInterference>([](Key a, Key b) { return a / 2 == b / 2; });
  };
  const auto epoch = [](PrioritySchedule& schedule, std::uint64_t seed) {
    Random random({seed, 2, 3, 4});
    std::vector<Round> rounds;
    std::size_t fed_back = 0;
    do {
      for (; rounds.size() >= fed_back + schedule.pipeline(0); ++fed_back)
        feed_back(schedule, rounds[fed_back], [](Key key) { return static_cast<double>(key); });
      rounds.push_back(schedule.next(random));
    } while (!rounds.back().ends_epoch);
    for (; fed_back < rounds.size(); ++fed_back)
      feed_back(schedule, rounds[fed_back], [](Key key) { return static_cast<double>(key); });
    std::vector<std::vector<Key>> keys;
    for (const Round& round : rounds) keys.push_back(round.shared);
    return keys;
  };
  PrioritySchedule straight(config, interference()), resumed(config, interference());
  epoch(straight, 1);
  Writer out;
  straight.save(out);
  Reader in(out.view());
  resumed.restore(in);
  EXPECT_TRUE(in.done());
  for (const std::uint64_t seed : {2, 3, 4}) EXPECT_EQ(epoch(straight, seed), epoch(resumed, seed));

  const std::vector<std::byte> bytes(out.view().begin(), out.view().end());
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    Reader cut{std::span(bytes).first(size)};
    resumed.restore(cut);
    EXPECT_FALSE(cut.done()) << size;
  }
  Writer wrong;
  wrong.put(1e-4);
  wrong.put_all(std::span<const double>(std::vector<double>(50, -1.0)));
  wrong.put(std::uint64_t{0});
  wrong.put_varint(0);
  Reader negative(wrong.view());
  resumed.restore(negative);
  EXPECT_FALSE(negative.done());
}

}  // namespace
}  // namespace rota
