// cli/launcher/restarts.h -- how often and when a process of a job that died is started anew.
#pragma once
#include <map>
#include <optional>
#include <string>

#include "core/base/clock.h"

namespace rota {

// What dies again and again without the run getting any further would die for ever.
class Restarts {
 public:
  // Of one process, without a new checkpoint meanwhile.
  static constexpr int kMost = 5;

  // The process is gone at `now`: when it is to be started again, a little later each time; nothing if it was started
  // often enough.
  std::optional<Nanoseconds> next(const std::string& process, Nanoseconds now);
  // The run has a new checkpoint: whatever died before did not keep it from that.
  void progress() { counts_.clear(); }
  // How often it was started again since the newest checkpoint.
  int count(const std::string& process) const;

 private:
  std::map<std::string, int> counts_;
};

}  // namespace rota
