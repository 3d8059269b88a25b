#include "apps/kmeans/progress.h"

#include "rota/fields.h"

namespace rota::kmeans {
namespace {

Talk talk_of(std::uint64_t moved, double inertia) {
  Talk talk;
  talk.moved = moved;
  talk.inertia = inertia;
  return talk;
}

Progress progress_of(double tolerance, std::uint32_t restarts = 1, std::uint64_t most_epochs = 300) {
  return Progress({.restarts = restarts, .tolerance = tolerance, .most_epochs = most_epochs});
}

TEST(Progress, WithoutAToleranceOnlyRowsThatStayEndTheJob) {
  Progress progress = progress_of(0);
  for (int i = 0; i < 3; ++i) {
    progress.add(talk_of(i == 2 ? 0 : 5, 10));
    EXPECT_FALSE(progress.converged());
  }
  EXPECT_EQ(progress.step(), Step::sum);  // the sums were updated by differences: are they right?
  progress.add(talk_of(0, 10));
  EXPECT_TRUE(progress.converged());
}

TEST(Progress, WithOneALittleFallDoesAlsoAfterARestore) {
  Progress progress = progress_of(0.1);
  progress.add(talk_of(5, 100));
  progress.add(talk_of(5, 89));
  EXPECT_EQ(progress.step(), Step::change);
  Writer out;
  write_fields(out, progress);
  Progress restored = progress_of(0.1);
  Reader in(out.view());
  FieldReader list(in);
  list(restored);
  EXPECT_TRUE(in.done());
  restored.add(talk_of(5, 81));
  EXPECT_EQ(restored.step(), Step::sum);
  restored.add(talk_of(4, 80));
  EXPECT_TRUE(restored.converged());
}

TEST(Progress, NotWhileThereIsARowForAnEmptyCluster) {
  Progress progress = progress_of(0.1);
  Talk talk = talk_of(0, 10);
  talk.candidates.resize(1);
  progress.add(talk);
  progress.add(talk);
  EXPECT_EQ(progress.step(), Step::change);
}

TEST(Progress, SumsAreMadeAgainEveryTenthEpochAndInTheLast) {
  Progress progress = progress_of(0, 1, 25);
  std::vector<int> made;
  for (int epoch = 1; progress.step() != Step::end; ++epoch) {
    if (progress.step() != Step::change) made.push_back(epoch);
    progress.add(talk_of(5, 100.0 / epoch));
  }
  EXPECT_EQ(made, (std::vector<int>{1, 11, 21, 25}));
  EXPECT_FALSE(progress.converged());
}

TEST(Progress, OfSeveralStartsTheBestIsTheModel) {
  for (const double last : {1.0, 9.0}) {
    Progress progress = progress_of(0, 2, 2);
    progress.add(talk_of(0, 5));  // at once
    EXPECT_EQ(progress.step(), Step::start);
    progress.add(talk_of(5, last + 1));
    progress.add(talk_of(5, last));
    if (last > 5) {
      EXPECT_EQ(progress.step(), Step::recall);
      EXPECT_FALSE(progress.converged());
      progress.add(talk_of(0, 5));
    }
    EXPECT_EQ(progress.step(), Step::end);
    EXPECT_EQ(progress.converged(), last > 5);  // whether the best of them did
  }
}

}  // namespace
}  // namespace rota::kmeans
