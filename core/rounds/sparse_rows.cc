#include "core/rounds/sparse_rows.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace rota {

SparseRows::SparseRows(std::vector<KeyRun> runs, std::vector<double> numbers, std::uint32_t width)
    : runs_(std::move(runs)), width_(width) {
  const auto owner = std::make_shared<const std::vector<double>>(std::move(numbers));
  add_piece(owner, *owner);
}

SparseRows::SparseRows(std::vector<KeyRun> runs, const Bytes& numbers, std::uint32_t width)
    : runs_(std::move(runs)), width_(width) {
  const std::size_t count = numbers.size() / sizeof(double);
  const void* const data = numbers.view().data();
  if (reinterpret_cast<std::uintptr_t>(data) % alignof(double) == 0) {
    add_piece(std::make_shared<Bytes>(numbers), {static_cast<const double*>(data), count});
    return;
  }
  auto copy = std::make_shared<std::vector<double>>(count);
  std::memcpy(copy->data(), data, count * sizeof(double));
  add_piece(copy, *copy);
}

std::vector<double> SparseRows::joined() const {
  std::size_t size = 0;
  for (const Piece& piece : pieces_) size += piece.numbers.size();
  std::vector<double> all;
  all.reserve(size);
  for (const Piece& piece : pieces_) all.insert(all.end(), piece.numbers.begin(), piece.numbers.end());
  return all;
}

std::pair<std::vector<KeyRun>, Bytes> SparseRows::in_range(const KeyRange& range) const {
  std::vector<KeyRun> inside;
  std::uint64_t before = 0, rows = 0;
  for (const KeyRun& run : runs_) {
    if (run.first >= range.end) break;
    const Key end = run.first + run.count;
    const Key first = std::clamp(range.first, run.first, end), stop = std::min(end, range.end);
    before += first - run.first;
    if (first >= stop) continue;
    inside.push_back({first, stop - first});
    rows += stop - first;
  }
  return {std::move(inside),
          numbers_between(static_cast<std::size_t>(before) * width_, static_cast<std::size_t>(before + rows) * width_)};
}

std::size_t SparseRows::numbers_in(const KeyRange& range) const {
  std::uint64_t rows = 0;
  for (const KeyRun& run : runs_) {
    const Key end = run.first + run.count;
    rows += std::clamp(range.end, run.first, end) - std::clamp(range.first, run.first, end);
  }
  return static_cast<std::size_t>(rows) * width_;
}

Bytes SparseRows::numbers_between(std::size_t first, std::size_t end) const {
  if (first == end) return {};
  std::vector<double> copy;
  std::size_t at = 0;  // of the piece
  for (const Piece& piece : pieces_) {
    const std::size_t stop = at + piece.numbers.size();
    if (stop > first && at < end) {
      const std::size_t from = std::max(first, at), count = std::min(end, stop) - from;
      const std::span<const double> inside = piece.numbers.subspan(from - at, count);
      if (count == end - first) return {piece.owner, std::as_bytes(inside)};
      copy.reserve(end - first);
      copy.insert(copy.end(), inside.begin(), inside.end());
    }
    at = stop;
  }
  const auto owner = std::make_shared<const std::vector<double>>(std::move(copy));
  return {owner, std::as_bytes(std::span(*owner))};
}

void RowWalk::step() {
  const auto& runs = rows_.runs();
  if (!done() && in_run_ == runs[run_].count) ++run_, in_run_ = 0;
  if (done()) {
    key_ = std::numeric_limits<Key>::max();
    left_ = 0;
    return;
  }
  key_ = runs[run_].first + in_run_;
  left_ = runs[run_].count - in_run_;
  if (rows_.width() == 0) return;
  if (in_piece_ == rows_.pieces()[piece_].numbers.size()) ++piece_, in_piece_ = 0;
  left_ = std::min<std::uint64_t>(left_, (rows_.pieces()[piece_].numbers.size() - in_piece_) / rows_.width());
}

const double* RowWalk::take(std::uint64_t rows) {
  const double* const numbers = rows_.width() == 0 ? nullptr : rows_.pieces()[piece_].numbers.data() + in_piece_;
  in_run_ += rows;
  in_piece_ += static_cast<std::size_t>(rows) * rows_.width();
  step();
  return numbers;
}

namespace {

bool is_behind(const SparseRows& later, const SparseRows& earlier) {
  const KeyRun& last = earlier.runs().back();
  return later.runs().front().first >= last.first + last.count;
}

// One after the other, without a look at the numbers.
template <typename Runs, typename Pieces>
void append(Runs& runs, Pieces& pieces, const SparseRows& more) {
  for (const KeyRun& run : more.runs()) append_run(runs, run);
  pieces.insert(pieces.end(), more.pieces().begin(), more.pieces().end());
}

}  // namespace

SparseRows sum_of(SparseRows left, SparseRows right, Combine how) {
  if (right.runs_.empty()) return left;
  if (left.runs_.empty()) return right;
  if (is_behind(right, left)) {
    append(left.runs_, left.pieces_, right);
    return left;
  }
  if (is_behind(left, right)) {
    append(right.runs_, right.pieces_, left);
    return right;
  }
  const std::size_t width = left.width_;
  std::vector<KeyRun> runs;
  std::vector<double> numbers;
  runs.reserve(left.runs_.size() + right.runs_.size());
  numbers.reserve(static_cast<std::size_t>(keys_in(left.runs_) + keys_in(right.runs_)) * width);
  RowWalk a(left), b(right);
  const auto copy = [&](const double* from, std::uint64_t rows) {
    numbers.insert(numbers.end(), from, from + static_cast<std::size_t>(rows) * width);
  };
  while (!a.done() || !b.done()) {
    const Key key = std::min(a.key(), b.key());
    std::uint64_t rows = 0;
    if (a.key() == b.key()) {
      rows = std::min(a.left(), b.left());
      const std::size_t at = numbers.size();
      copy(a.take(rows), rows);
      const double* const more = b.take(rows);
      for (std::size_t i = 0; i < numbers.size() - at; ++i) numbers[at + i] = combined(how, numbers[at + i], more[i]);
    } else {
      RowWalk& first = a.key() < b.key() ? a : b;
      rows = std::min(first.left(), std::max(a.key(), b.key()) - key);
      copy(first.take(rows), rows);
    }
    append_run(runs, {key, rows});
  }
  return {std::move(runs), std::move(numbers), left.width_};
}

OpenScratch::OpenScratch(const Table& table)
    : keys_(table.keys),
      width_(table.part_width),
      combine_(table.combine),
      numbers_(static_cast<std::size_t>(table.keys) * table.part_width),
      touched_(static_cast<std::size_t>((table.keys + 63) / 64)) {}

std::vector<KeyRun> OpenScratch::take_runs() {
  std::vector<KeyRun> runs;
  for (std::size_t word = 0; word < touched_.size(); ++word) {
    for (std::uint64_t left = touched_[word]; left != 0;) {
      const auto begin = static_cast<unsigned>(std::countr_zero(left));
      const auto length = static_cast<unsigned>(std::countr_one(left >> begin));
      append_run(runs, {word * 64 + begin, length});
      // All ones from `begin` on would be shifted by the width of the word.
      left = begin + length == 64 ? 0 : left >> (begin + length) << (begin + length);
    }
    // A word that is zero is not written to, so that the memory of an untouched table stays untaken.
    if (touched_[word] != 0) touched_[word] = 0;
  }
  return runs;
}

SparseRows OpenScratch::copied(std::vector<KeyRun> runs) const {
  std::vector<double> copy;
  copy.reserve(static_cast<std::size_t>(keys_in(runs)) * width_);
  for (const KeyRun& run : runs) copy.insert(copy.end(), numbers(run).begin(), numbers(run).end());
  return {std::move(runs), std::move(copy), width_};
}

SparseRows OpenScratch::shared(std::vector<KeyRun> runs, const std::shared_ptr<const void>& owner) const {
  SparseRows rows({}, std::vector<double>(), width_);
  for (const KeyRun& run : runs) rows.add_piece(owner, numbers(run));
  rows.runs_ = std::move(runs);
  return rows;
}

std::unique_ptr<OpenScratch> ScratchPool::take(TableId id, const Table& table, ShardId shard) {
  const std::scoped_lock lock(free_->mutex);
  for (const std::optional<ShardId> of : {std::optional(shard), std::optional<ShardId>()}) {
    auto& scratches = free_->scratches[{id, of}];
    if (scratches.empty()) continue;
    auto scratch = std::move(scratches.back());
    scratches.pop_back();
    return scratch;
  }
  return std::make_unique<OpenScratch>(table);
}

SparseRows ScratchPool::parts(TableId id, ShardId shard, std::unique_ptr<OpenScratch> scratch) {
  // Numbers of a run that are copied sooner than runs are handled one by one.
  constexpr std::size_t kCopied = 512;
  std::vector<KeyRun> runs = scratch->take_runs();
  const auto give_back = [free = free_, id](std::optional<ShardId> to, OpenScratch* used) {
    std::unique_ptr<OpenScratch> owned(used);
    const std::scoped_lock lock(free->mutex);
    free->scratches[{id, to}].push_back(std::move(owned));
  };
  if (static_cast<std::size_t>(keys_in(runs)) * scratch->width() < kCopied * runs.size()) {
    SparseRows rows = scratch->copied(std::move(runs));
    give_back(std::nullopt, scratch.release());
    return rows;
  }
  const std::shared_ptr<OpenScratch> owner(scratch.release(),
                                           [give_back, shard](OpenScratch* used) { give_back(shard, used); });
  return owner->shared(std::move(runs), owner);
}

}  // namespace rota
