// tests/unit/cli/web/run_files.h -- the files of a run, as far as those who look at runs read them.
#pragma once
#include <sys/file.h>

#include "cli/web/folder_run.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {

class RunFiles : public TemporaryFolder {
 protected:
  void append(const std::string& name, const std::string& line) {
    std::filesystem::create_directories((folder / name).parent_path());
    std::ofstream(folder / name, std::ios::binary | std::ios::app) << line << '\n';
  }
  // An epoch in both files.
  void add_epoch(const std::string& run, int epoch) {
    const std::string fields = "\"epoch\":" + std::to_string(epoch) +
                               ",\"epochs\":10,\"seconds\":" + std::to_string(epoch) +
                               ".5,\"objective\":" + std::to_string(epoch - 100) + ".25}";
    append(run + "/metrics.jsonl", "{" + fields);
    append(run + "/events.jsonl", "{\"event\":\"epoch\",\"time\":" + std::to_string(1000 + epoch) + ".5," + fields);
  }
  void make_run(const std::string& run, int epochs) {
    write(run + "/flags.txt",
          "--app=lda\n--workers=2\n--threads=1\n--shards=8\n--epochs=10\n--input=/data/caf\xe9=1\n");
    append(run + "/events.jsonl", R"({"event":"joined","time":1000,"role":"worker-0","pid":"7","host":"a"})");
    append(run + "/events.jsonl", R"({"event":"hosts","time":1000,"role":"worker-0","shards":"0 to 3"})");
    append(run + "/events.jsonl", R"({"event":"hosts","time":1000,"role":"worker-1","shards":"4 to 7"})");
    append(run + "/events.jsonl", R"({"event":"phase","time":1000,"phase":"training"})");
    for (int epoch = 1; epoch <= epochs; ++epoch) add_epoch(run, epoch);
    append(run + "/events.jsonl", R"({"event":"checkpoint","time":1003,"epoch":"2","hash":"ab"})");
  }
  // As a coordinator holds it while it runs.
  FileDescriptor hold(const std::string& run) {
    auto fd = open_file(write(run + "/checkpoint/lock", ""), O_RDWR);
    EXPECT_TRUE(fd.ok() && ::flock(fd->get(), LOCK_EX | LOCK_NB) == 0);
    return *std::move(fd);
  }
  static std::string state(FolderRun& run) {
    run.update();
    return run.brief()["state"];
  }
};

}  // namespace rota
