// coordinator/metrics_server.h -- GET /metrics of a run, for Prometheus (--metrics).  On threads of its own, which read
// the run's events.jsonl and share nothing with the coordinator.
#pragma once
#include <memory>
#include <string>

#include "core/base/status.h"
#include "core/http/http_server.h"
#include "core/job/job_config.h"

namespace rota {

class MetricsServer {
 public:
  // `place`: "HOST", "HOST:PORT", "*:PORT".  Port 0, or none: any that is free.  ExitCode::usage if it cannot listen
  // there, temporary if there are no threads or descriptors for it.
  static Result<MetricsServer> start(const std::string& place, const JobConfig& config);

  // "http://127.0.0.1:9100/metrics"
  std::string address() const { return http_->url() + "metrics"; }

 private:
  explicit MetricsServer(std::unique_ptr<HttpServer> http) : http_(std::move(http)) {}

  std::unique_ptr<HttpServer> http_;
};

}  // namespace rota
