// apps/linear_models/read_rows.h -- the rows of data files, or of data by shard, and the statistics of the whole data
// that all shards have.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/linear_models/class_labels.h"
#include "apps/linear_models/feature_counts.h"
#include "apps/linear_models/rows.h"
#include "apps/linear_models/settings.h"
#include "rota/job.h"
#include "rota/packed_app.h"

namespace rota::linear {

inline constexpr std::size_t kMostClasses = 4096;
inline constexpr double kLargestResponse = 1e100;  // squares of it can be summed

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
               (words.empty() || words.size() == labels.size()) && (far.empty() || far.keys.back() < keys));
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

// Row i is row i / S of shard i mod S.  With Settings::stream a shard has a section of the files, of which only the
// number of rows is kept.  With `packing` the labels may be those of any loss, and the intercept bears no penalty.
// Throws NoInput, DataError with file and line, or UsageError.
PackedApp<RowFacts, RowData>::Loaded read_rows(const Job& job, const Settings& settings,
                                               std::span<const ShardId> hosted, bool packing);

// The classes of the loss; none for numbers.  `name` is that of the data.  Throws DataError for labels that do not fit
// the loss.
ClassLabels classes_of(const Settings& settings, const RowFacts& facts, const std::string& name);

// What the shards of a process have in common.
struct SharedData {
  std::uint64_t rows = 0;
  Key keys = 0;              // of the table
  ClassLabels classes = {};  // of the training data; none for numbers
  std::uint32_t outputs = 1;
  Origins origins = {};                    // subtracted from columns; none unless there is an unpenalised intercept
  std::vector<std::string> names = {};     // of columns
  double weight_scale = 1;                 // of importances that the data has, so that their mean is 1
  std::vector<FeatureScale> scales = {};   // by key
  std::vector<double> first_squares = {};  // by key, with --init_model: squares of a shard's gradients with unit slopes
  std::uint64_t seed = 1;
  // Facts of the job, in whose units steps are made.
  double slopes = 1;     // of labels that are numbers the deviation from the centre
  double steps = 1;      // the step of a feature whose unit is 1
  double centre = 0;     // subtracted from labels that are numbers
  double deviation = 0;  // of labels that are numbers and not fitted less their mean; else 0

  // The target of a row with this label; none if it is no class.
  std::optional<double> target(double label) const {
    if (classes.size() == 0) return label - centre;
    const auto k = classes.find(label);
    return k ? std::optional(target_of(*k, outputs)) : std::nullopt;
  }
};

// A feature's number, and its name if it has one.
std::string feature_text(const std::vector<std::string>& names, std::uint32_t bits, Key key);

}  // namespace rota::linear
