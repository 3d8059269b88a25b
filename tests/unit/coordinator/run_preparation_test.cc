#include "tests/unit/coordinator/run_script.h"

namespace rota::tests {
namespace {

TEST(Coordinator, OptionsThatChangeNothingAreReported) {
  for (const bool changes : {true, false}) {
    RunPlan plan = small_plan();
    plan.asynchronous = true;
    plan.step_budget = 1;
    Script run(plan);
    CutMade cut = run.cut();
    if (!changes) cut.ignored = {{"asynchronous", "it is"}, {"step_budget_ms", "so"}, {"batch", "here"}};
    run.prepare({{"loss", Term::Kind::objective}}, cut);
    EXPECT_EQ(run.diary->has("not_reproducible"), changes);
    EXPECT_EQ(run.diary->has("warning what=--asynchronous changes nothing: it is"), !changes);
    EXPECT_EQ(run.diary->has("warning what=--step_budget_ms changes nothing: so"), !changes);
    EXPECT_EQ(run.diary->has("warning what=--batch changes nothing: here"), !changes);
    ASSERT_EQ(run.sent<CutMade>(kWorker).size(), 1U);
    EXPECT_TRUE(run.sent<CutMade>(kWorker)[0].ignored.empty()) << "workers have no use for it";
  }
}

TEST(Coordinator, SchedulesDecideWhetherTheJobConverged) {
  for (const std::optional<bool> converged : {std::optional<bool>(), std::optional(false), std::optional(true)}) {
    Script run;
    run.prepare();
    run.schedule(1, 1, false, converged);
    run.end_epoch(1);
    run.evaluate(1, 1);
    ASSERT_EQ(run.diary->epochs.size(), 1U);
    EXPECT_EQ(run.diary->epochs[0].converged, converged);
    run.save(1);
    ASSERT_EQ(run.diary->results.size(), 1U);
    EXPECT_EQ(run.diary->results[0].record.converged, converged);
    EXPECT_EQ(run.diary->has("warning"), converged == false);
  }
}

}  // namespace
}  // namespace rota::tests
