// core/base/key_runs.h -- sets of keys as runs of neighbours: rows that are touched are often next to each other, and
// then their numbers are, too.
#pragma once
#include <cstdint>
#include <vector>

#include "rota/types.h"

namespace rota {

struct KeyRun {
  Key first = 0;
  std::uint64_t count = 0;
  friend bool operator==(const KeyRun&, const KeyRun&) = default;
};

// Keys first .. end-1.
struct KeyRange {
  Key first = 0, end = 0;
  friend bool operator==(const KeyRange&, const KeyRange&) = default;
};

// How many keys there are.  REQUIRES runs that fit.
inline std::uint64_t keys_in(const std::vector<KeyRun>& runs) {
  std::uint64_t count = 0;
  for (const KeyRun& run : runs) count += run.count;
  return count;
}

// Whether the runs are ascending, apart, not empty, and all in the range: what comes from elsewhere may be anything.
inline bool runs_fit(const std::vector<KeyRun>& runs, const KeyRange& range) {
  Key least = range.first;
  for (const KeyRun& run : runs) {
    if (run.count == 0 || run.first < least || run.first >= range.end || run.count > range.end - run.first)
      return false;
    least = run.first + run.count;
  }
  return true;
}

// Adds keys after all that are there; neighbours become one run.
inline void append_run(std::vector<KeyRun>& runs, const KeyRun& run) {
  if (!runs.empty() && runs.back().first + runs.back().count == run.first)
    runs.back().count += run.count;
  else
    runs.push_back(run);
}

// Calls f(key) for every key, in order.
template <typename F>
void for_each_key(const std::vector<KeyRun>& runs, F f) {
  for (const KeyRun& run : runs)
    for (Key key = run.first; key < run.first + run.count; ++key) f(key);
}

}  // namespace rota
