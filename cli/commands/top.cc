// rota top DIR|ADDRESS: a run on a terminal, until it ends.
#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "cli/commands/commands.h"
#include "cli/launcher/run_screen.h"
#include "cli/processes/child.h"
#include "cli/web/folder_run.h"
#include "cli/web/remote_run.h"
#include "core/base/flags.h"
#include "core/job/framework_options.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr Nanoseconds kDrawEvery = kSecond;
// Whether a run without a coordinator has ended, or is being restarted, is seen only after a while.
constexpr int kStaleMost = 10;

constexpr Option kTopOptions[] = {kKeysOption};

Result<std::unique_ptr<SeenRun>> run_named(const std::string& what, const fs::path& keys) {
  if (what.find("://") != what.npos) {
    ROTA_ASSIGN(auto run, RemoteRun::open(what, keys, visible_text(what)));
    return std::unique_ptr<SeenRun>(std::move(run));
  }
  if (!has_run(what)) return Status(ExitCode::no_input, what + ": there is no run here");
  return std::unique_ptr<SeenRun>(std::make_unique<FolderRun>(RunFolder{fs::path(what)}, visible_text(what)));
}

void print(const std::vector<std::string>& lines, const char* end) {
  std::string text;
  for (const std::string& line : lines) text += line + end;
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

// Redraws the screen until the run or the user ends it, and leaves what it showed last.
void follow(SeenRun& run) {
  const Signals signals;
  std::fputs("\033[?1049h\033[?25l", stdout);
  for (int stale = 0; stale < kStaleMost;) {
    run.update();
    winsize size{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0 || size.ws_row == 0)
      size.ws_col = 80, size.ws_row = 24;
    std::fputs("\033[H", stdout);
    print(run_screen(run, size.ws_col - 1U, size.ws_row - 1U), "\033[K\r\n");
    std::fputs("\033[J", stdout);
    std::fflush(stdout);
    const std::string state = run.brief()["state"];
    if (state == "done" || state == "ended") break;
    stale = state == "stale" ? stale + 1 : 0;
    signals.wait(kDrawEvery);
    if (const int number = signals.take(); number != 0 && number != SIGCHLD) break;
  }
  std::fputs("\033[?25h\033[?1049l", stdout);
}

Status top(const CommandLine& line) {
  ROTA_ASSIGN(const auto run, run_named(line.positional.front(), fs::path(line.options.text("keys"))));
  run->update();
  const bool is_terminal = ::isatty(STDOUT_FILENO) == 1;
  if (is_terminal) follow(*run);
  winsize size{};
  const bool has_size = is_terminal && ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  print(run_screen(*run, has_size ? size.ws_col : 1000, 0), "\n");
  return {};
}

}  // namespace

Status top_command(int argc, const char* const* argv) {
  return run_command(argc, argv,
                     {"top DIR|ADDRESS",
                      "Shows a run on a terminal, redrawn once a second until it ends or Ctrl-C.  Elsewhere than on a "
                      "terminal\nit prints the state once.",
                      "which run? rota top DIR, or the coordinator's address", kTopOptions},
                     top);
}

}  // namespace rota
