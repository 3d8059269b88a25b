#include "cli/remote/agent_connection.h"

#include <fcntl.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

#include "core/base/json_text.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr Nanoseconds kBeatSpan = 5 * kSecond;
constexpr Nanoseconds kKilledSpan = 5 * kSecond;  // for any answer, when something is to be killed
constexpr Nanoseconds kLastOutputSpan = kSecond;  // for ssh to print why it ends
constexpr Nanoseconds kSilenceLeast = 2 * kSecond;
constexpr Nanoseconds kAgentSilenceLeast = 60 * kSecond;
constexpr Nanoseconds kAgentSilence = 10;  // times that of the launcher: it may be stopped for a while (Ctrl-Z)
constexpr std::size_t kWordLines = 3;

}  // namespace

class AgentConnection::RemoteChild final : public Child {
 public:
  RemoteChild(std::string name, std::shared_ptr<AgentConnection> connection, std::shared_ptr<Role> role)
      : Child(std::move(name), {}), connection_(std::move(connection)), role_(std::move(role)) {}

  pid_t pid() const override { return role_->pid; }
  bool ended() override { return role_->ended; }
  void signal(int number) override { connection_->signal(*role_, number); }
  int status() const override { return role_->status; }
  std::string how() const override { return role_->how; }
  std::string log_end(std::size_t) const override { return role_->words; }

 private:
  std::shared_ptr<AgentConnection> connection_;
  std::shared_ptr<Role> role_;
};

Result<std::shared_ptr<AgentConnection>> AgentConnection::open(const Settings& settings, Nanoseconds now) {
  ROTA_ASSIGN(auto program, program_named(settings.ssh));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    return Status(ExitCode::failed, "no socket: " + std::generic_category().message(errno));
  FileDescriptor ours(ends[0]);
  const FileDescriptor theirs(ends[1]);
  ::fcntl(ours.get(), F_SETFL, O_NONBLOCK);
  Child::Settings child;
  child.name = settings.name;
  child.program = program;
  child.arguments = settings.arguments;
  child.log = settings.log;
  child.input = child.output = theirs.get();
  ROTA_ASSIGN(auto ssh, Child::start(child));
  std::shared_ptr<AgentConnection> connection(new AgentConnection(settings, std::move(ssh), std::move(ours), now));
  const Nanoseconds silence = std::max(kAgentSilence * settings.silence, kAgentSilenceLeast);
  connection->say({{"kind", "hello"}, {"silence_ms", silence / kMillisecond}});
  return connection;
}

Result<std::unique_ptr<Child>> AgentConnection::start(const RoleStart& what) {
  nlohmann::json message = json_of(what);
  message["kind"] = "start";
  message["start"] = ++starts_;
  ROTA_ASSIGN(auto line, line_of(message));
  auto role = std::make_shared<Role>();
  role->start = starts_;
  roles_[starts_] = role;
  unsent_ += line;
  flush();
  return std::unique_ptr<Child>(
      std::make_unique<RemoteChild>(what.process.name(), shared_from_this(), std::move(role)));
}

void AgentConnection::say(const nlohmann::json& message) {
  if (auto line = line_of(message); line.ok()) unsent_ += *line;
  flush();
}

void AgentConnection::signal(Role& role, int number) {
  if (role.ended || !is_open()) return;
  say({{"kind", "signal"}, {"start", role.start}, {"number", number}});
  // A process that is to be killed is mostly out of reach.
  if (number == SIGKILL && greeted()) ask(now_ns(), kKilledSpan);
}

void AgentConnection::flush() {
  while (is_open() && wants_to_write()) {
    const ssize_t n = ::send(socket_.get(), unsent_.data(), unsent_.size(), MSG_NOSIGNAL);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return;  // no room now; or read_in() will see that the agent is gone
    unsent_.erase(0, static_cast<std::size_t>(n));
  }
}

void AgentConnection::work(Nanoseconds now) {
  if (!is_open()) return;
  if (closed_at_ == 0) read_in(now);
  if (is_open()) flush();
  if (is_open()) look_at_time(now);
}

void AgentConnection::read_in(Nanoseconds now) {
  std::array<char, 65536> block{};
  while (is_open()) {
    const ssize_t n = ::recv(socket_.get(), block.data(), block.size(), 0);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) return;
    if (n <= 0) {
      closed_at_ = now;
      return;
    }
    answer_by_ = 0;
    reader_.take({block.data(), static_cast<std::size_t>(n)});
    while (is_open()) {
      auto message = reader_.next();
      if (!message.ok()) {
        const bool for_good = message.status().code() == ExitCode::wrong_version;
        return lose(message.status().what(), for_good ? std::optional(ExitCode::wrong_version) : std::nullopt);
      }
      if (!*message) break;
      take(**message);
    }
  }
}

void AgentConnection::take(const nlohmann::json& message) {
  const std::string kind = text_in(message, "kind");
  const auto number = [&](const char* field) {
    const double value = number_in(message, field, 0);
    return value >= 0 && value <= 4e9 ? static_cast<std::uint64_t>(value) : 0;
  };
  if (kind == "leaving") leaving_ = true;
  const auto found = roles_.find(number("start"));
  if (found == roles_.end()) return;
  Role& role = *found->second;
  if (kind == "started") role.pid = static_cast<pid_t>(number("pid"));
  if (kind != "ended") return;
  role.ended = true;
  role.status = static_cast<int>(number("status") & 0xffff);
  role.how = text_in(message, "how") + " on " + settings_.machine.target();
  role.words = text_in(message, "words");
  roles_.erase(found);
}

void AgentConnection::look_at_time(Nanoseconds now) {
  if (closed_at_ != 0) {
    if (!ssh_->ended() && now - closed_at_ < kLastOutputSpan) return;
    return lose(ssh_->ended() ? settings_.ssh + " ended with " + ssh_->how() : "it was closed");
  }
  if (!greeted()) {
    if (now - opened_at_ > settings_.start_timeout) lose("no answer");
    return;
  }
  if (answer_by_ != 0 && now > answer_by_) return lose("no answer");
  if (answer_by_ == 0 && now - beat_at_ > kBeatSpan) ask(now, std::max(settings_.silence, kSilenceLeast));
}

void AgentConnection::ask(Nanoseconds now, Nanoseconds most) {
  beat_at_ = now;
  answer_by_ = answer_by_ == 0 ? now + most : std::min(answer_by_, now + most);
  say({{"kind", "beat"}});
}

void AgentConnection::lose(const std::string& why, std::optional<ExitCode> code) {
  if (!is_open()) return;
  socket_.close();
  ssh_->signal(SIGTERM);  // srun ends its step then
  const bool later = greeted() || settings_.reached_before;
  std::string output = ssh_->log_end(kWordLines);
  if (!output.empty()) output = "; the end of " + settings_.log.string() + ":\n" + output;
  for (auto& [start, role] : roles_) {
    role->ended = true;
    const ExitCode ended = leaving_ ? ExitCode::terminated : code.value_or(ExitCode::failed);
    role->status = later && !code && !leaving_ ? SIGKILL : static_cast<int>(ended) << 8;
    role->how = (greeted() ? "the loss of the connection to " : "no agent on ") + settings_.machine.target() + ": " +
                why + output;
  }
  roles_.clear();
}

void AgentConnection::finish() {
  if (is_open()) ::shutdown(socket_.get(), SHUT_WR);
}

}  // namespace rota
