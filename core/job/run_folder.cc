#include "core/job/run_folder.h"

#include <array>
#include <charconv>

#include "core/base/files.h"

namespace rota {

namespace {

constexpr std::array<std::string_view, 5> kRoles = {"coordinator", "scheduler", "worker", "kvstore", "observer"};

bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

bool take_digits(std::string_view& text) {
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(end);
  return end > 0;
}

// "worker-0"
bool take_process(std::string_view& text) {
  for (const std::string_view role : kRoles)
    if (std::string_view rest = text; take(rest, role) && take(rest, "-") && take_digits(rest))
      return text = rest, true;
  return false;
}

}  // namespace

std::optional<std::string> RunFolder::read_address() const {
  constexpr std::size_t kBytesMost = 4096;
  const auto text = read_whole_file(address(), kBytesMost);
  return text.ok() ? std::optional(text->substr(0, text->find('\n'))) : std::nullopt;
}

std::uint64_t RunFolder::era_of(std::string_view name) {
  if (!take(name, "partition-") || !take_digits(name) || !take(name, ".era-")) return 0;
  std::uint64_t era = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), era);
  return error == std::errc{} ? era : 0;
}

bool RunFolder::is_partition_of(std::string_view file, std::uint32_t epoch, std::uint32_t partition) {
  if (!take(file, RunFolder{}.checkpoint(epoch).filename().string()) || !take(file, "/")) return false;
  return file == partition_file(partition) || file == partition_file(partition, era_of(file));
}

bool RunFolder::is_of_epoch(std::string_view name) {
  name = finished_name(name);
  if (name == kCommitRecord) return true;
  if (!take(name, "partition-") || !take_digits(name)) return false;
  if (take(name, ".era-") && !take_digits(name)) return false;
  if (!take(name, ".sst")) return false;
  return name.empty() || name == ".unfinished";
}

bool RunFolder::is_of_log(std::string_view name) {
  if (std::string_view rest = name; take(rest, "agent-") && take_digits(rest)) return rest == ".log";
  return take_process(name) && (name == ".log" || name == ".doing" || name == ".doing.before");
}

bool RunFolder::is_of_keys(std::string_view name) {
  for (const std::string_view role : kRoles)
    if (std::string_view rest = name; take(rest, role) && (rest == ".secret" || rest == ".public")) return true;
  return false;
}

bool RunFolder::is_socket(std::string_view name) {
  if (name == "coordinator") return true;
  if (!take_process(name)) return false;
  return name.empty() || (take(name, "-") && take_digits(name) && name.empty());
}

}  // namespace rota
