#include "cli/processes/child.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include <boost/process/args.hpp>
#include <boost/process/child.hpp>
#include <boost/process/error.hpp>
#include <boost/process/exe.hpp>
#include <boost/process/extend.hpp>
#include <boost/process/posix.hpp>
#include <boost/process/search_path.hpp>
#include <cerrno>
#include <cstring>
#include <set>
#include <system_error>

#include "core/base/process_limits.h"
#include "core/job/plugin_host.h"

namespace rota {

namespace {

namespace process = boost::process;

// Runs in the child, between fork and exec: only what is safe there.
struct InChild : process::extend::handler {
  explicit InChild(pid_t starter) : parent(starter) {}

  template <typename Executor>
  void on_exec_setup(Executor&) const {
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    // The parent may have died before prctl; then there will be no signal.
    if (::getppid() != parent) ::_exit(127);
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::signal(SIGPIPE, SIG_DFL);  // which an agent ignores
  }

  pid_t parent;
};

// Those that a LocalChild will reap.
std::set<pid_t>& own_children() {
  static std::set<pid_t> own;
  return own;
}

// The kills for want of memory that are known: of all local children together, since each is the end of one.
std::uint64_t& known_kills() {
  static std::uint64_t count = killed_for_memory();
  return count;
}

class LocalChild final : public Child {
 public:
  LocalChild(const Settings& settings, process::child process)
      : Child(settings.name, settings.log), process_(std::move(process)) {
    own_children().insert(pid());
    known_kills();
  }
  ~LocalChild() override { own_children().erase(pid()); }

  pid_t pid() const override { return process_.id(); }
  bool ended() override {
    std::error_code error;
    if (ended_ || process_.running(error)) return ended_;
    ended_ = true;
    own_children().erase(pid());
    out_of_memory_ = killed() && WTERMSIG(status()) == SIGKILL && killed_for_memory() > known_kills();
    if (out_of_memory_) ++known_kills();
    return true;
  }
  void signal(int number) override {
    if (!ended()) ::kill(pid(), number);
  }
  int status() const override { return process_.native_exit_code(); }
  std::string how() const override { return Child::how() + (out_of_memory_ ? ", out of memory" : ""); }

 private:
  process::child process_;
  bool ended_ = false, out_of_memory_ = false;
};

}  // namespace

Result<std::filesystem::path> program_named(const std::string& name) {
  if (name.find('/') != name.npos) return std::filesystem::path(name);
  const auto found = process::search_path(name);
  if (found.empty()) return Status(ExitCode::usage, "there is no program '" + name + "'");
  return std::filesystem::path(found.string());
}

Result<std::unique_ptr<Child>> Child::start(const Settings& settings) {
  const FileDescriptor nothing(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  ROTA_ASSIGN(const auto log, open_file(settings.log, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW));
  if (!nothing.open()) return cannot_write("/dev/null", errno);
  const int input = settings.input >= 0 ? settings.input : nothing.get();
  const int output = settings.output >= 0 ? settings.output : log.get();
  std::error_code error;
  process::child started(process::exe = settings.program.string(), process::args = settings.arguments,
                         process::posix::fd.bind(STDIN_FILENO, input), process::posix::fd.bind(STDOUT_FILENO, output),
                         process::posix::fd.bind(STDERR_FILENO, log.get()), InChild(::getpid()), error);
  if (error) return Status(ExitCode::failed, "cannot start " + settings.program.string() + ": " + error.message());
  return std::unique_ptr<Child>(std::make_unique<LocalChild>(settings, std::move(started)));
}

void reap_adopted() {
  if (::getpid() != 1) return;
  siginfo_t ended = {};
  while (::waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) == 0 && ended.si_pid != 0 &&
         !own_children().contains(ended.si_pid)) {
    ::waitpid(ended.si_pid, nullptr, 0);
    ended = {};
  }
}

bool Child::killed() const {
  return WIFSIGNALED(status());
}

int Child::exit_code() const {
  return killed() ? 128 + WTERMSIG(status()) : WEXITSTATUS(status());
}

std::string Child::how() const {
  if (!killed()) return "exit code " + std::to_string(exit_code());
  const int number = WTERMSIG(status());
  return "signal " + std::to_string(number) + " (" + ::strsignal(number) + ")";
}

Child::Settings settings_of(const RoleProcess& process, const RunFolder& run) {
  Child::Settings settings;
  settings.name = process.name();
  settings.program = program_folder() / ("rota-" + process.role);
  settings.log = run.log(settings.name);
  settings.arguments = {"--flagfile=" + process.flags.string(), "--coordinator=" + process.coordinator,
                        "--index=" + std::to_string(process.index)};
  if (process.resume) settings.arguments.push_back("--resume");
  if (!process.joins.empty()) settings.arguments.push_back("--joins=" + process.joins);
  settings.arguments.insert(settings.arguments.end(), process.log_flags.begin(), process.log_flags.end());
  return settings;
}

}  // namespace rota
