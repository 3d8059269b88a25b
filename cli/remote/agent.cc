#include "cli/remote/agent.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <map>
#include <memory>
#include <system_error>

#include "cli/folders/private_folder.h"
#include "cli/processes/child.h"
#include "cli/remote/agent_messages.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/json_text.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr char kAgentFolderPrefix[] = "rota-agent-";
constexpr Nanoseconds kAgentPollSpan = kSecond;
constexpr Nanoseconds kGreetedSpan = 60 * kSecond;  // for a hello
constexpr Nanoseconds kAgentKillSpan = 5 * kSecond;
constexpr std::size_t kAgentLogLines = 10;
constexpr std::size_t kLogBytesMost = std::size_t{64} << 10;

// For this user alone; the folder around it is as well.
Status write_secret(const fs::path& file, const std::string& text) {
  const FileDescriptor fd(::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600));
  const int error = fd.open() ? write_all(fd.get(), std::as_bytes(std::span(text))) : errno;
  return error == 0 ? Status() : cannot_write(file, error);
}

class Agent {
 public:
  explicit Agent(fs::path folder) : folder_(std::move(folder)) {}
  ~Agent() { kill_all(); }

  Status serve() {
    ROTA_TRY(write_out(greeting()));
    received_at_ = now_ns();
    while (true) {
      std::array<pollfd, 2> waits{pollfd{signals_.fd(), POLLIN, 0}, pollfd{STDIN_FILENO, POLLIN, 0}};
      ::poll(waits.data(), waits.size(), static_cast<int>(kAgentPollSpan / kMillisecond));
      while (const int number = signals_.take())
        if (number != SIGCHLD) ROTA_TRY(leave());
      if (leaving_ && roles_.empty()) return {ExitCode::terminated, "terminated by a signal"};
      if (waits[1].revents != 0) {
        ROTA_ASSIGN(auto more, read_in());
        if (!more) return {};
      }
      ROTA_TRY(report_ended());
      if (now_ns() - received_at_ > silence_) return {ExitCode::temporary, "no message from the launcher for too long"};
    }
  }

 private:
  // A batch system takes the machine back: workers hand over their shards, as long as it lets them.
  Status leave() {
    if (leaving_) return {ExitCode::terminated, "terminated by a second signal"};
    leaving_ = true;
    ROTA_TRY(say({{"kind", "leaving"}}));
    for (auto& [start, child] : roles_) child->signal(SIGTERM);
    return {};
  }

  // False at the end of the launcher's messages.
  Result<bool> read_in() {
    std::array<char, 65536> block{};
    const ssize_t n = ::read(STDIN_FILENO, block.data(), block.size());
    if (n < 0 && (errno == EINTR || errno == EAGAIN)) return true;
    if (n <= 0) return false;
    received_at_ = now_ns();
    reader_.take({block.data(), static_cast<std::size_t>(n)});
    while (true) {
      ROTA_ASSIGN(auto message, reader_.next());
      if (!message) return true;
      if (Status taken = take(*message); !taken.ok()) return taken;
    }
  }

  Status take(const nlohmann::json& message) {
    const std::string kind = text_in(message, "kind");
    if (kind == "hello") {
      const double silence = number_in(message, "silence_ms", -1);
      if (!(silence > 0 && silence < 1e12)) return {ExitCode::bad_data, "a hello without a good silence_ms"};
      silence_ = static_cast<Nanoseconds>(silence) * kMillisecond;
      return {};
    }
    if (kind == "beat") return say({{"kind", "beat"}});
    const auto found = message.find("start");
    if (found == message.end() || !found->is_number_unsigned())
      return {ExitCode::bad_data, "a message of kind '" + kind + "' without a start"};
    const auto start = found->get<std::uint64_t>();
    if (kind == "signal") {
      const double number = number_in(message, "number", 0);
      if (!(number >= 1 && number <= 64)) return {ExitCode::bad_data, "a signal without a good number"};
      if (const auto role = roles_.find(start); role != roles_.end()) role->second->signal(static_cast<int>(number));
      return {};
    }
    if (kind != "start") return {ExitCode::bad_data, "a message of an unknown kind, '" + kind + "'"};
    if (roles_.contains(start)) return {ExitCode::bad_data, "a second start of that number"};
    if (leaving_) return say_ended(start, static_cast<int>(ExitCode::terminated) << 8, "being told to leave");
    ROTA_ASSIGN(auto wanted, role_start_of(message));
    auto child = start_role(wanted);
    if (!child.ok()) return say_ended(start, static_cast<int>(child.status().code()) << 8, child.status().what());
    const pid_t pid = (*child)->pid();
    roles_.emplace(start, std::move(child).value());
    return say({{"kind", "started"}, {"start", start}, {"pid", pid}});
  }

  Result<std::unique_ptr<Child>> start_role(const RoleStart& wanted) {
    const RunFolder named{wanted.run};
    const bool shares = is_marked(named, wanted.place);
    // Another run may be in a folder of that name here: then nothing of it is touched.
    const RunFolder run{shares ? named.path : named.own(run_of(wanted.place))};
    if (!shares) {
      ROTA_TRY(make_folder(named.path));
      ROTA_TRY(make_closed_folder(run.path));
    }
    ROTA_TRY(make_folder(run.log()));
    // Of this process alone: while another one is started, it may be reading them.
    RoleProcess process = wanted.process;
    const fs::path keys = folder_ / (process.name() + ".keys");
    process.flags = folder_ / (process.name() + ".flags");
    ROTA_TRY(write_secret(process.flags, wanted.flags));
    Child::Settings settings = settings_of(process, run);
    if (!wanted.keys.empty()) {
      std::error_code error;
      fs::create_directory(keys, error);
      fs::permissions(keys, fs::perms::owner_all, error);
      for (const auto& [file, text] : wanted.keys) ROTA_TRY(write_secret(keys / file, text));
      settings.arguments.push_back("--keys=" + keys.string());
    }
    if (!shares) {
      settings.arguments.push_back("--out=" + run.path.string());
      settings.arguments.push_back("--own_disk=" + run.path.string());
    }
    return Child::start(settings);
  }

  Status say_ended(std::uint64_t start, int status, const std::string& how, std::string words = "") {
    if (words.size() > kLogBytesMost) words.erase(0, words.size() - kLogBytesMost);
    return say({{"kind", "ended"}, {"start", start}, {"status", status}, {"how", how}, {"words", std::move(words)}});
  }

  Status report_ended() {
    for (auto at = roles_.begin(); at != roles_.end();) {
      const auto role = at++;
      Child& child = *role->second;
      if (!child.ended()) continue;
      const std::string words = child.status() == 0 ? "" : child.log_end(kAgentLogLines);
      ROTA_TRY(say_ended(role->first, child.status(), child.how(), words));
      roles_.erase(role);
    }
    return {};
  }

  Status say(const nlohmann::json& message) {
    auto line = line_of(message);
    return line.ok() ? write_out(*line) : std::move(line).status();
  }

  Status write_out(const std::string& bytes) {
    const int error = write_all(STDOUT_FILENO, std::as_bytes(std::span(bytes)));
    if (error == 0) return {};
    return {ExitCode::temporary, "the launcher is gone: " + std::generic_category().message(error)};
  }

  // By SIGKILL: a role that is asked to end stops the job, and this may be the loss of one machine only.
  void kill_all() {
    for (auto& [start, child] : roles_) child->signal(SIGKILL);
    const Nanoseconds until = now_ns() + kAgentKillSpan;
    const auto lives = [](auto& role) { return !role.second->ended(); };
    while (std::ranges::any_of(roles_, lives) && now_ns() < until) {
      signals_.wait(kAgentPollSpan);
      while (signals_.take() != 0) continue;
    }
  }

  fs::path folder_;
  Signals signals_;
  MessageReader reader_{MessageReader::Begins::at_once};
  std::map<std::uint64_t, std::unique_ptr<Child>> roles_;  // by the number of their start
  bool leaving_ = false;
  Nanoseconds received_at_ = 0;
  Nanoseconds silence_ = kGreetedSpan;
};

}  // namespace

Status serve_agent() {
  ::signal(SIGPIPE, SIG_IGN);
  ::fcntl(STDOUT_FILENO, F_SETFL, 0);  // what ssh left: a write waits for room
  ROTA_ASSIGN(auto folder, PrivateFolder::make(kAgentFolderPrefix));
  return Agent(folder.path()).serve();
}

}  // namespace rota
