#include "apps/lasso/by_rows/column_interference.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "apps/lasso/column_moments.h"
#include "rota/numerics/seed_mixer.h"

namespace rota::lasso {
namespace {

constexpr double kEntriesWanted = 1000;  // of a column, on average
constexpr double kDense = 0.25;          // share of filled places above which a matrix is treated as dense
constexpr double kFull = 0.8;            // and from which each column counts as full
constexpr double kCopied = 0.25;         // share of sampled rows below which they are copied
constexpr std::uint64_t kPairsMost = std::uint64_t{1} << 28;

// The sampled rows, and their new numbers.  Chosen by a hash of their numbers (the finaliser of SplitMix64,
// Steele et al., OOPSLA 2014), since data may be ordered in any way.
struct Sample {
  static constexpr std::uint32_t kLeftOut = ~std::uint32_t{0};
  std::vector<std::uint32_t> number;  // of every row; or kLeftOut
  std::uint32_t rows = 0;
  double share = 1;
};

Sample sample_of(const RowBlocks& matrix, double entries) {
  const double each = matrix.columns() == 0 ? 0 : entries / matrix.columns();
  Sample sample;
  if (each > kEntriesWanted) sample.share = kEntriesWanted / each;
  sample.number.resize(matrix.rows(), Sample::kLeftOut);
  for (std::uint64_t row = 0; row < matrix.rows(); ++row) {
    std::uint64_t state = row * 0x9e3779b97f4a7c15;
    if (sample.share == 1 || static_cast<double>(next_mixed(state) >> 11) * 0x1p-53 < sample.share)
      sample.number[row] = sample.rows++;
  }
  return sample;
}

// A column over the sampled rows as x / norm - mean, all in units of its norm: about its mean if `centred`.
struct Standard {
  double mean = 0, inverse = 0;  // inverse: of the norm; 0 for a column without information
  bool full = false;             // it fills all sampled rows
};

template <typename Take>
void each_sampled(const RowBlocks& matrix, const Sample& sample, std::uint32_t j, const Take& take) {
  matrix.each(j, [&](std::uint32_t row, double x) {
    if (sample.number[row] != Sample::kLeftOut) take(sample.number[row], x);
  });
}

Standard standard_of(const RowBlocks& matrix, const Sample& sample, std::uint32_t j, bool centred) {
  std::uint32_t count = 0;
  const Moments moments = column_moments(sample.rows, sample.rows, [&](const auto& take) {
    count = 0;
    each_sampled(matrix, sample, j, [&](std::uint32_t, double x) {
      ++count;
      take(1.0, x);
    });
  });
  const double mean = sample.rows > 0 ? moments.sum / sample.rows : 0;
  const double square = centred ? moments.centred_square : moments.centred_square + moments.sum * mean;
  const double inverse = square > 0 ? 1 / std::sqrt(square) : 0;
  return {centred ? mean * inverse : 0, inverse, count == sample.rows};
}

class SparseInterference final : public Interference {
 public:
  SparseInterference(RowBlocks matrix, Sample sample, double least, bool centred)
      : least_(least),
        sample_rows_(sample.rows),
        matrix_(std::move(matrix)),
        sample_(std::move(sample)),
        rows_(sample_.rows) {
    for (std::uint32_t j = 0; j < matrix_->columns(); ++j) {
      const Standard standard = standard_of(*matrix_, sample_, j, centred);
      // A full column is held less its mean: far from 0, single precision would lose its variation.
      const double shift = standard.full ? standard.mean : 0;
      units_.push_back({standard.inverse, shift});
      means_.push_back(static_cast<float>(standard.mean - shift));
    }
    if (sample_.share < kCopied) copy();
  }

  void enter(Key key) override {
    auto slot = static_cast<std::uint32_t>(keys_.size());
    if (free_slots_.empty()) {
      keys_.push_back(key);
      products_.push_back(0);
      met_.push_back(false);
    } else {
      slot = free_slots_.back();
      free_slots_.pop_back();
      keys_[slot] = key;
    }
    slots_.emplace(key, slot);
    each(key, [&](std::uint32_t row, float x) { rows_[row].push_back({slot, x}); });
  }

  void leave(Key key) override {
    const auto place = slots_.find(key);
    const std::uint32_t slot = place->second;
    each(key, [&](std::uint32_t row, float) {
      std::vector<Busy>& busy = rows_[row];
      *std::find_if(busy.begin(), busy.end(), [slot](const Busy& one) { return one.slot == slot; }) = busy.back();
      busy.pop_back();
    });
    free_slots_.push_back(slot);
    slots_.erase(place);
  }

  void find(Key key, std::vector<Key>& found) override {
    each(key, [&](std::uint32_t row, float x) {
      for (const Busy& busy : rows_[row]) {
        products_[busy.slot] += static_cast<double>(x) * static_cast<double>(busy.x);
        if (met_[busy.slot]) continue;
        met_[busy.slot] = true;
        meetings_.push_back(busy.slot);
      }
    });
    for (const std::uint32_t slot : meetings_) {
      const Key other = keys_[slot];
      const double product = std::exchange(products_[slot], 0.0) - sample_rows_ * mean(key) * mean(other);
      if (std::abs(product) > least_) found.push_back(other);
      met_[slot] = false;
    }
    meetings_.clear();
  }

 private:
  struct Place {
    std::uint32_t row;
    float x;
  };
  struct Busy {
    std::uint32_t slot;  // of the busy column
    float x;
  };
  // What makes numbers of a column of its values.
  struct Unit {
    double inverse, shift;
  };
  double mean(Key key) const { return static_cast<double>(means_[key]); }

  // Calls take(sampled row, number) for a column's entries, in units of its norm.
  template <typename Take>
  void each(Key key, const Take& take) const {
    if (!matrix_) {
      for (std::size_t e = begins_[key]; e < begins_[key + 1]; ++e) take(entries_[e].row, entries_[e].x);
      return;
    }
    const Unit unit = units_[key];
    each_sampled(*matrix_, sample_, static_cast<std::uint32_t>(key),
                 [&](std::uint32_t row, double x) { take(row, static_cast<float>(x * unit.inverse - unit.shift)); });
  }

  void copy() {
    begins_.push_back(0);
    for (Key key = 0; key < units_.size(); ++key) {
      each(key, [this](std::uint32_t row, float x) { entries_.push_back({row, x}); });
      begins_.push_back(entries_.size());
    }
    matrix_.reset();
    sample_ = {};
    units_ = {};
  }

  double least_, sample_rows_;
  std::optional<RowBlocks> matrix_;  // nothing, if its sample is copied
  Sample sample_;
  std::vector<Unit> units_;            // of every column
  std::vector<float> means_;           // in units of the columns' norms
  std::vector<std::uint64_t> begins_;  // of every column's copied entries
  std::vector<Place> entries_;
  std::vector<std::vector<Busy>> rows_;           // the busy columns that have an entry in the row
  std::unordered_map<Key, std::uint32_t> slots_;  // of the busy columns; only ever looked up
  std::vector<Key> keys_;                         // of each slot
  std::vector<std::uint32_t> free_slots_;
  // While a key is compared: its product with each slot's column so far, and the slots that it shares a row with.
  std::vector<double> products_;
  std::vector<bool> met_;
  std::vector<std::uint32_t> meetings_;
};

class DenseInterference final : public Interference {
 public:
  DenseInterference(const RowBlocks& matrix, const Sample& sample, double least, bool centred)
      : least_(static_cast<float>(least)), width_((std::size_t{sample.rows} + kLanes - 1) / kLanes * kLanes) {
    const std::uint64_t columns = matrix.columns();
    values_.resize(columns * width_);
    for (std::uint32_t j = 0; j < columns; ++j) {
      float* const column = values_.data() + j * width_;
      const Standard standard = standard_of(matrix, sample, j, centred);
      std::fill_n(column, sample.rows, static_cast<float>(-standard.mean));
      each_sampled(matrix, sample, j, [&](std::uint32_t row, double x) {
        column[row] = static_cast<float>(x * standard.inverse - standard.mean);
      });
    }
    const std::uint64_t pairs = columns * (columns - std::min<std::uint64_t>(columns, 1)) / 2;
    if (pairs <= kPairsMost) known_.resize((pairs + 3) / 4);
  }

  void enter(Key key) override { busy_.push_back(key); }
  void leave(Key key) override { busy_.erase(std::find(busy_.begin(), busy_.end(), key)); }
  void find(Key key, std::vector<Key>& found) override {
    for (const Key other : busy_)
      if (interfere(std::max(key, other), std::min(key, other))) found.push_back(other);
  }

 private:
  static constexpr std::size_t kLanes = 16;  // sums computed at once
  enum : std::uint8_t { kUnknown = 0, kFree = 1, kInterferes = 2 };

  bool interfere(Key high, Key low) {
    if (known_.empty()) return compare(high, low);
    const std::uint64_t pair = high * (high - 1) / 2 + low;
    const auto shift = static_cast<unsigned>(pair % 4 * 2);
    std::uint8_t& four = known_[pair / 4];
    if ((four >> shift & 3) == kUnknown)
      four = static_cast<std::uint8_t>(four | (compare(high, low) ? kInterferes : kFree) << shift);
    return (four >> shift & 3) == kInterferes;
  }
  bool compare(Key a, Key b) const {
    const float* const x = values_.data() + a * width_;
    const float* const y = values_.data() + b * width_;
    float sums[kLanes] = {};
    for (std::size_t i = 0; i < width_; i += kLanes)
      for (std::size_t lane = 0; lane < kLanes; ++lane) sums[lane] += x[i + lane] * y[i + lane];
    float cosine = 0;
    for (const float sum : sums) cosine += sum;
    return std::abs(cosine) > least_;
  }

  float least_;
  std::size_t width_;          // numbers of a column: a multiple of kLanes
  std::vector<float> values_;  // columns of norm 1, padded with zeros
  std::vector<Key> busy_;
  std::vector<std::uint8_t> known_;  // of every pair, two bits; or empty
};

}  // namespace

std::uint64_t RowBlocks::entries() const {
  std::uint64_t entries = 0;
  for (const auto& block : blocks_)
    for (std::uint32_t j = 0; j < columns(); ++j) block->each(j, [&](std::uint32_t, double) { ++entries; });
  return entries;
}

std::unique_ptr<Interference> column_interference(RowBlocks matrix, double least, bool centred) {
  const double places = static_cast<double>(matrix.rows()) * static_cast<double>(matrix.columns());
  auto entries = static_cast<double>(matrix.entries());
  if (entries >= kFull * places) entries = places;
  Sample sample = sample_of(matrix, entries);
  if (entries < kDense * places)
    return std::make_unique<SparseInterference>(std::move(matrix), std::move(sample), least, centred);
  return std::make_unique<DenseInterference>(matrix, sample, least, centred);
}

}  // namespace rota::lasso
