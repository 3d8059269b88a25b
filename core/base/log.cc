#include "core/base/log.h"

#include <fcntl.h>
#include <glog/logging.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/base/files.h"
#include "rota/utf8.h"

namespace rota {

namespace {

// glog names its own files after program, host, user, time and number; a run's folder has one name for each role.
class FileSink final : public google::LogSink {
 public:
  explicit FileSink(FileDescriptor fd) : fd_(std::move(fd)) {}

  using google::LogSink::send;
  void send(google::LogSeverity severity, const char*, const char* file, int line, const google::LogMessageTime& time,
            const char* message, std::size_t size) override {
    const std::string text = ToString(severity, file, line, time, message, size) + "\n";
    // A log that cannot be written is no reason to stop.
    [[maybe_unused]] const ssize_t written = ::write(fd_.get(), text.data(), text.size());
  }

 private:
  FileDescriptor fd_;
};

bool same_file(int a, int b) {
  struct stat first = {}, second = {};
  return ::fstat(a, &first) == 0 && ::fstat(b, &second) == 0 && first.st_dev == second.st_dev &&
         first.st_ino == second.st_ino;
}

// Lines are UTF-8, and what could end or hide one is shown.
std::string one_line(const std::string& text) {
  std::string line;
  for (const char c : visible_text(text)) c == '\n' ? line += "\\n" : line += c;
  return line;
}

int descriptor = -1;

void write(google::LogSeverity severity, const std::string& line, const std::source_location& at) {
  google::LogMessage(at.file_name(), static_cast<int>(at.line()), severity).stream() << one_line(line);
}

}  // namespace

Status init_log(std::string_view process, const std::filesystem::path& folder) {
  ROTA_TRY(make_folder(folder));
  const auto file = folder / (std::string(process) + ".log");
  ROTA_ASSIGN(FileDescriptor fd, open_file(file, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW));

  // Under `rota train` stderr is the log file already, so that a crash report is found there.
  const bool same = same_file(fd.get(), STDERR_FILENO);
  FLAGS_stderrthreshold = same ? google::NUM_SEVERITIES : google::GLOG_WARNING;
  descriptor = same ? -1 : fd.get();
  for (google::LogSeverity severity = 0; severity < google::NUM_SEVERITIES; ++severity)
    google::SetLogDestination(severity, "");
  static std::string name;  // glog keeps the pointer
  name = process;
  if (!google::IsGoogleLoggingInitialized()) google::InitGoogleLogging(name.c_str());
  // Both live as long as the process: a thread may log until the very end.
  google::AddLogSink(new FileSink(std::move(fd)));
  return {};
}

int log_descriptor() {
  return descriptor;
}

void log_info(const std::string& line, std::source_location at) {
  write(google::GLOG_INFO, line, at);
}
void log_warning(const std::string& line, std::source_location at) {
  write(google::GLOG_WARNING, line, at);
}
void log_error(const std::string& line, std::source_location at) {
  write(google::GLOG_ERROR, line, at);
}

std::string log_value(std::string_view value) {
  if (!value.empty() && value.find_first_of(" \"\\\n\t=") == value.npos) return std::string(value);
  std::string quoted = "\"";
  for (const char c : value) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

}  // namespace rota
