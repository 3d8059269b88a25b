#include "cli/remote/slurm.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

TEST(SlurmTest, CountsAreExpanded) {
  EXPECT_EQ(*expand_counts("2(x3),1"), (std::vector<std::size_t>{2, 2, 2, 1}));
  EXPECT_EQ(*expand_counts("8"), std::vector<std::size_t>{8});
  for (const char* wrong : {"x", "2(x", "2(3)", "-1", "2(x9999)", "1 2"})
    EXPECT_EQ(expand_counts(wrong).status().code(), ExitCode::usage) << wrong;
}

TEST(SlurmTest, AnAgentGetsTheCpusOfItsSlotsInItsGroup) {
  EXPECT_EQ(srun_arguments({.user = "", .name = "n3", .slots = 2, .group = 1}, 4, "/opt/my rota", {"agent"}),
            (std::vector<std::string>{"--overlap", "--mem=0", "--nodes=1", "--ntasks=1", "--cpus-per-task=8", "--quiet",
                                      "--nodelist=n3", "--het-group=1", "--", "/opt/my rota", "agent"}));
}

}  // namespace
}  // namespace rota
