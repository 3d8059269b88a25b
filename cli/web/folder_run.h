// cli/web/folder_run.h -- a run by the files of its folder, which are only read: the run does not notice.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cli/web/seen_run.h"
#include "core/job/run_folder.h"
#include "core/records/assignment.h"
#include "core/records/run_history.h"

namespace rota {

// Whether there is a run in a folder.
bool has_run(const std::filesystem::path& folder);

class FolderRun final : public SeenRun {
 public:
  // `name` is what it is called.
  FolderRun(RunFolder run, std::string name) : name_(std::move(name)), history_(run) {}

  bool update() override;
  std::size_t lines(Kind kind) const override { return places(kind).size(); }
  std::vector<std::string> read(Kind kind, std::span<const std::size_t> numbers) const override;
  std::string place_of(Kind kind, std::size_t number) const override;
  Json brief() const override;
  Json facts() const override;
  std::vector<std::string> problems() const override;

  const RunFolder& folder() const { return history_.folder; }

 private:
  // What the events have told so far.
  struct Told {
    std::size_t events = 0;  // that were read
    double first_time = 0;
    std::string phase;
    std::string version;  // of Rota, that ran it last; "": an earlier one did not say
    Assignment assignment;
    std::set<std::string> missing;
    nlohmann::json checkpoint, end;  // null: none
    std::int64_t slices = 0;
    std::uint64_t rollback_at = 0;  // its place; epochs before it may come again
  };

  const std::vector<LinePlace>& places(Kind kind) const;
  void take_event(const nlohmann::json& event);
  void read_files();
  std::pair<std::string, std::string> state() const;  // and its text

  std::string name_;
  RunHistory history_;
  Told told_;
  std::map<std::string, std::string> options_;     // of flags.txt
  double flags_changed_ = 0;                       // 0: there is none
  nlohmann::json result_, newest_, newest_epoch_;  // null: none
  bool result_is_damaged_ = false;
  std::string result_text_;
  std::optional<std::string> address_;
  bool is_held_ = false;  // by a coordinator, or by `rota`
  double changed_ = 0;
};

// Whether a process of this machine holds the lock of this file, as /proc/locks has it.
bool is_locked(const std::filesystem::path& file, const std::string& proc_locks);

}  // namespace rota
