// cli/web/run_list.h -- the runs that are shown: one folder's, those in a folder, or one that only its coordinator
// tells of.
#pragma once
#include <deque>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "cli/web/live_run.h"
#include "core/base/status.h"

namespace rota {

// Any thread.
class RunList {
 public:
  // `what`: the folder of a run, a folder with the folders of runs, also of runs that will be there later, or the
  // address of a coordinator, for which `keys` may be needed.  ExitCode::no_input if there is no such folder.
  static Result<std::unique_ptr<RunList>> open(const std::string& what, const std::filesystem::path& keys);

  // {"runs": [...]}: each as SeenRun::brief() has it, the one that changed last first; "left_out": what is no run that
  // can be shown, and why.
  Json all();
  // Nothing if there is no such run.
  std::shared_ptr<LiveRun> find(const std::string& name);
  // The folder of a run; nothing if there is no such run, or it has none here.
  std::optional<std::filesystem::path> folder(const std::string& name) const;

 private:
  struct Place {
    std::string name;  // as it is shown
    std::filesystem::path folder;
  };

  explicit RunList(std::filesystem::path root) : root_(std::move(root)) {}
  std::vector<Place> places(std::vector<std::string>& left_out) const;
  std::shared_ptr<LiveRun> open_run(const Place& place);

  const std::filesystem::path root_;  // with links resolved; "": a coordinator's
  std::string remote_name_;
  std::shared_ptr<LiveRun> remote_;
  std::mutex mutex_;
  std::deque<std::pair<std::filesystem::path, std::shared_ptr<LiveRun>>> open_;  // the newest use first
  // Of runs that have ended: their files do not change, as long as they are as large and as old.
  struct Ended {
    std::string stamp;
    Json brief;
  };
  std::map<std::filesystem::path, Ended> ended_;
};

// A run of those that were named.
struct NamedRun {
  std::shared_ptr<RunList> list;
  std::string name;   // in its list
  std::string shown;  // which no other of them has
};
// The runs in these folders, at least one in each, those of a folder by name.  ExitCode::no_input if one has none;
// usage for an address, and for more runs than `most`.  `what` is made from them: "report".
Result<std::vector<NamedRun>> runs_in(const std::vector<std::string>& folders, const std::string& what,
                                      std::size_t most);

// Whether a path, with links resolved, is in a folder (with links resolved) or is the folder.
bool is_within(const std::filesystem::path& folder, const std::filesystem::path& path);

}  // namespace rota
