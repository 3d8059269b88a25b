#include "core/base/json_text.h"
#include "core/records/json_records.h"
#include "core/records/run_recorder.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

class RunRecorderTest : public TemporaryFolder {
 protected:
  JobConfig settings(std::map<std::string, std::string, std::less<>> options) {
    JobConfig settings;
    settings.app = "lda";
    settings.run = {folder / "run"};
    settings.options = Options(std::move(options));
    return settings;
  }
  std::shared_ptr<Recorder> open(const JobConfig& settings) {
    auto recorder = open_run_recorder(settings, std::nullopt);
    EXPECT_TRUE(recorder.ok()) << recorder.status().what();
    return *recorder;
  }
  std::vector<nlohmann::json> lines(const std::filesystem::path& file) {
    std::vector<nlohmann::json> all;
    std::istringstream text(read(file));
    for (std::string line; std::getline(text, line);) all.push_back(nlohmann::json::parse(line));
    return all;
  }
};

// A byte of Latin-1 in an event aborted the coordinator, and did so again at every resume.
TEST_F(RunRecorderTest, BytesThatAreNoUtf8AreShown) {
  auto its = settings({{"input", "/data/caf\xe9"}});
  its.app = "/plugins/\xff.so";
  const auto recorder = open(its);
  recorder->event("end", {{"exit", std::uint64_t{65}}, {"what", "caf\xe9:3: expected a count, found '\xe9'"}});
  EpochRecord epoch;
  epoch.epoch = 1;
  epoch.evaluated = true;
  epoch.terms = {{"t\xe9rm", 1}};
  epoch.figures = {{"dr\xe9wn", 2}};
  epoch.items_unit = "\xe9t\xe9s";
  recorder->epoch(epoch);
  epoch.epoch = 2;
  epoch.evaluated = false;
  recorder->epoch(epoch);
  EXPECT_TRUE(nlohmann::json::accept(recorder->status("worker-1", 2)));
  const auto events = lines(its.run.events());
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[0].at("exit"), 65) << "a number stays one";
  EXPECT_EQ(events[0].at("what"), "caf\\xe9:3: expected a count, found '\\xe9'");
  EXPECT_EQ(events[1].at("event"), "epoch");
  EXPECT_EQ(events[1].at("terms"), (nlohmann::json{{"t\\xe9rm", 1.0}}));
  EXPECT_EQ(events[2].at("epoch"), 2) << "those without an evaluation, too";
  const auto metrics = lines(its.run.metrics());
  ASSERT_EQ(metrics.size(), 1U);
  EXPECT_EQ(metrics[0].at("terms"), (nlohmann::json{{"t\\xe9rm", 1.0}}));
}

TEST_F(RunRecorderTest, WhatProgramsReadBackFromTheManifestIsExact) {
  const auto its = settings({{"input", "/data/caf\xe9"}, {"vocab", "/data/Straße"}, {"alpha", ""}});
  const auto recorder = open(its);
  ASSERT_TRUE(recorder->finish({}).ok());
  auto manifest = unseal(read(its.run.model() / RunFolder::kModelManifest), kCommitFormat);
  ASSERT_TRUE(manifest.ok()) << manifest.status().what();
  for (const auto& [name, value] : its.options.all())
    EXPECT_EQ(exact_text_of(manifest->at("options").at(name)), value) << name;
  EXPECT_EQ(nlohmann::json::parse(read(its.run.result())).at("options").at("input"), "/data/caf\\xe9");
}

}  // namespace
}  // namespace rota
