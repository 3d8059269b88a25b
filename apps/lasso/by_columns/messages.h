// apps/lasso/by_columns/messages.h -- the notes and replies, beside the coefficients, between shards of columns, the
// solver of the working set, and the schedule.
#pragma once
#include <cstdint>
#include <span>
#include <stdexcept>
#include <vector>

#include "apps/lasso/tables.h"
#include "apps/linear_models/class_labels.h"
#include "rota/bytes.h"
#include "rota/fields.h"
#include "rota/types.h"

namespace rota::lasso {

// The argument of a round.
struct ColumnsStep : FitStep {
  std::uint64_t wanted = 0;     // screen: candidates
  double share = 0, least = 0;  // solve: to this share of the gap, or to `least` if that is more
  std::uint64_t entering = 0;   // solve: the first columns, which shards must send

  void fields(auto& list) {
    FitStep::fields(list);
    list(wanted, share, least, entering);
  }
};

// The note of the shard that reports common data, at Step::start: everything but the columns.
struct DataNote {
  std::uint64_t columns = 0;
  std::vector<double> response;  // by row; of two classes -1 or 1
  std::vector<double> weights;   // by row, as the user gave them; empty: all 1
  linear::ClassLabels classes;   // of the response, for the logistic loss

  void fields(auto& list) {
    list(columns, response, weights, classes);
    list.check((weights.empty() || weights.size() == response.size()) && (classes.size() == 0 || classes.size() == 2));
  }
};

// A column that the working set may need.
struct Candidate {
  double distance = 0;  // of its gradient from the bound at which it enters, per norm; negative beyond the bound
  Key column = 0;
  std::uint64_t entries = 0;  // of the column: a measure of the cost of solving with it

  void fields(auto& list) { list(column, distance, entries); }
  friend auto operator<=>(const Candidate&, const Candidate&) = default;
};

// A shard's answer to Step::screen.  In the note its nearest candidates follow, ascending, to the end.
struct Screening {
  double steepest = 0;        // largest |x_j' g - l2 s_j^2 beta_j| / s_j over its columns
  std::uint64_t entries = 0;  // of all its columns: a measure of the cost of the answer

  void fields(auto& list) { list(steepest, entries); }
};

// Pull's reply to it, for the schedule.
struct Certificate {
  double objective = 0;               // of the current fit
  double gap = 0;                     // its duality gap
  double null_objective = 0;          // with no coefficient but the intercept
  double steepest = 0;                // over all columns
  std::uint64_t entries = 0;          // of all columns
  std::vector<Candidate> candidates;  // of all shards, nearest first

  void fields(auto& list) { list(objective, gap, null_objective, steepest, entries, candidates); }
};

// A column's data for the solver of the working set.  A note has several, one after the other.
struct ColumnNote {
  Key column = 0;
  double scale = 1;  // s_j of the penalty
  std::vector<std::uint32_t> rows;
  std::vector<double> values;  // by row; or
  std::vector<float> singles;  // the same, if the shard stores them in single precision

  void fields(auto& list) {
    list(column, scale, rows, values, singles);
    list.check((values.empty() || singles.empty()) && rows.size() == values.size() + singles.size());
  }
};

// Only numbers: a gradient, by row.
inline void write_numbers(Writer& out, std::span<const double> numbers) {
  out.append(numbers.data(), numbers.size_bytes());
}
// The same bytes, aligned so that numbers can be read in place: received bytes may be at any address.
inline Bytes aligned(const Bytes& bytes) {
  if (reinterpret_cast<std::uintptr_t>(bytes.view().data()) % alignof(double) == 0) return bytes;
  return Bytes::from({bytes.view().begin(), bytes.view().end()});
}
// A view into aligned bytes, which must outlive it.
inline std::span<const double> numbers_in(const Bytes& bytes) {
  if (bytes.size() % sizeof(double) != 0) throw std::runtime_error("damaged data: a gradient");
  return {reinterpret_cast<const double*>(bytes.view().data()), bytes.size() / sizeof(double)};
}

}  // namespace rota::lasso
