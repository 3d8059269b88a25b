#include "apps/kmeans/progress.h"

#include <gtest/gtest.h>

namespace rota::kmeans {
namespace {

Talk said(std::uint64_t moved, double inertia) {
  Talk talk;
  talk.moved = moved;
  talk.inertia = inertia;
  return talk;
}

TEST(Progress, WithoutAToleranceOnlyRowsThatStayEndTheJob) {
  Progress progress(0);
  progress.add(said(5, 10));
  EXPECT_FALSE(progress.converged());
  progress.add(said(1, 10));
  EXPECT_FALSE(progress.converged());
  progress.add(said(0, 10));
  EXPECT_TRUE(progress.converged());
}

TEST(Progress, WithOneALittleFallDoesAlsoBehindARestore) {
  Progress progress(0.1);
  progress.add(said(5, 100));
  EXPECT_FALSE(progress.converged());
  progress.add(said(5, 89));
  EXPECT_FALSE(progress.converged());
  Writer out;
  progress.save(out);
  Progress restored(0.1);
  Reader in(out.view());
  restored.restore(in);
  EXPECT_TRUE(in.done());
  restored.add(said(5, 81));
  EXPECT_TRUE(restored.converged());
}

TEST(Progress, NotWhileThereIsARowForAnEmptyCluster) {
  Progress progress(0.1);
  Talk talk = said(0, 10);
  talk.candidates.resize(1);
  progress.add(talk);
  progress.add(talk);
  EXPECT_FALSE(progress.converged());
}

}  // namespace
}  // namespace rota::kmeans
