// tests/sim/commit_log.h -- the commits that a hook of a simulated plugin has seen, as a number that reveals any error.
#pragma once
#include <algorithm>
#include <bit>
#include <map>
#include <span>
#include <utility>
#include <vector>

#include "rota/plugin.h"
#include "tests/sim/exact_plugin.h"

namespace rota::sim {

// Whole numbers that a double, and a sum of a few, holds.
inline constexpr std::uint64_t kMask = (std::uint64_t{1} << 40) - 1;

inline std::uint64_t mix(std::uint64_t state, std::uint64_t in) {
  state = (state ^ in) * 0x9e3779b97f4a7c15U;
  return state ^ (state >> 29);
}
inline std::uint64_t whole(double number) {
  return static_cast<std::uint64_t>(number);
}
inline double number(std::uint64_t state) {
  return static_cast<double>(state & kMask);
}
inline std::uint64_t mix_bytes(std::uint64_t state, std::span<const std::byte> bytes) {
  for (const std::byte b : bytes) state = mix(state, static_cast<std::uint64_t>(b));
  return mix(state, bytes.size());
}

inline void complain(const char* what) {
  if (witness()->complaint.empty()) witness()->complaint = what;
}

// The rows that a hook has seen so far.
class CommitLog {
 public:
  // A row had this value before the first commit.
  void begin(TableId table, Key key, std::vector<double> row) { rows_[{table, key}] = std::move(row); }
  void add(const Commit& commit) {
    for (const Delta& delta : commit.deltas) {
      auto& row = rows_[{commit.table, delta.key}];
      row.resize(delta.value.size());
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (delta.value[i] - row[i] != delta.change[i]) complain("a change does not follow from the row before it");
        row[i] = delta.value[i];
        state_ = mix(state_, whole(row[i]));
      }
    }
    state_ = mix_bytes(state_, commit.argument.bytes().view());
    state_ = mix_bytes(state_, commit.reply.view());
    for (const double x : {commit.norms.l1, commit.norms.l2_squared, commit.norms.largest})
      state_ = mix(state_, std::bit_cast<std::uint64_t>(x));
  }
  bool has(TableId table, Key key, std::span<const double> value) const {
    const auto row = rows_.find({table, key});
    if (row == rows_.end()) return std::all_of(value.begin(), value.end(), [](double x) { return x == 0; });
    return std::equal(value.begin(), value.end(), row->second.begin(), row->second.end());
  }
  std::uint64_t state() const { return state_; }

  void fields(auto& list) {
    std::vector<std::pair<std::pair<TableId, Key>, std::vector<double>>> rows(rows_.begin(), rows_.end());
    list(state_, rows);
    rows_ = {rows.begin(), rows.end()};
  }

 private:
  std::uint64_t state_ = 1;
  std::map<std::pair<TableId, Key>, std::vector<double>> rows_;
};

}  // namespace rota::sim
