#include "core/runtime/own_usage.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace rota {

namespace {

constexpr std::string_view kCarriers = "ZMQbg/IO";  // so the names begin

}  // namespace

OwnUsage::OwnUsage() : statm_(::open("/proc/self/statm", O_RDONLY | O_CLOEXEC)) {
  std::error_code error;
  for (std::filesystem::directory_iterator at("/proc/self/task", error), end; !error && at != end;
       at.increment(error)) {
    std::string name;
    std::getline(std::ifstream(at->path() / "comm"), name);
    const std::string number = at->path().filename().string();
    int thread = 0;
    std::from_chars(number.data(), number.data() + number.size(), thread);
    if (name.starts_with(kCarriers)) threads_.push_back(thread);
  }
}

Outbox::Usage OwnUsage::read() const {
  Outbox::Usage usage;
  for (const int thread : threads_) usage.wire += processor_time_ns(thread);
  // Pages: all, resident, ...
  char text[128];
  const ssize_t bytes = ::pread(statm_.get(), text, sizeof text, 0);
  const std::string_view line(text, bytes > 0 ? static_cast<std::size_t>(bytes) : 0);
  const auto resident = line.substr(std::min(line.find(' '), line.size() - 1) + 1);
  std::uint64_t pages = 0;
  std::from_chars(resident.data(), resident.data() + resident.size(), pages);
  static const auto page_bytes = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  usage.memory = pages * page_bytes;
  usage.peak_memory = std::max(peak_memory(), usage.memory);
  return usage;
}

std::uint64_t peak_memory() {
  struct rusage usage = {};
  getrusage(RUSAGE_SELF, &usage);
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
}

}  // namespace rota
