// cli/remote/agent_connection.h -- the launcher's end of one agent: an ssh that runs it on another machine, and the
// processes that it started there.  cli/remote/agent.h has the messages.
#pragma once
#include <signal.h>

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cli/processes/child.h"
#include "cli/remote/agent_messages.h"
#include "cli/remote/hosts.h"
#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/status.h"

namespace rota {

class AgentConnection : public std::enable_shared_from_this<AgentConnection> {
 public:
  struct Settings {
    Machine machine;
    std::string ssh;  // the program, a name or a path: ssh, or what runs in its place
    std::vector<std::string> arguments;
    std::filesystem::path log;    // of what ssh prints
    std::string name;             // of that log
    Nanoseconds start_timeout;    // how long ssh and the agent may take to answer first
    Nanoseconds silence;          // after so long without an answer the agent is lost
    bool reached_before = false;  // if it fails now, it may work again later
  };

  // Starts ssh; whether it reaches an agent is known later.
  static Result<std::shared_ptr<AgentConnection>> open(const Settings& settings, Nanoseconds now);
  ~AgentConnection() { lose("it is not needed any more"); }

  // Starts a process, as soon as there is an agent.
  Result<std::unique_ptr<Child>> start(const RoleStart& what);

  // Lost connections never come back; their processes have ended.
  bool is_open() const { return socket_.open(); }
  bool greeted() const { return reader_.greeted(); }
  // To wait for; -1 if there is nothing to wait for.
  int fd() const { return closed_at_ == 0 ? socket_.get() : -1; }
  bool wants_to_write() const { return greeted() && !unsent_.empty(); }
  // Sends and takes what there is, and looks whether the agent is still there.
  void work(Nanoseconds now);
  // Closes the connection, upon which the agent ends.
  void finish();
  bool ssh_ended() { return ssh_->ended(); }
  void kill_ssh() { ssh_->signal(SIGKILL); }

 private:
  struct Role {
    std::uint64_t start = 0;
    pid_t pid = 0;
    bool ended = false;
    int status = 0;
    std::string how, words;
  };
  class RemoteChild;

  AgentConnection(const Settings& settings, std::unique_ptr<Child> ssh, FileDescriptor socket, Nanoseconds now)
      : settings_(settings), ssh_(std::move(ssh)), socket_(std::move(socket)), opened_at_(now), beat_at_(now) {}

  void say(const nlohmann::json& message);
  void signal(Role& role, int number);
  void read_in(Nanoseconds now);
  void take(const nlohmann::json& message);
  void look_at_time(Nanoseconds now);
  // Wants a sign of life within so long.
  void ask(Nanoseconds now, Nanoseconds most);
  void flush();
  // All its processes have ended; with `code` for good, however often they are started again.
  void lose(const std::string& why, std::optional<ExitCode> code = {});

  Settings settings_;
  std::unique_ptr<Child> ssh_;
  FileDescriptor socket_;
  MessageReader reader_{MessageReader::Begins::greeted};
  std::string unsent_;
  std::map<std::uint64_t, std::shared_ptr<Role>> roles_;
  std::uint64_t starts_ = 0;
  bool leaving_ = false;  // its machine was told to end
  Nanoseconds opened_at_ = 0;
  Nanoseconds beat_at_ = 0;    // the last one that was sent
  Nanoseconds answer_by_ = 0;  // when something has to have come; 0: nothing is owed
  Nanoseconds closed_at_ = 0;  // the agent or ssh closed its end
};

}  // namespace rota
