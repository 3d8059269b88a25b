#include "core/base/failpoint.h"

#include <signal.h>

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

class Failpoints : public TemporaryFolder {
 protected:
  ~Failpoints() override {
    unsetenv("ROTA_FAILPOINTS");
    unsetenv("ROTA_FAILPOINTS_ONCE");
    EXPECT_TRUE(arm_failpoints().ok());
  }
  static Status arm(const char* wanted) {
    setenv("ROTA_FAILPOINTS", wanted, 1);
    return arm_failpoints();
  }
};

TEST_F(Failpoints, AreOffByDefault) {
  ASSERT_TRUE(arm_failpoints().ok());
  EXPECT_FALSE(failpoints_are_armed);
  failpoint("file.opened", "era");
}

TEST_F(Failpoints, NamesAreDifferent) {
  EXPECT_EQ(std::set(kFailpoints.begin(), kFailpoints.end()).size(), kFailpoints.size());
}

TEST_F(Failpoints, InvalidSpecificationsAreErrors) {
  for (const char* wanted : {"file.open:1:kill", "file.opened", "file.opened:1", "file.opened:0:kill",
                             "file.opened:x:kill", "file.opened:1x:kill", "file.opened:1:die", "file.opened::kill",
                             "file.opened:1:kill,nothing:1:kill", ":1:kill", ":", ","}) {
    const Status status = arm(wanted);
    EXPECT_EQ(status.code(), ExitCode::usage) << wanted;
    EXPECT_NE(status.what().find("ROTA_FAILPOINTS"), std::string::npos) << wanted;
    EXPECT_FALSE(failpoints_are_armed) << wanted;
  }
}

TEST_F(Failpoints, KillsAtTheNthTimeOfItsNameAndFile) {
  ASSERT_TRUE(arm("file.synced@commit.json:2:kill").ok());
  failpoint("file.synced", "commit.json");
  failpoint("file.synced", "era");
  failpoint("file.renamed", "commit.json");
  EXPECT_EXIT(failpoint("file.synced", "commit.json"), ::testing::KilledBySignal(SIGKILL), "");
}

TEST_F(Failpoints, ActsOnceForAllProcesses) {
  setenv("ROTA_FAILPOINTS_ONCE", folder.c_str(), 1);
  ASSERT_TRUE(arm("model.linked:1:kill,result.written:1:kill").ok());
  EXPECT_EXIT(failpoint("model.linked"), ::testing::KilledBySignal(SIGKILL), "");
  EXPECT_TRUE(std::filesystem::exists(folder / "model.linked"));
  failpoint("model.linked");  // in the restarted process
  EXPECT_EXIT(failpoint("result.written"), ::testing::KilledBySignal(SIGKILL), "");
}

}  // namespace
}  // namespace rota
