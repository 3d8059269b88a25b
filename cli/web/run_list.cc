#include "cli/web/run_list.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <system_error>

#include "cli/web/folder_run.h"
#include "cli/web/remote_run.h"
#include "core/base/json_text.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kOpenMost = 32;  // runs whose files are kept open
constexpr std::size_t kRunsMost = 1000;
constexpr std::size_t kLeftOutMost = 20;

std::string shown_name(const fs::path& folder) {
  const std::string name = visible_text(folder.filename().native());
  return name.empty() ? "run" : name;
}

// Sizes and times of the files of a run, and whether a process is there.
std::string stamp_of(const fs::path& folder) {
  const RunFolder run{folder};
  std::string stamp;
  for (const fs::path& file : {run.events(), run.metrics(), run.result(), run.flags(), run.address()}) {
    struct stat facts = {};
    if (::stat(file.c_str(), &facts) == 0)
      stamp += std::to_string(facts.st_size) + "." + std::to_string(facts.st_mtim.tv_sec) + "." +
               std::to_string(facts.st_mtim.tv_nsec) + "." + std::to_string(facts.st_ino);
    stamp += '/';
  }
  return stamp;
}

double changed_in(const Json& brief) {
  const auto found = brief.find("changed");
  return found != brief.end() && found->is_number() ? found->get<double>() : 0;
}

}  // namespace

bool is_within(const fs::path& folder, const fs::path& path) {
  std::error_code error;
  const fs::path whole = fs::canonical(path, error);
  if (error) return false;
  const auto [end, at] = std::mismatch(folder.begin(), folder.end(), whole.begin(), whole.end());
  return end == folder.end();
}

Result<std::unique_ptr<RunList>> RunList::open(const std::string& what, const fs::path& keys) {
  if (what.find("://") != what.npos) {
    auto list = std::unique_ptr<RunList>(new RunList(""));
    list->remote_name_ = visible_text(what.substr(what.find("://") + 3));
    ROTA_ASSIGN(auto run, RemoteRun::open(what, keys, list->remote_name_));
    list->remote_ = std::make_shared<LiveRun>(std::move(run));
    return list;
  }
  std::error_code error;
  const fs::path root = fs::canonical(what, error);
  if (error) return Status(ExitCode::no_input, "there is no run in " + what + ": " + error.message());
  if (!fs::is_directory(root, error)) return Status(ExitCode::no_input, what + " is not the folder of a run");
  fs::directory_iterator readable(root, error);
  if (error) return Status(ExitCode::no_input, "cannot read " + what + ": " + error.message());
  return std::unique_ptr<RunList>(new RunList(root));
}

std::vector<RunList::Place> RunList::places(std::vector<std::string>& left_out) const {
  if (has_run(root_)) return {{shown_name(root_), root_}};
  std::vector<Place> places;
  std::error_code error;
  for (fs::directory_iterator at(root_, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (!fs::is_directory(at->path(), ignored) || !has_run(at->path())) continue;
    if (is_within(root_, at->path()))
      places.push_back({shown_name(at->path()), at->path()});
    else if (left_out.size() < kLeftOutMost)
      left_out.push_back(shown_name(at->path()) + ": a link that leads out of the folder");
  }
  std::ranges::sort(places, {}, &Place::name);
  return places;
}

std::shared_ptr<LiveRun> RunList::open_run(const Place& place) {
  const std::lock_guard lock(mutex_);
  auto found = std::ranges::find(open_, place.folder, [](const auto& one) { return one.first; });
  std::shared_ptr<LiveRun> run = found == open_.end() ? nullptr : found->second;
  if (found != open_.end()) open_.erase(found);
  if (!run) run = std::make_shared<LiveRun>(std::make_unique<FolderRun>(RunFolder{place.folder}, place.name));
  open_.emplace_front(place.folder, run);
  if (open_.size() > kOpenMost) open_.pop_back();
  return run;
}

Json RunList::all() {
  Json runs = Json::array();
  std::vector<std::string> left_out;
  if (remote_) {
    runs.push_back(remote_->brief());
    return {{"runs", runs}, {"left_out", left_out}};
  }
  std::vector<Place> all = places(left_out);
  if (all.size() > kRunsMost) {
    left_out.push_back(std::to_string(all.size() - kRunsMost) + " more runs: at most " + std::to_string(kRunsMost));
    all.resize(kRunsMost);
  }
  std::vector<Json> briefs;
  for (const Place& place : all) {
    const std::string stamp = stamp_of(place.folder);
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = ended_.find(place.folder); known != ended_.end() && known->second.stamp == stamp) {
        briefs.push_back(known->second.brief);
        briefs.back()["now"] = clock_seconds();
        continue;
      }
    }
    FolderRun run(RunFolder{place.folder}, place.name);
    run.update();
    briefs.push_back(run.brief());
    // Its result is there while `rota train` still writes the text of the model.
    const std::string state = briefs.back().value("state", "");
    const std::lock_guard lock(mutex_);
    if (state == "done" || state == "ended")
      ended_[place.folder] = {stamp, briefs.back()};
    else
      ended_.erase(place.folder);
  }
  std::ranges::stable_sort(briefs, std::ranges::greater(), changed_in);
  for (Json& brief : briefs) runs.push_back(std::move(brief));
  return {{"runs", runs}, {"left_out", left_out}};
}

std::shared_ptr<LiveRun> RunList::find(const std::string& name) {
  if (remote_) return name == remote_name_ ? remote_ : nullptr;
  const auto place = folder(name);
  return place ? open_run({name, *place}) : nullptr;
}

// The names are those of the folders that are there, so none leads elsewhere.
std::optional<fs::path> RunList::folder(const std::string& name) const {
  if (remote_) return std::nullopt;
  std::vector<std::string> left_out;
  const std::vector<Place> all = places(left_out);
  const auto found = std::ranges::find(all, name, &Place::name);
  return found == all.end() ? std::nullopt : std::optional(found->folder);
}

Result<std::vector<NamedRun>> runs_in(const std::vector<std::string>& folders, const std::string& what,
                                      std::size_t most) {
  std::vector<NamedRun> all;
  std::set<std::string> taken;
  for (const std::string& folder : folders) {
    if (folder.find("://") != folder.npos)
      return Status(ExitCode::usage, "a " + what + " is made from a run's folder, not from " + folder);
    ROTA_ASSIGN(const std::shared_ptr<RunList> list, RunList::open(folder, {}));
    const Json found = list->all();
    std::vector<std::string> names;
    for (const Json& run : found["runs"]) names.push_back(run["name"]);
    if (names.empty()) return Status(ExitCode::no_input, folder + ": there is no run here");
    // "topics 5" before "topics 10"
    std::ranges::sort(names, [](const auto& a, const auto& b) { return ::strverscmp(a.c_str(), b.c_str()) < 0; });
    for (const std::string& name : names) {
      std::string shown = name;
      for (int i = 2; !taken.insert(shown).second; ++i) shown = name + " (" + std::to_string(i) + ")";
      all.push_back({list, name, shown});
    }
  }
  if (all.size() <= most) return all;
  return Status(ExitCode::usage,
                std::to_string(all.size()) + " runs: a " + what + " has at most " + std::to_string(most));
}

}  // namespace rota
