// apps/linear_models/rows.h -- rows in the form for steps: keys and values in single precision.
//
// A feature's key is its column in the file, from 1, or the hash of that; key 0 is the intercept, an entry of value 1
// in every row.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/linear_models/feature_counts.h"
#include "rota/bytes.h"
#include "rota/io/row_files.h"
#include "rota/types.h"

namespace rota::linear {

inline constexpr double kLargestValue = 1e15;  // the sum of many squares is still finite in single precision

struct Entry {
  std::uint32_t key;
  float value;
};

// Rows one after the other.
class Rows {
 public:
  std::size_t size() const { return begins_.size() - 1; }
  std::span<const Entry> operator[](std::size_t r) const {
    return {entries_.data() + begins_[r], begins_[r + 1] - begins_[r]};
  }
  // Prefetches a row that will be needed soon; expect_begin() earlier prefetches its offset.
  void expect_begin(std::size_t r) const { __builtin_prefetch(begins_.data() + r); }
  void expect(std::size_t r) const {
    const auto* const entries = reinterpret_cast<const char*>(entries_.data() + begins_[r]);
    __builtin_prefetch(entries);
    __builtin_prefetch(entries + 64);
  }
  void add_entry(const Entry& entry) { entries_.push_back(entry); }
  // Ends a row, which has the entries added since the previous one.
  void end_row() { begins_.push_back(entries_.size()); }
  void add_entries(std::span<const Entry> entries) { entries_.insert(entries_.end(), entries.begin(), entries.end()); }
  void reserve(std::size_t rows, std::size_t entries) {
    begins_.reserve(rows + 1);
    entries_.reserve(entries);
  }
  // Removes all other entries.
  void keep_below(Key keys);
  std::size_t entries() const { return entries_.size(); }

  // Numbers of rows and of entries: varints.  Each row: twice its entries, plus 1 if all values are 1: varint; for each
  // entry the difference of its key from the previous one, initially 0, modulo 2^32: varint; values: f32 each, unless
  // all are 1.
  void encode(Writer& out) const;
  void decode(Reader& in);

 private:
  std::vector<Entry> entries_;
  std::vector<std::size_t> begins_ = {0};  // and the last one's end
};

// The rows of one shard.
struct ShardRows {
  Rows rows;
  std::vector<double> targets;  // -1 or 1; the class's number; or the response
  std::vector<double> weights;  // their mean over the whole data is 1; empty if all are 1

  double weight(std::size_t r) const { return weights.empty() ? 1 : weights[r]; }
  void fields(auto& list) {
    list(rows, targets, weights);
    list.check(targets.size() == rows.size() && (weights.empty() || weights.size() == rows.size()));
  }
};

// The same rows in another order: the new row i is the old row order[i].
ShardRows reordered(const ShardRows& data, std::span<const std::uint32_t> order);

// The target of a row of class k, for a model with this number of outputs.
inline double target_of(std::uint32_t k, std::uint32_t outputs) {
  return outputs > 1 ? k : k == 1 ? 1.0 : -1.0;
}
// y for an output's loss, for each class against the rest; with a single output, the target.
inline double sign_of(double target, std::uint32_t output, std::uint32_t outputs) {
  return outputs == 1 ? target : target == output ? 1.0 : -1.0;
}

// Makes the keys of features.
class FeatureKeys {
 public:
  explicit FeatureKeys(std::uint32_t bits) : bits_(bits) {}
  std::uint32_t operator()(std::uint32_t column) const;
  // The keys of a row's features with their values.  Hashed keys ascend, each once, with the sum of the values that
  // share it.  Valid until the next call.
  std::span<const std::pair<std::uint32_t, double>> of_row(const io::LabelledValues& row);

 private:
  std::uint32_t bits_;
  std::vector<std::pair<std::uint32_t, double>> entries_;
};

// Appends a row's entries with keys below `keys`, less their origins; features with an origin that the row does not
// have come last.  Throws DataError for a value beyond the range of single precision.
void add_row(const io::RowFiles& files, const io::LabelledValues& row, FeatureKeys& key, const Origins& origins,
             bool intercept, Key keys, Rows& rows);

// "a third label, 3" and the like name a label of the file that is read.
std::string label_text(const io::RowFiles& files, double label);
}  // namespace rota::linear
