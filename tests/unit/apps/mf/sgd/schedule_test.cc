#include "apps/mf/sgd/schedule.h"

#include "rota/numerics/seed_mixer.h"

namespace rota::tests {
namespace {

using mf::MfSchedule;

Job job_of(std::uint32_t shards, std::uint32_t slices) {
  Job job;
  job.shards = shards;
  job.slices = slices;
  return job;
}

std::vector<Round> epoch_of(MfSchedule& schedule, std::uint64_t seed) {
  Random random = random_from(seed);
  std::vector<Round> rounds;
  do rounds.push_back(schedule.next(random));
  while (!rounds.back().ends_epoch);
  return rounds;
}

TEST(MixedCut, SlicesHaveAsManyRowsAndTheHeaviestAreApart) {
  const Cut cut = mf::mixed_cut({5, 90, 1, 80, 70, 2, 60, 50, 40}, 4);
  // By weight 1 3 4 6, back 7 8 0 5, and 2.
  EXPECT_EQ(cut.slices[0], (std::vector<Key>{1, 2, 5}));
  EXPECT_EQ(cut.slices[1], (std::vector<Key>{0, 3}));
  EXPECT_EQ(cut.slices[2], (std::vector<Key>{4, 8}));
  EXPECT_EQ(cut.slices[3], (std::vector<Key>{6, 7}));
}

TEST(MfSchedule, EveryShardVisitsEverySliceOnceAnEpoch) {
  for (const auto& [shards, slices] : {std::pair{1U, 2U}, {3U, 6U}, {4U, 16U}, {5U, 5U}}) {
    MfSchedule schedule(job_of(shards, slices), false);
    for (std::uint64_t epoch = 0; epoch < 3; ++epoch) {
      std::set<std::pair<ShardId, SliceId>> visited;
      std::vector<std::uint32_t> visits(slices);
      const std::vector<Round> rounds = epoch_of(schedule, epoch);
      EXPECT_EQ(rounds.size(), slices);
      for (const Round& round : rounds) {
        std::set<SliceId> held;
        for (ShardId s = 0; s < shards; ++s) {
          const SliceId b = round.owned[s].value();
          EXPECT_TRUE(held.insert(b).second);
          EXPECT_TRUE(visited.emplace(s, b).second);
          EXPECT_EQ(++visits[b] == shards, round.last_visits);
        }
      }
      EXPECT_EQ(visited.size(), std::size_t{shards} * slices);
    }
  }
}

TEST(MfSchedule, TwoPhasesGoAroundInOppositeDirectionsBeforeOthersBegin) {
  MfSchedule schedule(job_of(3, 9), false);
  const std::vector<Round> rounds = epoch_of(schedule, 1);
  const auto expect_phase = [&](std::size_t begin, std::size_t step, ShardId from) {
    for (std::size_t turn = 1; turn < 3; ++turn)
      for (ShardId s = 0; s < 3; ++s)
        EXPECT_EQ(rounds[begin + turn * step].owned[s], rounds[begin + (turn - 1) * step].owned[(s + from) % 3]);
  };
  expect_phase(0, 2, 1);
  expect_phase(1, 2, 2);
  expect_phase(6, 1, 1);
  EXPECT_NE(epoch_of(schedule, 2)[0].owned, rounds[0].owned);  // dealt again
}

}  // namespace
}  // namespace rota::tests
