// core/base/failpoint.h -- named places in the program where a test may end it, stop it or let it wait.
//
// Nothing happens at any of them unless the environment of the process says so:
//
//   ROTA_FAILPOINTS=NAME[@WHAT]:NTH:ACTION[,...]   at the NTH time (from 1) that the process comes by NAME (with WHAT).
//                                                  ACTION: kill (SIGKILL), stop (SIGSTOP) or sleep (two seconds)
//   ROTA_FAILPOINTS_ONCE=DIR                       only for the first process that gets there: it leaves the file
//                                                  DIR/NAME; those that find one there pass by
//
// A name that is not in the list does not compile in the program, and is an error in the environment.
#pragma once
#include <array>
#include <cstddef>
#include <string_view>

#include "core/base/status.h"

namespace rota {

// In the order in which a run passes them.  tests/system/failpoints_test.py walks through this list.
inline constexpr std::array<std::string_view, 19> kFailpoints = {
    // A file that is replaced (core/base/files.cc); WHAT is its name: era, flags.txt, commit.json, result.json ...
    "file.opened",
    "file.written",
    "file.synced",
    "file.renamed",
    "file.folder_synced",
    // A partition's share of a checkpoint (core/checkpoint/checkpoint_file.cc).
    "partition.opened",
    "partition.written",
    "partition.synced",
    "partition.renamed",
    "partition.folder_synced",
    // The commit record is durable; and of an older epoch the record is gone, the files are there.
    "commit.recorded",
    "commit.dropping",
    // The run goes back to its newest commit (coordinator, core/records/run_recorder.cc).
    "rollback.begun",
    "rollback.trimmed",
    "rollback.era",
    "rollback.welcoming",
    // The metrics of epochs that will be computed again are out of the new file, which has its name not yet.
    "lines.filtered",
    // The end: all files of the model are there but its manifest; and all of the run.
    "model.linked",
    "result.written",
};

// An index into the list; only names that are there can be made into one.
class Failpoint {
 public:
  consteval Failpoint(const char* name) : number_(number_of(name)) {
    if (number_ == kFailpoints.size()) throw "no such failpoint";
  }
  std::size_t number() const { return number_; }

  // kFailpoints.size() for none.
  static constexpr std::size_t number_of(std::string_view name) {
    std::size_t i = 0;
    while (i < kFailpoints.size() && kFailpoints[i] != name) ++i;
    return i;
  }

 private:
  std::size_t number_;
};

// Reads the environment.  To be called before there are threads.
Status arm_failpoints();

extern bool failpoints_are_armed;
void reach_failpoint(std::size_t number, std::string_view what);

inline void failpoint(Failpoint point, std::string_view what = {}) {
  if (failpoints_are_armed) [[unlikely]]
    reach_failpoint(point.number(), what);
}

}  // namespace rota
