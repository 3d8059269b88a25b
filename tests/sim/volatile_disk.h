// tests/sim/volatile_disk.h -- a disk of a simulated machine, which loses unsynced data when its power is cut.
//
// All changes are steps: bytes are written, a file is synced, a name is added or removed, a folder is synced.  Work on
// files runs at once in a simulation, but each step has the time at which it happens.  Processes see all steps of work
// as done, which is reported to them at its end; a process killed before the time of a step has not done it.
//
// After a power cut there are the names added or removed before their folder was synced, and the bytes written before
// their file was synced.  Of the rest, each name and each file's bytes are, by the seed, the old, the new, or the
// beginning of the new.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/base/clock.h"
#include "core/base/status.h"
#include "rota/bytes.h"

namespace rota::sim {

// The running work: its process and the time of its next step.  One for all disks of a cluster.
struct DiskWork {
  std::uint64_t life = 0;                                              // of the process
  Nanoseconds now = 0;                                                 // when the next step happens
  std::function<Nanoseconds()> takes = [] { return Nanoseconds{0}; };  // how long a sync takes
  std::function<bool()> full = [] { return false; };                   // whether there is no room for what is written
};

class VolatileDisk {
 public:
  using Content = std::vector<std::byte>;

  explicit VolatileDisk(std::shared_ptr<DiskWork> work = std::make_shared<DiskWork>()) : work_(std::move(work)) {}

  // "" if it is in none.
  static std::string folder_of(const std::string& path) {
    const auto slash = path.find('/');
    return slash == std::string::npos ? std::string() : path.substr(0, slash);
  }

  // ---- what processes do; a path is NAME or FOLDER/NAME ----

  // ExitCode::disk if it is full: then the half of the bytes is there.  Makes the file if need be.
  Status write(const std::string& path, std::uint64_t at, std::span<const std::byte> bytes) {
    const bool full = work_->full();
    if (full) bytes = bytes.first(bytes.size() / 2);
    do_step({.kind = Kind::write, .path = path, .at = at, .bytes = Content(bytes.begin(), bytes.end())});
    return full ? Status(ExitCode::disk, path + ": no space left on device") : Status();
  }
  void sync(const std::string& path) { do_sync({.kind = Kind::sync, .path = path}); }
  void sync_folder(const std::string& folder) { do_sync({.kind = Kind::sync_folder, .path = folder}); }
  void rename(const std::string& from, const std::string& to) {
    do_step({.kind = Kind::rename, .path = from, .to = to});
  }
  void remove(const std::string& path) { do_step({.kind = Kind::remove, .path = path}); }
  // As core/base/files.h does: its name is durable.
  Status make_folder(const std::string& folder) {
    if (seen_.names.contains(folder)) return {};
    if (work_->full()) return {ExitCode::cannot_write, folder + ": no space left on device"};
    do_step({.kind = Kind::make_folder, .path = folder});
    sync_folder("");
    return {};
  }
  // As core/base/files.h does.
  Status write_atomically(const std::string& path, std::span<const std::byte> bytes) {
    const std::string unfinished = path + ".unfinished-" + std::to_string(new_number());
    const Status status = write(unfinished, 0, bytes);
    if (!status.ok()) {
      remove(unfinished);
      return status;
    }
    sync(unfinished);
    rename(unfinished, path);
    sync_folder(folder_of(path));
    return {};
  }

  // Null if there is none of this name.
  const Content* find(const std::string& path) const { return seen_.find(path); }
  // For names that no file had before.
  std::uint64_t new_number() { return ++numbers_; }
  std::vector<std::string> names() const {
    std::vector<std::string> names;
    for (const auto& [name, file] : seen_.names) names.push_back(name);
    return names;
  }

  // ---- what happens to it ----

  // All processes for whose life `is_over` holds end now: steps that they have not done yet are dropped.
  void killed(Nanoseconds now, const std::function<bool(std::uint64_t life)>& is_over) {
    std::erase_if(steps_, [&](const Step& step) { return step.when > now && is_over(step.life); });
    seen_ = replay(
        now, [](const Step&) { return true; }, true);
  }
  // Power is cut; all processes that use this disk were killed before.  Returns how many names and files were lost.
  template <typename Random>
  std::size_t cut(Nanoseconds now, Random& random) {
    std::size_t lost = 0;
    const auto draws = [&](const Step&) {
      const bool left = random() % 2 == 0;
      lost += left ? 0 : 1;
      return left;
    };
    State left = replay(now, draws, false);
    for (auto& [number, file] : left.files) {
      if (file.content == file.synced) continue;
      ++lost;
      const auto draw = random() % 3;
      if (draw == 0) file.content = file.synced;
      if (draw == 1) file.content.resize(random() % (file.content.size() + 1));
      file.synced = file.content;
    }
    base_ = seen_ = std::move(left);
    steps_.clear();
    return lost;
  }
  // Whether this file has these bytes after any power cut at this point of the running work; `with_folder`: the name of
  // its folder may be lost too.
  bool keeps(const std::string& path, std::span<const std::byte> bytes, bool with_folder) const {
    for (const bool lucky : {false, true}) {
      const auto draws = [=](const Step& step) { return lucky || (step.kind == Kind::make_folder && !with_folder); };
      const State left = replay(work_->now, draws, false);
      const auto name = left.names.find(path);
      if (name == left.names.end()) return false;
      const File& file = left.files.at(name->second);
      const bool same = std::equal(file.synced.begin(), file.synced.end(), bytes.begin(), bytes.end());
      if (!same || file.content != file.synced) return false;
    }
    return true;
  }

 private:
  enum class Kind { write, sync, rename, remove, make_folder, sync_folder };
  struct Step {
    Kind kind;
    std::string path, to = {};
    std::uint64_t at = 0;
    Content bytes = {};
    std::uint64_t life = 0;
    Nanoseconds when = 0;
  };
  struct File {
    Content content, synced;
  };
  struct State {
    std::map<std::string, std::uint64_t> names;  // of files, and of folders, which have the number 0
    std::map<std::uint64_t, File> files;         // by number
    std::uint64_t numbers = 0;

    const Content* find(const std::string& path) const {
      const auto name = names.find(path);
      return name == names.end() || name->second == 0 ? nullptr : &files.at(name->second).content;
    }
  };
  // A change of a folder's names that may not be durable yet.
  struct Change {
    const Step* step;
    std::uint64_t number;  // of the file
  };

  void do_step(Step step) {
    step.life = work_->life;
    step.when = work_->now;
    change(seen_, step);
    steps_.push_back(std::move(step));
  }
  // It is done when its time is over.
  void do_sync(Step step) {
    work_->now += work_->takes();
    do_step(std::move(step));
  }

  // Applies a step as processes see it; returns its file.
  static std::uint64_t change(State& state, const Step& step) {
    const auto name = state.names.find(step.path);
    const std::uint64_t number = name == state.names.end() ? 0 : name->second;
    switch (step.kind) {
      case Kind::write: {
        const std::uint64_t to = number != 0 ? number : state.names[step.path] = ++state.numbers;
        Content& content = state.files[to].content;
        content.resize(std::max<std::size_t>(content.size(), step.at + step.bytes.size()));
        std::copy(step.bytes.begin(), step.bytes.end(), content.begin() + static_cast<std::ptrdiff_t>(step.at));
        return to;
      }
      case Kind::sync:
        if (number != 0) state.files[number].synced = state.files[number].content;
        break;
      case Kind::rename:
        if (number != 0) give_name(state.names, step, number);
        break;
      case Kind::remove:
        state.names.erase(step.path);
        break;
      case Kind::make_folder:
        state.names[step.path] = 0;
        break;
      case Kind::sync_folder:
        break;
    }
    return number;
  }
  static void give_name(std::map<std::string, std::uint64_t>& names, const Step& step, std::uint64_t number) {
    if (step.kind == Kind::remove || step.kind == Kind::rename) names.erase(step.path);
    if (step.kind != Kind::remove) names[step.kind == Kind::rename ? step.to : step.path] = number;
  }

  // What there is at a moment; with the names that processes see, or those that are left without power: of a change
  // that was not synced, `keeps` says whether it is left.
  State replay(Nanoseconds now, const std::function<bool(const Step&)>& keeps, bool seen) const {
    std::vector<const Step*> order;
    for (const Step& step : steps_)
      if (seen || step.when <= now) order.push_back(&step);
    std::stable_sort(order.begin(), order.end(), [](const Step* a, const Step* b) { return a->when < b->when; });
    State state = base_;
    auto durable = base_.names;
    std::vector<Change> changes;
    const auto make_durable = [&](const std::function<bool(const Change&)>& which) {
      for (const Change& one : changes)
        if (which(one)) give_name(durable, *one.step, one.number);
      std::erase_if(changes, which);
    };
    for (const Step* step : order) {
      const bool is_new = step->kind == Kind::write && !state.names.contains(step->path);
      const std::uint64_t number = change(state, *step);
      const bool renamed = step->kind == Kind::rename && number != 0;
      if (step->kind == Kind::sync_folder)
        make_durable([&](const Change& one) { return folder_of(one.step->path) == step->path; });
      else if (renamed || step->kind == Kind::remove || step->kind == Kind::make_folder || is_new)
        changes.push_back({step, number});
    }
    if (seen) return state;
    std::vector<Change> lucky;
    for (const Change& one : changes)
      if (keeps(*one.step)) lucky.push_back(one);
    for (const Change& one : lucky) give_name(durable, *one.step, one.number);
    // What is in a folder that is not there is not there either.
    std::erase_if(durable, [&](const auto& name) {
      return folder_of(name.first) != "" && !durable.contains(folder_of(name.first));
    });
    state.names = std::move(durable);
    return state;
  }

  std::shared_ptr<DiskWork> work_;
  State base_, seen_;        // when power came back; as processes see it
  std::vector<Step> steps_;  // since then
  std::uint64_t numbers_ = 0;
};

}  // namespace rota::sim
