#include "cli/remote/hosts.h"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>

#include "core/base/files.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1} << 20;
constexpr std::size_t kMachinesMost = 1000;
constexpr std::size_t kSlotsMost = 10'000;
constexpr std::size_t kNameMost = 253;  // of the DNS

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

// Letters, digits, and what may stand between them.
bool is_word(std::string_view text) {
  if (text.empty() || text.size() > kNameMost || text.front() == '-' || text.front() == '.') return false;
  return std::ranges::all_of(text, [](char c) { return is_plain(c) || c == '.' || c == '-' || c == '_'; });
}

// A number of IPv6, maybe with the interface it belongs to.
bool is_six(std::string_view text) {
  const auto percent = std::min(text.find('%'), text.size());
  if (percent < text.size() && !is_word(text.substr(percent + 1))) return false;
  in6_addr number = {};
  return ::inet_pton(AF_INET6, std::string(text.substr(0, percent)).c_str(), &number) == 1;
}

Status refused(std::string_view text, std::string_view why) {
  return {ExitCode::usage, "'" + visible_text(text) + "' is no host: " + std::string(why)};
}

Result<Machine> read_machine(std::string_view text) {
  Machine machine;
  std::string_view rest = text;
  if (const auto at = rest.find('@'); at != rest.npos) {
    machine.user = rest.substr(0, at);
    if (!is_word(machine.user)) return refused(text, "a user's name has letters, digits, '.', '-' and '_'");
    rest.remove_prefix(at + 1);
  }
  if (rest.starts_with('[')) {
    const auto end = rest.find(']');
    if (end == rest.npos || !is_six(rest.substr(1, end - 1)))
      return refused(text, "brackets are for numbers of IPv6, [fd00::1]");
    machine.name = rest.substr(1, end - 1);
    rest.remove_prefix(end + 1);
  } else {
    const auto end = std::min(rest.find(':'), rest.size());
    machine.name = rest.substr(0, end);
    if (!is_word(machine.name))
      return refused(text, is_six(rest)
                               ? "a number of IPv6 wants brackets"
                               : "a name has letters, digits, '.', '-' and '_', and begins with no '-' or '.'");
    rest.remove_prefix(end);
  }
  if (rest.empty()) return machine;
  if (is_six(text)) return refused(text, "a number of IPv6 wants brackets");
  const std::string_view digits = rest.substr(1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), machine.slots);
  if (rest.front() != ':' || error != std::errc{} || end != digits.data() + digits.size() || machine.slots < 1 ||
      machine.slots > kSlotsMost)
    return refused(text, "after the name :SLOTS is a number of 1 to " + std::to_string(kSlotsMost));
  return machine;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto first = text.find_first_not_of(kBlanks);
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

Status add(std::string_view text, std::vector<Machine>& machines, std::set<std::string>& seen) {
  ROTA_ASSIGN(auto machine, read_machine(text));
  if (!seen.insert(machine.target()).second)
    return refused(text, "it is there already; " + machine.target() + ":N gives it more of the job");
  machines.push_back(std::move(machine));
  if (machines.size() > kMachinesMost)
    return {ExitCode::usage, "more than " + std::to_string(kMachinesMost) + " hosts"};
  return {};
}

Result<std::vector<Machine>> read_file(const fs::path& file) {
  ROTA_ASSIGN(auto text, read_whole_file(file, kFileBytesMax));
  std::vector<Machine> machines;
  std::set<std::string> seen;
  std::size_t number = 0;
  std::istringstream lines(text);
  for (std::string whole; std::getline(lines, whole); ++number) {
    const std::string_view line = trimmed(std::string_view(whole).substr(0, whole.find('#')));
    if (line.empty()) continue;
    if (Status added = add(line, machines, seen); !added.ok())
      return std::move(added).in(file.string() + ":" + std::to_string(number + 1));
  }
  if (machines.empty()) return Status(ExitCode::usage, file.string() + ": it has no host");
  return machines;
}

}  // namespace

Result<std::vector<Machine>> read_hosts(std::string_view text) {
  std::error_code ignored;
  if (text.find('/') != text.npos || fs::is_regular_file(fs::path(text), ignored)) return read_file(fs::path(text));
  std::vector<Machine> machines;
  std::set<std::string> seen;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    ROTA_TRY(add(text.substr(at, end - at), machines, seen).in("--hosts"));
    at = end + 1;
  }
  return machines;
}

Result<std::vector<std::string>> ssh_arguments(const Machine& machine, std::string_view rota) {
  constexpr std::string_view kNotQuoted = "'\\!";  // of a meaning even between single quotes, to some shell
  const bool can_be_quoted = rota.starts_with('/') && std::ranges::all_of(rota, [&](char c) {
                               return c >= ' ' && c <= '~' && kNotQuoted.find(c) == kNotQuoted.npos;
                             });
  if (!can_be_quoted)
    return Status(ExitCode::usage, "'" + visible_text(rota) +
                                       "' cannot be started on another machine: the path of `rota` there is absolute, "
                                       "in ASCII, without quotes, '\\' and '!' (--remote_rota=PATH)");
  // No password is asked for, no terminal, and nothing of this machine is lent to the other.
  return std::vector<std::string>{
      "-T", "-a", "-x", "-o", "BatchMode=yes", "--", machine.target(), "exec '" + std::string(rota) + "' agent"};
}

std::size_t slots_of(const std::vector<Machine>& machines) {
  std::size_t slots = 0;
  for (const Machine& machine : machines) slots += machine.slots;
  return slots;
}

std::size_t machine_of(const std::vector<Machine>& machines, std::size_t index, std::size_t count) {
  std::size_t slot = index * slots_of(machines) / count;
  std::size_t machine = 0;
  while (slot >= machines[machine].slots) slot -= machines[machine++].slots;
  return machine;
}

}  // namespace rota
