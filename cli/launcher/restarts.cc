#include "cli/launcher/restarts.h"

namespace rota {

namespace {

constexpr Nanoseconds kFirst = 200 * kMillisecond;

}  // namespace

std::optional<Nanoseconds> Restarts::next(const std::string& process, Nanoseconds now) {
  int& count = counts_[process];
  if (count == kMost) return std::nullopt;
  return now + (kFirst << count++);
}

int Restarts::count(const std::string& process) const {
  const auto found = counts_.find(process);
  return found == counts_.end() ? 0 : found->second;
}

}  // namespace rota
