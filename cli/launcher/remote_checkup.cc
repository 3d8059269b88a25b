#include "cli/launcher/remote_checkup.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "cli/folders/private_folder.h"
#include "cli/processes/child.h"
#include "cli/remote/agent_connection.h"
#include "cli/remote/reach.h"
#include "core/base/clock.h"
#include "core/base/version.h"
#include "rota/utf8.h"

namespace rota {
namespace {

constexpr Nanoseconds kReachSpan = 5 * kSecond;
constexpr Nanoseconds kMachineSpan = 30 * kSecond;  // for all that another machine reports
constexpr Nanoseconds kSkewMost = 2 * kSecond;

}  // namespace

void CheckupReport::add(const std::string& machine, const Finding& finding) {
  static constexpr const char* kWords[] = {"good", "WARN", "FAIL"};
  line(machine, std::string(kWords[static_cast<int>(finding.kind)]) + "  " + finding.what);
  if (!finding.remedy.empty()) line(machine, "      -> " + finding.remedy);
  if (finding.kind == Finding::Kind::failure) failed(finding.code);
}

void CheckupReport::line(const std::string& machine, const std::string& text) {
  std::printf("%s%s\n", machine.empty() ? "" : (machine + ": ").c_str(), visible_text(text).c_str());
  std::fflush(stdout);
}

void CheckupReport::failed(ExitCode code) {
  if (code_ == ExitCode::ok) code_ = code;
}

Status CheckupReport::end() const {
  if (code_ == ExitCode::ok) return {};
  return {code_, "a run would end with exit code " + std::to_string(static_cast<int>(code_))};
}

Status examine_machine(const Network& network, std::size_t index, const std::string& folder, CheckupReport& report) {
  const Machine& machine = network.machines[index];
  ROTA_ASSIGN(const auto number, number_towards({machine.host(), kSshPort}));
  ROTA_ASSIGN(const auto port, OpenPort::at(number));
  std::vector<std::string> words{"doctor", "--from=" + port.address().text()};
  if (!folder.empty()) words.push_back(folder);
  ROTA_ASSIGN(const auto arguments, network.remote_arguments(index, words));
  ROTA_ASSIGN(const auto logs, PrivateFolder::make("rota-doctor-"));
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return {ExitCode::failed, "no pipe"};
  const FileDescriptor ours(ends[0]);
  FileDescriptor theirs(ends[1]);
  ROTA_ASSIGN(const auto program, program_named(network.ssh));
  ROTA_ASSIGN(auto child, Child::start({.name = machine.target(),
                                        .program = program,
                                        .arguments = arguments,
                                        .log = logs.path() / "log",
                                        .output = theirs.get()}));
  theirs.close();
  const Nanoseconds begin = now_ns();
  std::string unread;
  bool answered = false, same_version = false;
  while (true) {
    pollfd wait{ours.get(), POLLIN, 0};
    const Nanoseconds left = kMachineSpan - (now_ns() - begin);
    if (left <= 0 || ::poll(&wait, 1, static_cast<int>(left / kMillisecond)) == 0) {
      child->signal(SIGKILL);
      return {ExitCode::temporary, "no report within 30 s"};
    }
    std::array<char, 4096> block{};
    const ssize_t n = ::read(ours.get(), block.data(), block.size());
    if (n <= 0) break;
    unread.append(block.data(), static_cast<std::size_t>(n));
    for (std::size_t end; (end = unread.find('\n')) != unread.npos; unread.erase(0, end + 1)) {
      const std::string line = unread.substr(0, end);
      answered = true;
      if (line == std::string("version ") + kVersion) {
        same_version = true;
      } else if (line.starts_with("clock ")) {
        const Nanoseconds skew = wall_clock_ns() - std::atoll(line.c_str() + 6);
        if (std::abs(skew) > kSkewMost + (now_ns() - begin))
          report.add(machine.name, {Finding::Kind::warning,
                                    "its clock is " + std::to_string(skew / kSecond) + " s behind",
                                    "synchronise the clocks (chrony, ntpd): times in logs do not fit together",
                                    {}});
      } else if (line.starts_with("listens ")) {
        const auto address = tcp_address(line.substr(8));
        const Status reached = address.ok() ? reach(*address, kReachSpan) : address.status();
        if (!reached.ok())
          report.add(machine.name, {Finding::Kind::failure, "cannot be reached from here: " + reached.what(),
                                    "allow connections between the machines of a job, at any port", reached.code()});
        else
          report.add(machine.name, {Finding::Kind::good, "can be reached from here at " + address->text(), "", {}});
      } else {
        report.line(machine.name, line);
      }
    }
  }
  while (!child->ended()) ::usleep(10'000);
  if (!answered)
    return {ExitCode::failed, "no agent: " + network.ssh + " ended with " + child->how() + "; " + child->log_end(2)};
  if (!same_version)
    return {ExitCode::wrong_version, "another version of Rota than here: install " + std::string(kVersion) +
                                         " there, or name its path by --remote_rota"};
  if (child->exit_code() != 0) report.failed(static_cast<ExitCode>(child->exit_code()));
  return {};
}

// On another machine: first what the examining one checks itself.
Status answer_checkup(const std::string& from, CheckupReport& report) {
  std::printf("version %s\nclock %lld\n", kVersion, static_cast<long long>(wall_clock_ns()));
  ROTA_ASSIGN(const auto address, tcp_address(from));
  ROTA_ASSIGN(const auto number, number_towards(address));
  ROTA_ASSIGN(const auto port, OpenPort::at(number));
  std::printf("listens %s\n", port.address().text().c_str());
  std::fflush(stdout);
  if (const Status reached = reach(address, kReachSpan); !reached.ok())
    report.add("", {Finding::Kind::failure, "cannot reach the examining machine: " + reached.what(),
                    "allow connections between the machines of a job, at any port", reached.code()});
  ::usleep(500'000);  // until the other one has tried
  return {};
}

}  // namespace rota
