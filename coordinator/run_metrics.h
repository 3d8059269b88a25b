// coordinator/run_metrics.h -- the metrics of a run, in Prometheus' text format, from the lines of its events.jsonl and
// nothing else.  These lines outlive processes, so no counter falls when a coordinator is restarted or a run resumed.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "core/records/assignment.h"

namespace rota {

// What follows the text format's version 0.0.4 in the header.
inline constexpr char kMetricsType[] = "text/plain; version=0.0.4; charset=utf-8";

class RunMetrics {
 public:
  // `workers` that the run begins with, so that their series are there from the start.  `started`: when this start of
  // the coordinator began, in seconds since 1970.
  RunMetrics(std::string app, std::uint32_t workers, double epochs, double started);

  // A line of events.jsonl, from the first on.  One that is no JSON object counts nothing.
  void take(std::string_view line);
  // Gauges without a value yet are NaN.
  std::string text() const;

 private:
  struct OfWorker {
    double compute_seconds = 0, wire_seconds = 0, wait_seconds = 0;
    double memory = 0, peak_memory = 0;
  };

  void take_epoch(const nlohmann::json& record);

  static constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

  std::string app_;
  double started_;
  std::string phase_ = "gathering";
  double epoch_ = 0, epochs_, epoch_time_ = 0, training_seconds_ = 0;  // the newest
  double objective_ = kUnknown, valid_ = kUnknown, items_per_second_ = 0;
  double checkpoint_ = 0, checkpoint_time_ = 0;
  std::map<std::string, double> terms_, figures_;
  std::map<std::string, OfWorker, ByNumber> workers_;  // all that ever hosted shards
  Assignment assignment_;                              // those that do so now
  double computed_ = 0, items_ = 0, sent_ = 0, slices_ = 0, exchanged_ = 0;
  double checkpoints_ = 0, lost_ = 0, rollbacks_ = 0, resumes_ = 0;
};

}  // namespace rota
