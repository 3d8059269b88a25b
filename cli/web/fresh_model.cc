#include "cli/web/fresh_model.h"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <cctype>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

#include "cli/web/model_text.h"
#include "core/base/files.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr Nanoseconds kBetween = 10 * kSecond, kBetweenItems = kSecond, kLimit = 60 * kSecond;
constexpr std::size_t kSaidMost = std::size_t{64} << 10;
constexpr int kLowest = 19;

struct Removed {
  fs::path folder;
  ~Removed() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
};

// Of a program that writes into these files; waits for its end.
Result<int> exit_code_of(const fs::path& program, std::vector<std::string> words, const fs::path& prints,
                         const fs::path& says) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, prints.c_str(), O_WRONLY | O_CREAT, 0600);
  ::posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, says.c_str(), O_WRONLY | O_CREAT, 0600);
  pid_t process = 0;
  const int error = ::posix_spawn(&process, program.c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return Status(ExitCode::temporary, std::string("cannot start: ") + std::strerror(error));
  ::setpriority(PRIO_PROCESS, static_cast<id_t>(process), kLowest);
  const Nanoseconds end = now_ns() + kLimit;
  bool late = false;
  for (int status = 0;;) {
    const pid_t ended = ::waitpid(process, &status, WNOHANG);
    if (late && ended != 0) return Status(ExitCode::temporary, "reading the model took longer than a minute");
    if (ended > 0) return WIFEXITED(status) ? WEXITSTATUS(status) : static_cast<int>(ExitCode::failed);
    if (ended < 0 && errno != EINTR) return Status(ExitCode::temporary, "the export was lost");
    if (!late && now_ns() > end) late = ::kill(process, SIGKILL) == 0;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
}

// Of "rota: ... newest checkpoint, epoch 7".
Json epoch_in(const std::string& said) {
  constexpr std::string_view kBefore = "newest checkpoint, epoch ";
  const auto at = said.find(kBefore);
  const char* const digits = said.c_str() + at + kBefore.size();
  if (at == said.npos || std::isdigit(static_cast<unsigned char>(*digits)) == 0) return {};
  return std::strtoull(digits, nullptr, 10);
}

// Runs `rota COMMAND APP --model=RUN WORD...`, which must end well; what it says on stderr.
Result<std::string> said_by(const fs::path& rota, const char* command, const std::string& app, const fs::path& run,
                            std::vector<std::string> more, const fs::path& folder, const fs::path& prints) {
  // An app by its path is foreign code, which is run only for who names it.
  if (app.empty() || app.find('/') != app.npos || app.starts_with('-'))
    return Status(ExitCode::usage, "this page shows models of installed apps only; see `rota show`");
  std::vector<std::string> words{"rota", command, app, "--model=" + run.string()};
  words.insert(words.end(), more.begin(), more.end());
  const fs::path says = folder / "stderr";
  ROTA_ASSIGN(const int code, exit_code_of(rota, std::move(words), prints, says));
  const auto read = read_whole_file(says, kSaidMost);
  std::string said = read.ok() ? *read : "";
  if (code == 0) return said;
  if (said.ends_with('\n')) said.pop_back();
  return Status(static_cast<ExitCode>(code), said.empty() ? "the model cannot be read" : said);
}

Result<Json> exported(const fs::path& rota, const fs::path& run, const std::string& app) {
  ROTA_ASSIGN(const auto folder, make_private_folder(fs::temp_directory_path(), "rota-web-"));
  const Removed removed{folder};
  const fs::path text = folder / "text";
  ROTA_ASSIGN(const std::string said,
              said_by(rota, "export", app, run, {"--output=" + text.string(), "--progress=none"}, folder, "/dev/null"));
  Json model = exported_tables(text);
  model["epoch"] = epoch_in(said);
  return model;
}

}  // namespace

Result<Json> FreshModel::of(const fs::path& run, const std::string& app) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  const Status busy(ExitCode::temporary, "a model is being read; try again in some seconds");
  if (!lock) return busy;
  if (newest_at_ > 0 && now_ns() - newest_at_ < kBetween) return run == newest_of_ ? newest_ : busy;
  newest_of_ = run;
  newest_ = exported(rota_, run, app);
  newest_at_ = now_ns();
  return newest_;
}

Result<Json> FreshModel::similar(const fs::path& run, const std::string& app, const std::string& item) {
  const std::unique_lock lock(mutex_, std::try_to_lock);
  if (!lock || (similar_at_ > 0 && now_ns() - similar_at_ < kBetweenItems))
    return Status(ExitCode::temporary, "a model is being read; try again in some seconds");
  ROTA_ASSIGN(const auto folder, make_private_folder(fs::temp_directory_path(), "rota-web-"));
  const Removed removed{folder};
  const fs::path table = folder / "similar.csv";
  const auto said = said_by(rota_, "similar", app, run, {"--item=" + item, "--top=30"}, folder, table);
  similar_at_ = now_ns();
  if (!said.ok()) return said.status();
  return table_of(table);
}

}  // namespace rota
