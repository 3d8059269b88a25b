// apps/linear_models/shard_rows.h -- the rows of data files in the form for steps, and the statistics of the whole data
// that all shards have.
//
// A feature's key is its column in the file, from 1, or the hash of that; key 0 is the intercept, an entry of value 1
// in every row.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/linear_models/class_labels.h"
#include "apps/linear_models/feature_counts.h"
#include "apps/linear_models/row_options.h"
#include "rota/io/row_files.h"
#include "rota/job.h"
#include "rota/types.h"

namespace rota::linear {

inline constexpr std::size_t kMostClasses = 4096;
inline constexpr double kLargestValue = 1e15;      // the sum of many squares is still finite in single precision
inline constexpr double kLargestResponse = 1e100;  // squares of it can be summed

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
  // entry the difference of its key from the previous one, initially 0: zigzag varint; values: f32 each, unless all are
  // 1.
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

// Mean and deviation of a sequence of numbers: B. P. Welford, "Note on a method for calculating corrected sums of
// squares and products", Technometrics 1962.
struct Responses {
  double weight = 0, mean = 0, squares = 0;

  void add(double number, double times) {
    if (!(times > 0)) return;
    weight += times;
    const double before = number - mean;
    mean += before * (times / weight);
    squares += times * before * (number - mean);
  }
  // Root of the mean squared distance from `centre`.
  double spread(double centre) const { return weight > 0 ? std::hypot(std::sqrt(squares / weight), mean - centre) : 0; }
  void fields(auto& list) {
    list(weight, mean, squares);
    list.check(std::isfinite(weight) && std::isfinite(mean) && std::isfinite(squares) && squares >= 0);
  }
};

// What all shards know of the data, whatever the loss.
struct RowFacts {
  std::uint64_t rows = 0, held_out_rows = 0;
  Key keys = 0;                           // of the training data
  double importance = 0;                  // the sum of the weights that its rows have in the file
  Responses responses;                    // its labels as numbers
  ClassLabels labels;                     // none if there are more than kMostClasses
  std::vector<std::string> words, names;  // of labels and columns, if the files have them
  FeatureCounts counts;                   // of columns less their origins
  Origins far;                            // means of columns far from 0
  bool centred = false;                   // these are subtracted

  void fields(auto& list) {
    list(rows, held_out_rows, keys, importance, responses, labels, words, names, counts, far, centred);
    list.check(rows > 0 && rows <= io::kMostRows && held_out_rows <= io::kMostRows && keys > 0 &&
               keys <= kMostFeatures + 1 && labels.size() <= kMostClasses && counts.all().size() == keys &&
               (words.empty() || words.size() == labels.size()) && (far.empty() || far.keys().back() < keys));
    for (const double label : labels.all()) list.check(std::isfinite(label));
  }
};

// The rows of one shard as they are in the files: labels for targets, and held-out rows with features that the training
// data does not have.
struct RowData {
  ShardRows training, held_out;
  std::uint64_t streamed = 0;  // rows of training that are not kept

  void fields(auto& list) { list(training, held_out); }
  std::uint64_t items() const { return training.rows.size(); }
  bool fits(const RowFacts& facts, const Job& job, ShardId shard) const;
};

struct RowsRead {
  RowFacts facts;
  std::vector<RowData> hosted;  // in the order asked for
};

// Row i is row i / S of shard i mod S.  With RowOptions::stream a shard has a section of the files, of which only the
// number of rows is kept.  With `packing` the labels may be those of any loss, and the intercept bears no penalty.
// Throws NoInput, DataError with file and line, or UsageError.
RowsRead read_data(const std::vector<std::string>& files, const std::vector<std::string>& valid,
                   const RowOptions& options, std::uint32_t shards, std::span<const ShardId> hosted, bool packing);

// The same for a loss.
struct DataFacts {
  std::uint64_t rows = 0;
  Key keys = 0;
  ClassLabels classes;      // of the training data; none for numbers
  double weight_scale = 1;  // of importances that the data has, so that their mean is 1
  Responses responses;      // of training data whose labels are numbers
  double centre = 0;        // subtracted from labels to get targets
  Origins origins;          // subtracted from columns; none unless there is an unpenalised intercept
};
// `name` is that of the data.  Throws DataError for labels that do not fit the loss.
DataFacts facts_for(const RowOptions& options, const RowFacts& facts, const std::string& name);
// Replaces labels by targets.  Throws DataError for a label that is no class.
void make_targets(const RowOptions& options, const DataFacts& facts, const std::string& name, ShardRows& data);

// Appends a row's entries with keys below `keys`, less their origins; features with an origin that the row does not
// have come last.  Throws DataError for a value beyond the range of single precision.
void add_row(const io::RowFiles& files, const io::LabelledValues& row, FeatureKeys& key, const Origins& origins,
             bool intercept, Key keys, Rows& rows);

// "a third label, 3" and the like name a label of the file that is read.
std::string label_text(const io::RowFiles& files, double label);
// A feature's number, and its name if it has one.
std::string feature_text(const std::vector<std::string>& names, std::uint32_t bits, Key key);

}  // namespace rota::linear
