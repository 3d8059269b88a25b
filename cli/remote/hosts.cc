#include "cli/remote/hosts.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <filesystem>
#include <ranges>
#include <regex>
#include <set>
#include <system_error>

#include "core/base/files.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kFileBytesMax = std::size_t{1} << 20;
constexpr std::size_t kMachinesMost = 1000;
constexpr std::size_t kSlotsMost = 10'000;
constexpr std::size_t kHostNameMost = 253;  // of the DNS

Status refused(std::string_view text, const std::string& why) {
  return {ExitCode::usage, "'" + visible_text(text) + "' is not a host: " + why};
}

Result<Machine> read_machine(std::string_view text) {
  // The user, a name, or in brackets an IPv6 address with its interface, the slots.
  static const std::regex kForm(R"((?:(\w[\w.-]*)@)?(?:(\w[\w.-]*)|\[(([\da-fA-F:.]+)(?:%\w[\w.-]*)?)\])(?::(\d+))?)",
                                std::regex::optimize);
  std::match_results<std::string_view::const_iterator> parts;
  if (text.size() > 3 * kHostNameMost || !std::regex_match(text.begin(), text.end(), parts, kForm))
    return refused(text, std::ranges::count(text, ':') > 1
                             ? "an IPv6 address wants brackets, [fd00::1]"
                             : "it is HOST, USER@HOST or HOST:SLOTS, of letters, digits, '.', '-' and '_'");
  Machine machine{.user = parts.str(1), .name = parts[2].matched ? parts.str(2) : parts.str(3)};
  if (std::max(machine.user.size(), machine.name.size()) > kHostNameMost)
    return refused(text, "a name has at most " + std::to_string(kHostNameMost) + " letters");
  if (in6_addr number = {}; parts[4].matched && ::inet_pton(AF_INET6, parts.str(4).c_str(), &number) != 1)
    return refused(text, "brackets are for IPv6 addresses, [fd00::1]");
  if (!parts[5].matched) return machine;
  const std::string digits = parts.str(5);
  const auto error = std::from_chars(digits.data(), digits.data() + digits.size(), machine.slots).ec;
  if (error != std::errc{} || machine.slots < 1 || machine.slots > kSlotsMost)
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

}  // namespace

Result<std::vector<Machine>> read_hosts(std::string_view text) {
  std::error_code ignored;
  const bool is_file = text.find('/') != text.npos || fs::is_regular_file(fs::path(text), ignored);
  std::string all(text);
  if (is_file) {
    ROTA_ASSIGN(all, read_whole_file(fs::path(text), kFileBytesMax));
  }
  std::vector<Machine> machines;
  std::set<std::string> seen;
  std::size_t number = 0;
  for (const auto part : std::views::split(all, is_file ? '\n' : ',')) {
    std::string_view one(part.begin(), part.end());
    ++number;
    if (is_file) one = trimmed(one.substr(0, one.find('#')));
    if (is_file && one.empty()) continue;
    if (Status added = add(one, machines, seen); !added.ok())
      return std::move(added).in(is_file ? std::string(text) + ":" + std::to_string(number) : "--hosts");
  }
  if (!machines.empty()) return machines;
  return is_file ? Status(ExitCode::usage, std::string(text) + ": it has no host") : refused(text, "it is empty");
}

Result<std::vector<std::string>> ssh_arguments(const Machine& machine, std::string_view rota,
                                               const std::vector<std::string>& words) {
  constexpr std::string_view kNotQuoted = "'\\!";  // of a meaning even between single quotes, to some shell
  const auto can_be_quoted = [&](std::string_view word) {
    return std::ranges::all_of(word,
                               [&](char c) { return c >= ' ' && c <= '~' && kNotQuoted.find(c) == kNotQuoted.npos; });
  };
  if (!rota.starts_with('/') || !can_be_quoted(rota))
    return Status(ExitCode::usage, "'" + visible_text(rota) +
                                       "' cannot be started on another machine: the path of `rota` there is absolute, "
                                       "in ASCII, without quotes, '\\' and '!' (--remote_rota=PATH)");
  std::string command = "exec '" + std::string(rota) + "'";
  for (const std::string& word : words) {
    if (!can_be_quoted(word))
      return Status(ExitCode::usage, "'" + visible_text(word) +
                                         "' cannot be passed to another machine: it is not ASCII without quotes, '\\' "
                                         "and '!'");
    const bool is_plain = !word.empty() && std::ranges::all_of(word, [](unsigned char c) {
      return std::isalnum(c) != 0 || std::string_view("-_./:=").find(static_cast<char>(c)) != std::string_view::npos;
    });
    command += is_plain ? " " + word : " '" + word + "'";
  }
  // No password is asked for, no terminal, and nothing of this machine is lent to the other.
  return std::vector<std::string>{"-T", "-a", "-x", "-o", "BatchMode=yes", "--", machine.target(), command};
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
