#include "core/rounds/sparse_rows.h"

#include <algorithm>
#include <limits>

namespace rota {

namespace {

// Walks along the rows of one summand.
class Rows {
 public:
  explicit Rows(const SparseRows& rows) : rows_(rows) { begin_run(); }

  bool done() const { return run_ == rows_.runs.size(); }
  // The first key that is left, and how many keys of its run; behind the last, a key larger than all.
  Key key() const { return key_; }
  std::uint64_t left() const { return left_; }
  // The numbers of the next `rows` rows of the run, which are behind now.
  const double* take(std::uint64_t rows) {
    const double* const numbers = rows_.numbers.data() + at_;
    at_ += static_cast<std::size_t>(rows) * rows_.width;
    key_ += rows;
    left_ -= rows;
    if (left_ == 0) {
      ++run_;
      begin_run();
    }
    return numbers;
  }

 private:
  void begin_run() {
    key_ = done() ? std::numeric_limits<Key>::max() : rows_.runs[run_].first;
    left_ = done() ? 0 : rows_.runs[run_].count;
  }

  const SparseRows& rows_;
  std::size_t run_ = 0, at_ = 0;
  Key key_ = 0;
  std::uint64_t left_ = 0;
};

}  // namespace

SparseRows sum_of(SparseRows left, SparseRows right) {
  if (right.runs.empty()) return left;
  if (left.runs.empty()) return right;
  SparseRows sum;
  sum.width = left.width;
  sum.runs.reserve(left.runs.size() + right.runs.size());
  sum.numbers.reserve(left.numbers.size() + right.numbers.size());
  Rows a(left), b(right);
  const auto append = [&](const double* numbers, std::uint64_t rows) {
    sum.numbers.insert(sum.numbers.end(), numbers, numbers + static_cast<std::size_t>(rows) * sum.width);
  };
  while (!a.done() || !b.done()) {
    const Key key = std::min(a.key(), b.key());
    std::uint64_t rows = 0;
    if (a.key() == b.key()) {
      rows = std::min(a.left(), b.left());
      const std::size_t at = sum.numbers.size();
      append(a.take(rows), rows);
      const double* const more = b.take(rows);
      double* const numbers = sum.numbers.data() + at;
      for (std::size_t i = 0; i < sum.numbers.size() - at; ++i) numbers[i] += more[i];
    } else {
      Rows& first = a.key() < b.key() ? a : b;
      rows = std::min(first.left(), std::max(a.key(), b.key()) - key);
      append(first.take(rows), rows);
    }
    append_run(sum.runs, {key, rows});
  }
  return sum;
}

RowsOfRange rows_of_range(const SparseRows& rows, const KeyRange& range) {
  RowsOfRange out;
  for (const KeyRun& run : rows.runs) {
    if (run.first >= range.end) break;
    const Key end = run.first + run.count;
    const Key first = std::clamp(range.first, run.first, end), behind = std::min(end, range.end);
    out.first += static_cast<std::size_t>(first - run.first) * rows.width;
    if (first >= behind) continue;
    out.runs.push_back({first, behind - first});
    out.count += static_cast<std::size_t>(behind - first) * rows.width;
  }
  return out;
}

}  // namespace rota
