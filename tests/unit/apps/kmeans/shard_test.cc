#include "apps/kmeans/shard.h"

#include "tests/unit/apps/kmeans/plain_rows.h"

namespace rota::kmeans {
namespace {

using tests::Dense;
using tests::random_rows;
using tests::sparse;
using tests::table_of;

Bytes encoded(const Talk& talk) {
  Writer out;
  write_fields(out, talk);
  return Bytes::from(out.take());
}

// Some shards of one process, with the calls of the framework.
struct Process {
  Process(const Dense& data, std::uint32_t clusters, std::uint32_t count)
      : rows(data),
        all(std::make_shared<SharedCentres>(data[0].size(), clusters)),
        table((data[0].size() + 1) * clusters) {
    for (std::uint32_t s = 0; s < count; ++s) {
      Dense own;
      for (std::size_t r = s; r < data.size(); r += count) own.push_back(data[r]);
      shards.emplace_back(s, sparse(own), all);
    }
  }
  // All at once, or one by one, each the best of `draws` rows.
  void start(std::uint32_t draws) {
    const std::uint32_t clusters = all->clusters();
    for (std::uint32_t k = 0; k < clusters; k = draws == clusters ? clusters : k + 1) {
      std::vector<Bytes> notes, weighed;
      for (Shard& shard : shards)
        notes.push_back(encoded(shard.propose(k, k == 0 && draws < clusters ? 1 : draws, random)));
      const Talk won = Talk::combined(notes);
      ++round;
      for (Shard& shard : shards) shard.drawn({round, version}, k, won);
      if (draws == clusters) {
        for (const Candidate& each : won.candidates) chosen.insert({each.shard, each.row});
        return;
      }
      for (const Shard& shard : shards) weighed.push_back(encoded(shard.weigh()));
      const Talk sums = Talk::combined(weighed);
      for (Shard& shard : shards) shard.choose(k, sums);
      const auto best = std::min_element(sums.potentials.begin(), sums.potentials.end()) - sums.potentials.begin();
      const Candidate& taken = won.candidates[static_cast<std::size_t>(best)];
      chosen.insert({taken.shard, taken.row});
    }
  }
  // One of Lloyd's steps, and the talk of all shards after it.
  Talk epoch(Step step) {
    const auto before = all->at(version, table);
    std::vector<double> next = table;
    if (step != Step::change) next.assign(table.size(), 0);
    const std::uint32_t clusters = all->clusters();
    for (Shard& shard : shards)
      shard.move(step, before, [&](const Row& row, std::uint32_t from, std::uint32_t to) {
        for (std::size_t e = 0; e <= row.columns.size(); ++e) {
          const bool last = e == row.columns.size();
          const std::size_t key = last ? all->columns() : row.columns[e];
          if (from != kNone) next[key * clusters + from] -= last ? 1 : row.values[e];
          next[key * clusters + to] += last ? 1 : row.values[e];
        }
      });
    table = next;
    ++version;
    std::vector<Bytes> notes;
    for (const Shard& shard : shards) notes.push_back(encoded(shard.look(all->at(version, table))));
    const Talk talk = Talk::combined(notes);
    for (Shard& shard : shards) shard.relocate(talk, *all->at(version, table));
    return talk;
  }

  Dense rows;
  std::shared_ptr<SharedCentres> all;
  std::vector<Shard> shards;
  std::vector<double> table;
  std::uint64_t version = 0;
  RoundId round = 0;
  Random random{{1, 2, 3, 4}};
  std::set<std::pair<ShardId, std::uint32_t>> chosen;
};

TEST(Shard, LloydsStepsLowerTheInertiaToAFixedPoint) {
  for (const bool plusplus : {true, false}) {
    Process process(random_rows(120, 6, 3), 7, 4);
    process.start(plusplus ? 3 : 7);
    EXPECT_EQ(process.chosen.size(), 7U);
    double inertia = std::numeric_limits<double>::infinity();
    for (int epoch = 0;; ++epoch) {
      ASSERT_LT(epoch, 100);
      const Talk talk = process.epoch(epoch == 0 ? Step::start : Step::change);
      EXPECT_LE(talk.inertia, inertia * (1 + 1e-12));
      inertia = talk.inertia;
      if (talk.moved == 0) break;
    }
    // The sums that were brought up to date by differences are those of the members.
    std::vector<std::uint32_t> members(120);
    const auto centres = process.all->at(process.version, process.table);
    for (std::uint32_t s = 0; s < 4; ++s) {
      const Assignment& now = process.shards[s].assignment(centres);
      for (std::size_t r = 0; r < now.cluster.size(); ++r) members[r * 4 + s] = now.cluster[r];
    }
    const std::vector<double> fresh = table_of(process.rows, members, 6, 7);
    for (std::size_t i = 0; i < fresh.size(); ++i) EXPECT_NEAR(process.table[i], fresh[i], 1e-12);
  }
}

TEST(Shard, PlusplusPassesOverRowsThatAreCentresAlready) {
  Dense data(30, {1, 2, 3});
  data[4] = {5, 5, 5};
  data[17] = {0, 0, 9};
  Process process(data, 3, 2);
  process.start(2);
  EXPECT_TRUE(process.chosen.contains({0, 2}));
  EXPECT_TRUE(process.chosen.contains({1, 8}));
  EXPECT_EQ(process.epoch(Step::start).inertia, 0);
}

TEST(Shard, AnEmptyClusterGetsTheFarthestRow) {
  // Both starting centres are the same, so that the second has no rows.
  Process process({{0.0, 1}, {0.0, 1}, {0.0, 1}, {9.0, 1}, {1.0, 1}}, 2, 2);
  Talk same;
  same.wanted = 2;
  for (int i = 0; i < 2; ++i) same.candidates.push_back({0, 0, 0, {1}, {1}});
  for (Shard& shard : process.shards) shard.drawn({1, 0}, 0, same);
  const Talk talk = process.epoch(Step::start);
  ASSERT_EQ(talk.candidates.size(), 1U);
  EXPECT_EQ(talk.candidates[0].shard, 1U);  // row 3
  EXPECT_EQ(talk.candidates[0].row, 1U);
  const Talk then = process.epoch(Step::change);
  EXPECT_TRUE(then.candidates.empty());
  EXPECT_EQ(then.moved, 0U);
  const auto centres = process.all->at(process.version, process.table);
  EXPECT_EQ(centres->count(1), 1);
  EXPECT_EQ(centres->value(0, 1), 9);
}

TEST(Shard, FewerDifferentRowsThanClustersComeToAnEnd) {
  Process process(Dense(6, {0.1, 0.7}), 4, 2);
  process.start(3);
  const Talk talk = process.epoch(Step::start);
  EXPECT_EQ(talk.moved, 0U);
  EXPECT_TRUE(talk.candidates.empty());
  EXPECT_NEAR(talk.inertia, 0, 1e-30);
}

TEST(Shard, ARestoredOneContinuesAlike) {
  const Dense data = random_rows(40, 5, 9);
  Process process(data, 6, 1);
  process.start(6);
  (void)process.epoch(Step::start);
  Writer out;
  process.shards[0].save(out, process.all->at(process.version, process.table));
  Process other(data, 6, 1);
  other.table = process.table;
  other.version = 9;
  Reader in(out.view());
  other.shards[0].restore(in);
  ASSERT_TRUE(in.done());
  const Talk one = process.epoch(Step::change), two = other.epoch(Step::change);
  EXPECT_EQ(one.inertia, two.inertia);
  EXPECT_EQ(process.table, other.table);
  for (std::size_t size = 0; size < out.view().size(); ++size) {
    Reader cut(out.view().first(size));
    other.shards[0].restore(cut);
    EXPECT_FALSE(cut.done()) << size;
  }
}

}  // namespace
}  // namespace rota::kmeans
