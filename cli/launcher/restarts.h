// cli/launcher/restarts.h -- how often and when a process of a job that died is restarted.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "core/base/clock.h"

namespace rota {

// A process that dies again and again without progress of the run would do so for ever.
class Restarts {
 public:
  // Of one process, without a new checkpoint meanwhile.
  static constexpr int kMost = 5;
  static constexpr Nanoseconds kFirst = 200 * kMillisecond;

  // The process is gone at `now`: when it is to be started again, a little later each time; nothing if it was started
  // often enough.
  std::optional<Nanoseconds> next(const std::string& process, Nanoseconds now) {
    int& count = counts_[process];
    if (count == kMost) return std::nullopt;
    return now + (kFirst << count++);
  }
  // The run has a new checkpoint: earlier deaths did not prevent that.
  void progress() { counts_.clear(); }
  // How often it was started again since the newest checkpoint.
  int count(const std::string& process) const {
    const auto found = counts_.find(process);
    return found == counts_.end() ? 0 : found->second;
  }

 private:
  std::map<std::string, int> counts_;
};

}  // namespace rota
