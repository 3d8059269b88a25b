#include "coordinator/run_metrics.h"

namespace rota {
namespace {

constexpr const char* kEpoch1 =
    R"({"event":"epoch","time":1003.5,"epoch":1,"epochs":20,"seconds":1.5,"objective":-12.25,"per_item":-1,)"
    R"("terms":{"log-likelihood":-12.25,"say \"no\"\n":0.1},"items":10,"items_unit":"tokens","items_per_second":7,)"
    R"("bytes_sent":300,"slice_bytes":200,"exchange_bytes":50,"workers":2,"compute_seconds":[1.25,0.5],)"
    R"("wire_seconds":[0.125,0.25],"memory_bytes":[7000,8000],"peak_memory_bytes":[9000,8000],)"
    R"("wait_seconds":[0.25,1],"slowest":"worker-0","waiting":0.1})";
constexpr const char* kEpoch2 =
    R"({"event":"epoch","time":1005,"epoch":2,"epochs":20,"seconds":3,"items":10,"items_per_second":6.5,)"
    R"("bytes_sent":100,"slice_bytes":0,"workers":2,"compute_seconds":[0.5,0.5],"wait_seconds":[0.5,0.5],)"
    R"("wire_seconds":[0.5,0],"memory_bytes":[7500,8000]})";

class RunMetricsTest : public testing::Test {
 protected:
  void hosts(std::initializer_list<const char*> workers) {
    for (const std::string worker : workers)
      metrics.take(R"({"event":"hosts","role":")" + worker + R"(","shards":"0 to 1"})");
  }
  // The value of a series, as the text has it; "" if it is not there.
  std::string of(const std::string& series) const {
    std::istringstream lines(metrics.text());
    for (std::string line; std::getline(lines, line);)
      if (line.starts_with(series + " ")) return line.substr(series.size() + 1);
    return "";
  }
  RunMetrics metrics{"lda", 2, 20, 999};
};

TEST_F(RunMetricsTest, AllSeriesAreThereFromTheStart) {
  EXPECT_EQ(of("rota_epoch"), "0");
  EXPECT_EQ(of("rota_epochs"), "20");
  EXPECT_EQ(of("rota_start_timestamp_seconds"), "999");
  EXPECT_EQ(of("rota_phase{phase=\"gathering\"}"), "1");
  EXPECT_EQ(of("rota_phase{phase=\"training\"}"), "0");
  EXPECT_EQ(of("rota_worker_compute_seconds_total{worker=\"worker-1\"}"), "0");
  EXPECT_EQ(of("rota_processes_lost_total"), "0");
  EXPECT_EQ(of("rota_objective"), "NaN") << "none was evaluated";
  EXPECT_EQ(of("rota_valid_score"), "NaN");
}

TEST_F(RunMetricsTest, EachMetricHasHelpAndTypeBeforeItsSeries) {
  metrics.take(kEpoch1);
  std::istringstream lines(metrics.text());
  std::string help, type, line;
  std::set<std::string> names;
  while (std::getline(lines, line)) {
    if (line.starts_with("# HELP ")) {
      help = line.substr(7, line.find(' ', 7) - 7);
      EXPECT_TRUE(names.insert(help).second) << help << " is there twice";
    } else if (line.starts_with("# TYPE ")) {
      type = line.substr(7);
      EXPECT_EQ(type, help + (help.ends_with("_total") ? " counter" : " gauge"));
    } else {
      EXPECT_EQ(line.substr(0, line.find_first_of(" {")), help);
    }
  }
  EXPECT_GE(names.size(), 25U);
}

TEST_F(RunMetricsTest, AnEpochIsCounted) {
  hosts({"worker-0", "worker-1"});
  metrics.take(R"({"event":"phase","phase":"training"})");
  metrics.take(kEpoch1);
  metrics.take(kEpoch2);
  EXPECT_EQ(of("rota_phase{phase=\"training\"}"), "1");
  EXPECT_EQ(of("rota_epoch"), "2");
  EXPECT_EQ(of("rota_epoch_timestamp_seconds"), "1005");
  EXPECT_EQ(of("rota_training_seconds"), "3");
  EXPECT_EQ(of("rota_objective"), "-12.25") << "of the newest that was evaluated";
  EXPECT_EQ(of("rota_term{name=\"log-likelihood\"}"), "-12.25");
  EXPECT_EQ(of("rota_term{name=\"say \\\"no\\\"\\n\"}"), "0.1");
  EXPECT_EQ(of("rota_items_per_second"), "6.5");
  EXPECT_EQ(of("rota_items_total"), "20");
  EXPECT_EQ(of("rota_sent_bytes_total"), "400");
  EXPECT_EQ(of("rota_slice_bytes_total"), "200");
  EXPECT_EQ(of("rota_exchange_bytes_total"), "50");
  EXPECT_EQ(of("rota_worker_compute_seconds_total{worker=\"worker-0\"}"), "1.75");
  EXPECT_EQ(of("rota_worker_wire_seconds_total{worker=\"worker-0\"}"), "0.625");
  EXPECT_EQ(of("rota_worker_wait_seconds_total{worker=\"worker-1\"}"), "1.5");
  EXPECT_EQ(of("rota_worker_memory_bytes{worker=\"worker-0\"}"), "7500") << "now";
  EXPECT_EQ(of("rota_worker_peak_memory_bytes{worker=\"worker-0\"}"), "9000");
}

// The arrays of an epoch have those workers that host shards, by number.
TEST_F(RunMetricsTest, TimesAreThoseOfTheWorkersThatHostShards) {
  hosts({"worker-0", "worker-1"});
  metrics.take(kEpoch1);
  metrics.take(R"({"event":"left","role":"worker-0"})");
  hosts({"worker-10", "worker-2"});
  metrics.take(kEpoch2);
  EXPECT_EQ(of("rota_workers"), "2");
  EXPECT_EQ(of("rota_worker_compute_seconds_total{worker=\"worker-0\"}"), "1.25");
  EXPECT_EQ(of("rota_worker_memory_bytes{worker=\"worker-0\"}"), "0") << "it has left";
  EXPECT_EQ(of("rota_worker_compute_seconds_total{worker=\"worker-2\"}"), "0.5");
  EXPECT_EQ(of("rota_worker_compute_seconds_total{worker=\"worker-10\"}"), "0.5");
  const std::string text = metrics.text();
  EXPECT_LT(text.find("worker-2\"}"), text.find("worker-10\"}"));
  hosts({"worker-2"});
  metrics.take(kEpoch2);
  EXPECT_EQ(of("rota_worker_compute_seconds_total{worker=\"worker-2\"}"), "0.5") << "not of these workers: not counted";
}

TEST_F(RunMetricsTest, CountersDoNotFallWhenEpochsAreComputedAgain) {
  hosts({"worker-0", "worker-1"});
  metrics.take(kEpoch1);
  metrics.take(R"({"event":"checkpoint","time":1004,"epoch":1,"hash":"00"})");
  metrics.take(kEpoch2);
  metrics.take(R"({"event":"lost","time":1006,"role":"worker-1","pid":7,"why":"it was lost"})");
  metrics.take(R"({"event":"rollback","time":1007,"to":"the checkpoint of epoch 1","epoch":1})");
  EXPECT_EQ(of("rota_epoch"), "1");
  EXPECT_EQ(of("rota_checkpoint_epoch"), "1");
  EXPECT_EQ(of("rota_checkpoint_timestamp_seconds"), "1004");
  EXPECT_EQ(of("rota_processes_lost_total"), "1");
  EXPECT_EQ(of("rota_rollbacks_total"), "1");
  EXPECT_EQ(of("rota_items_total"), "20");
  metrics.take(kEpoch2);
  EXPECT_EQ(of("rota_epoch"), "2");
  EXPECT_EQ(of("rota_computed_epochs_total"), "3");
  EXPECT_EQ(of("rota_items_total"), "30");
  // The coordinator is started again.
  metrics.take(R"({"event":"phase","phase":"finishing"})");
  metrics.take(R"({"event":"resume","time":1100,"epoch":1})");
  EXPECT_EQ(of("rota_epoch"), "1");
  EXPECT_EQ(of("rota_phase{phase=\"gathering\"}"), "1");
  EXPECT_EQ(of("rota_resumes_total"), "1");
  EXPECT_EQ(of("rota_items_total"), "30");
  metrics.take(R"({"event":"resume_without_checkpoint","time":1200,"why":"damaged"})");
  EXPECT_EQ(of("rota_checkpoint_timestamp_seconds"), "0");
}

TEST_F(RunMetricsTest, WhatIsNoNumberAndWhatIsNoRecord) {
  hosts({"worker-0", "worker-1"});
  metrics.take(kEpoch1);
  for (const char* line : {"", "no json", "[1]", R"({"event":7})", R"({"event":"epoch","compute_seconds":3})",
                           R"({"event":"epoch","epoch":3,"objective":null,"valid":null,"terms":{"a":null},)"
                           R"("compute_seconds":[null,1],"wait_seconds":[]})"})
    metrics.take(line);
  EXPECT_EQ(of("rota_epoch"), "3");
  EXPECT_EQ(of("rota_objective"), "NaN");
  EXPECT_EQ(of("rota_valid_score"), "NaN");
  EXPECT_EQ(of("rota_term{name=\"a\"}"), "NaN");
  EXPECT_EQ(of("rota_worker_compute_seconds_total{worker=\"worker-0\"}"), "1.25");
  EXPECT_EQ(of("rota_worker_compute_seconds_total{worker=\"worker-1\"}"), "1.5");
}

}  // namespace
}  // namespace rota
