#include "coordinator/metrics_server.h"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <mutex>
#include <thread>

#include "coordinator/run_metrics.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/loopback.h"
#include "core/wire/address.h"

namespace rota {

namespace {

// Clients at a time, and the least time between two answers: what they cost is bounded, whatever they ask for.
constexpr unsigned kClients = 8;
constexpr Nanoseconds kAnswerSpan = 50 * kMillisecond;

class Answers {
 public:
  explicit Answers(const JobConfig& config)
      : metrics_(std::filesystem::path(config.app).stem().string(), config.workers, config.epochs,
                 seconds_of(wall_clock_ns())),
        events_(config.run.events()) {}

  HttpAnswer answer(const HttpRequest& request) {
    HttpAnswer answer;
    if (request.path != "/metrics") {
      answer.status = 404;
      answer.body = "metrics are at /metrics\n";
      return answer;
    }
    const std::scoped_lock lock(mutex_);
    std::this_thread::sleep_for(std::chrono::nanoseconds(std::max(Nanoseconds{0}, next_ - now_ns())));
    next_ = now_ns() + kAnswerSpan;
    events_.read([this](std::string_view line) { metrics_.take(line); });
    answer.type = kMetricsType;
    answer.body = metrics_.text();
    return answer;
  }

 private:
  std::mutex mutex_;
  RunMetrics metrics_;
  LineTail events_;
  Nanoseconds next_ = 0;
};

}  // namespace

Result<MetricsServer> MetricsServer::start(const std::string& place, const JobConfig& config) {
  ROTA_ASSIGN(const TcpAddress at, tcp_place(place).in("--metrics"));
  HttpOptions options;
  options.host = at.host == kAllInterfaces ? "0.0.0.0" : at.host;
  options.port = at.port;
  // A scraper has a name for this machine that is not known here, and no secret (docs/security.md).
  options.needs_token = false;
  options.any_host_header = !is_loopback(at.host);
  options.threads = kClients;
  options.streams = 0;
  auto answers = std::make_shared<Answers>(config);
  auto http = HttpServer::start(options, [answers](const HttpRequest& request) { return answers->answer(request); });
  if (!http.ok()) return Status(http.status().code(), "--metrics: " + http.status().what());
  return MetricsServer(*std::move(http));
}

}  // namespace rota
