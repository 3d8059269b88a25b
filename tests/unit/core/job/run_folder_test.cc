#include "core/job/run_folder.h"

namespace rota {
namespace {

TEST(RunFolder, KnowsItsLogs) {
  for (const char* name : {"worker-0.log", "coordinator-0.log", "scheduler-12.log", "kvstore-3.log", "worker-1.doing",
                           "worker-1.doing.before", "agent-0.log"})
    EXPECT_TRUE(RunFolder::is_of_log(name)) << name;
  for (const char* name : {"", "worker.log", "worker-.log", "worker-0", "worker-0.log.old", "xworker-0.log",
                           "notes.log", "worker-0x.log", "worker-0.txt", "worker--0.log", "agent-0.doing", "agent.log",
                           "agent-0.log~", "worker-1.before", "worker-1.doing.before.before"})
    EXPECT_FALSE(RunFolder::is_of_log(name)) << name;
}

TEST(RunFolder, KnowsTheFilesOfAnEpoch) {
  for (const std::string& name :
       {std::string("commit.json"), std::string("commit.json.unfinished-a1B2c3"), RunFolder::partition_file(0),
        RunFolder::partition_file(17) + ".unfinished", RunFolder::partition_file(2, 5) + ".unfinished-a1B2c3",
        RunFolder::partition_file(3, 12)})
    EXPECT_TRUE(RunFolder::is_of_epoch(name)) << name;
  for (const char* name :
       {"", "commit.jsonx", "commit.json.1", "commit.json.backup", "commit.json.unfinished-",
        "commit.json.unfinished-a1B2c3d", "partition-.sst", "partition-0.sst.old", "partition-0.era-.sst",
        "partition-0.era-x.sst", "partition-0", "notes", "partition-0.sst.unfinished.", "my-partition-0.sst"})
    EXPECT_FALSE(RunFolder::is_of_epoch(name)) << name;
}

TEST(RunFolder, KnowsItsKeys) {
  for (const char* name : {"worker.secret", "coordinator.public", "observer.secret"})
    EXPECT_TRUE(RunFolder::is_of_keys(name)) << name;
  for (const char* name : {"", "worker", "worker.secret.old", "my.secret", "partition.secret", "worker-0.secret"})
    EXPECT_FALSE(RunFolder::is_of_keys(name)) << name;
}

}  // namespace
}  // namespace rota
