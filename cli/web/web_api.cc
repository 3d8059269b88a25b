#include "cli/web/web_api.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "cli/web/model_text.h"
#include "cli/web/page_files.h"
#include "core/base/files.h"
#include "core/base/json_text.h"
#include "core/job/run_folder.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t kPoints = 2000, kPointsMost = 100'000;
constexpr std::uint64_t kLogBytes = 256 << 10;
constexpr const char* kText = "text/plain; charset=utf-8";
constexpr const char* kPageRules =
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

constexpr std::pair<std::string_view, const char*> kTypes[] = {{".html", "text/html; charset=utf-8"},
                                                               {".css", "text/css; charset=utf-8"},
                                                               {".js", "text/javascript; charset=utf-8"},
                                                               {".svg", "image/svg+xml"},
                                                               {".json", "application/json"},
                                                               {".txt", kText}};

HttpAnswer failed(int status, const std::string& why) {
  return {status, kText, why + "\n", {}, {}};
}

HttpAnswer json(std::string text) {
  return {200, "application/json", std::move(text), {}, {}};
}

// A number of the query, at most `most`; nothing if it is none.
std::optional<std::uint64_t> number(const HttpRequest& request, const char* name, std::uint64_t otherwise,
                                    std::uint64_t most = std::uint64_t{1} << 53) {
  const std::string text = request.value(name);
  if (text.empty()) return otherwise;
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return std::min(value, most);
}

HttpAnswer page(std::string_view name) {
  if (name.empty()) name = "index.html";
  const auto files = page_files();
  const auto found = std::ranges::find(files, name, &PageFile::name);
  if (found == files.end()) return failed(404, "there is no such page");
  const auto type = std::ranges::find_if(kTypes, [&](const auto& one) { return name.ends_with(one.first); });
  return {200,
          type == std::end(kTypes) ? "application/octet-stream" : type->second,
          std::string(found->text),
          {{"Content-Security-Policy", kPageRules}},
          {}};
}

HttpAnswer list_logs(const RunFolder& run) {
  std::vector<std::pair<std::string, std::uintmax_t>> logs;
  std::error_code error;
  for (fs::directory_iterator at(run.log(), error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    const std::string name = at->path().filename().string();
    if (RunFolder::is_of_log(name) && fs::is_regular_file(at->symlink_status(ignored)))
      logs.emplace_back(name, at->file_size(ignored));
  }
  std::ranges::sort(logs);
  Json all = Json::array();
  for (const auto& [name, bytes] : logs) all.push_back({{"name", name}, {"bytes", bytes}});
  return json(json_text(Json{{"logs", all}}));
}

HttpAnswer log_end(const RunFolder& run, const std::string& name, std::uint64_t bytes) {
  // Only these names, and no link: others could lead anywhere.
  if (!RunFolder::is_of_log(name)) return failed(404, "there is no such log");
  const auto fd = open_file(run.log() / name, O_RDONLY | O_NOFOLLOW);
  struct stat facts = {};
  if (!fd.ok() || ::fstat(fd->get(), &facts) != 0) return failed(404, "there is no such log");
  const auto size = static_cast<std::uint64_t>(facts.st_size);
  std::string text(static_cast<std::size_t>(std::min(size, bytes)), '\0');
  const std::ptrdiff_t n = read_at(fd->get(), std::as_writable_bytes(std::span(text)), size - text.size());
  text.resize(n < 0 ? 0 : static_cast<std::size_t>(n));
  if (size > bytes) text.erase(0, text.find('\n') + 1);  // half a line
  return {200, kText, std::move(text), {}, {}};
}

}  // namespace

HttpAnswer WebApi::run(const HttpRequest& request) {
  const auto points = number(request, "points", kPoints, kPointsMost);
  if (!points || *points < 2) return failed(400, "points is a number from 2");
  const auto run = runs_.find(request.value("name"));
  return run ? json(run->whole(*points)) : failed(404, "there is no such run");
}

HttpAnswer WebApi::follow(const HttpRequest& request) {
  const auto metrics = number(request, "metrics", 0), events = number(request, "events", 0);
  if (!metrics || !events) return failed(400, "metrics and events are numbers of lines");
  const auto run = runs_.find(request.value("name"));
  if (!run) return failed(404, "there is no such run");
  LiveRun::Position from;
  from.metrics = *metrics;
  from.events = *events;
  // A browser that lost its connection goes on where it was.
  if (const auto last = LiveRun::Position::from(request.last_event_id)) from = *last;
  HttpAnswer answer{200, "text/event-stream", "", {}, {}};
  try {
    answer.next_part = watchers_.watch(run, std::move(from));
  } catch (const std::system_error&) {
    return failed(503, "no thread is left to watch the run");
  }
  return answer;
}

HttpAnswer WebApi::model(const HttpRequest& request, const fs::path& folder) {
  const RunFolder its{folder};
  if (request.value("fresh").empty())
    return is_within(folder, its.model()) ? json(json_text(model_tables(its))) : json(R"({"epoch":null,"tables":[]})");
  const auto run = runs_.find(request.value("name"));
  if (!run || !is_within(folder, its.checkpoint())) return failed(404, "this run has no checkpoint yet");
  const Result<Json> fresh = fresh_.of(folder, run->brief()["app"].get<std::string>());
  if (fresh.ok()) return json(json_text(*fresh));
  return failed(fresh.status().code() == ExitCode::temporary ? 503 : 404, fresh.status().what());
}

HttpAnswer WebApi::similar(const HttpRequest& request, const fs::path& folder) {
  const auto run = runs_.find(request.value("name"));
  const RunFolder its{folder};
  std::error_code error;
  if (!run || !is_within(folder, fs::exists(its.model(), error) ? its.model() : its.checkpoint()))
    return failed(404, "this run has neither a model nor a checkpoint");
  const auto table = fresh_.similar(folder, run->brief()["app"].get<std::string>(), request.value("item"));
  if (table.ok()) return json(json_text(*table));
  return failed(table.status().code() == ExitCode::temporary ? 503 : 404, table.status().what());
}

HttpAnswer WebApi::answer(const HttpRequest& request) {
  const std::string& path = request.path;
  if (!path.starts_with("/api/")) return page(std::string_view(path).substr(1));
  if (path == "/api/runs") return json(json_text(runs_.all()));
  if (path == "/api/run") return run(request);
  if (path == "/api/follow") return follow(request);
  if (path != "/api/logs" && path != "/api/log" && path != "/api/model" && path != "/api/similar")
    return failed(404, "there is no such question");
  const auto folder = runs_.folder(request.value("name"));
  if (!folder) return failed(404, "there is no folder of such a run here");
  const RunFolder its{*folder};
  // The folders of logs and of the model may be links.
  if (path == "/api/model") return model(request, *folder);
  if (path == "/api/similar") return similar(request, *folder);
  if (!is_within(*folder, its.log())) return path == "/api/logs" ? json(R"({"logs":[]})") : failed(404, "no logs");
  if (path == "/api/logs") return list_logs(its);
  const auto tail = number(request, "tail", kLogBytes, kLogBytes);
  return tail ? log_end(its, request.value("file"), *tail) : failed(400, "tail is a number of bytes");
}

}  // namespace rota
