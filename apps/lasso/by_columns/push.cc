#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <vector>

#include "apps/lasso/by_columns/hooks.h"
#include "apps/lasso/by_columns/messages.h"
#include "apps/lasso/column_moments.h"
#include "apps/lasso/fit_sequence.h"

namespace rota::lasso {
namespace {

// One column in kSampled is sampled to estimate the distances of the nearest ones.
constexpr std::size_t kSampled = 32;
constexpr std::size_t kLeastSample = 256;

// Share of a column's mean square below which its variance is computed in two passes.
constexpr double kFarFromZero = 1e-3;

// Approximate bytes of a ColumnNote without its entries, and of an entry.
constexpr std::size_t kNoteBytes = 48, kEntryBytes = 12;

// A distance below which at least `wanted` of these are likely, and not many more.
double likely_bound(const std::vector<double>& distances, std::size_t wanted) {
  const std::size_t size = distances.size() / kSampled;
  if (size < kLeastSample || wanted * 4 > distances.size()) return std::numeric_limits<double>::infinity();
  std::vector<double> sample(size);
  for (std::size_t i = 0; i < size; ++i) sample[i] = distances[i * kSampled];
  const std::size_t place = std::min(size - 1, 2 * wanted / kSampled + 8);
  std::nth_element(sample.begin(), sample.begin() + static_cast<std::ptrdiff_t>(place), sample.end());
  return sample[place];
}

void copy_to(ColumnNote& note, const SparseColumn<float>& x) {
  note.rows.assign(x.rows, x.rows + x.entries);
  note.singles.assign(x.values, x.values + x.entries);
}
void copy_to(ColumnNote& note, const SparseColumn<double>& x) {
  note.rows.assign(x.rows, x.rows + x.entries);
  note.values.assign(x.values, x.values + x.entries);
}
template <typename T>
void copy_to(ColumnNote& note, const DenseColumn<T>& x) {
  note.rows.clear();
  note.values.clear();
  for (std::uint32_t i = 0; i < x.rows; ++i) {
    if (x.values[i] == 0) continue;
    note.rows.push_back(i);
    note.values.push_back(static_cast<double>(x.values[i]));
  }
}

class ColumnsPush final : public SharedPush {
 public:
  ColumnsPush(const ColumnSettings& settings, std::shared_ptr<const Columns> columns, bool seen,
              std::shared_ptr<const RowData> rows)
      : settings_(settings),
        kept_(std::move(columns)),
        columns_(*kept_),
        seen_(seen),
        rows_(std::move(rows)),
        coefficients_(columns_.columns()) {
    compute_norms();
  }

  // Entries of the shard's columns: the cost of a screen.
  std::uint64_t items() const override { return columns_.entries(); }
  void attach(const Shape& shape) override { speaks_for_all_ = shape.speaks_for_all; }

  std::uint64_t push(const SharedTask& task, Random&) override {
    const auto argument = task.argument.as<ColumnsStep>();
    switch (argument.step) {
      case Step::start:
        begin(argument.fold);
        if (speaks_for_all_ && !seen_) write_fields(task.note, rows_->data);
        return columns_.entries();
      case Step::screen:
        screen(settings_.penalty(argument.lambda), argument.wanted, task.note);
        gradient_ = {};  // the next screen has another
        return columns_.entries();
      case Step::solve:
        hand_out(task, argument.entering);
        return 0;
      default:
        return 0;
    }
  }

  void refresh(const Commit& commit) override {
    const Step step = commit.argument.as<ColumnsStep>().step;
    if (step != Step::start && step != Step::solve) return;
    gradient_ = aligned(commit.reply);
    for (const Delta& delta : commit.deltas)
      if (holds(delta.key)) coefficients_[delta.key - columns_.first_column()] = delta.value[0];
  }

  // An epoch ends with a screen, so there is no gradient.
  void state(Archive& list) override {
    std::uint32_t fold = fold_;
    list(fold);
    if (!list.reads()) return put_nonzeros(coefficients_, *list.writer());
    begin(fold);
    get_nonzeros(*list.reader(), coefficients_);
  }
  bool restores_in_place() const override { return true; }

 private:
  // A path begins, with no coefficient, possibly on other rows.
  void begin(std::uint32_t fold) {
    coefficients_.assign(columns_.columns(), 0);
    if (fold_ != fold) {
      fold_ = fold;
      compute_norms();
    }
  }

  // The columns' norms under the weights of the fit's rows.
  void compute_norms() {
    norm_.resize(columns_.columns());
    scale_.resize(settings_.standardize ? columns_.columns() : 0);
    const std::vector<double> weights = rows_->weights(fold_, settings_);
    const bool centred = settings_.standardize || settings_.intercept;
    for (std::uint32_t c = 0; c < columns_.columns(); ++c) {
      const auto each = [&](const auto& take) {
        columns_.each(c, [&](std::uint32_t row, double x) { take(weights[row], x); });
      };
      const double square = columns_.weighted_norm2(c, weights), mean = centred ? columns_.dot(c, weights) : 0;
      double variance = square - mean * mean;
      // For a column far from 0 the difference has few digits, if any.
      if (variance < kFarFromZero * square) variance = column_moments(weights.size(), 1, each).centred_square;
      if (square < kLeastSquare)
        if (const double largest = largest_weighted(each); largest > 0)
          refuse_tiny_column(columns_.first_column() + c, largest);
      if (settings_.standardize) scale_[c] = std::sqrt(variance);
      norm_[c] = std::sqrt(settings_.intercept ? variance : square);
    }
  }

  // Computes every column's gradient, and notes those nearest to the bound at which they enter.
  void screen(const Penalty& penalty, std::size_t wanted, Writer& note) const {
    Screening out;
    out.entries = columns_.entries();
    std::vector<double> distance(columns_.columns());
    const std::span<const double> gradient = numbers_in(gradient_);
    if (gradient.size() != columns_.rows()) throw std::runtime_error("damaged data: a gradient");
    columns_.dot_all(gradient, distance);
    for (std::uint32_t c = 0; c < columns_.columns(); ++c) {
      const double scale = scale_.empty() ? 1 : scale_[c];
      if (norm_[c] <= 0 || scale <= 0) {
        distance[c] = std::numeric_limits<double>::infinity();
        continue;
      }
      const double slope = std::abs(distance[c] - penalty.l2 * scale * scale * coefficients_[c]);
      out.steepest = std::max(out.steepest, slope / scale);
      distance[c] = (penalty.l1 * scale - slope) / norm_[c];
    }
    double bound = likely_bound(distance, wanted);
    std::vector<Candidate> nearest;
    const auto choose = [&] {
      nearest.clear();
      for (std::uint32_t c = 0; c < columns_.columns(); ++c)
        if (distance[c] < bound) nearest.push_back({distance[c], columns_.first_column() + c, columns_.entries(c)});
    };
    choose();
    if (nearest.size() < wanted && std::isfinite(bound)) {
      bound = std::numeric_limits<double>::infinity();
      choose();
    }
    if (nearest.size() > wanted) {
      const auto end = nearest.begin() + static_cast<std::ptrdiff_t>(wanted);
      std::nth_element(nearest.begin(), end, nearest.end());
      nearest.erase(end, nearest.end());
    }
    std::sort(nearest.begin(), nearest.end());
    note.reserve(sizeof(Screening) + nearest.size() * sizeof(Candidate));
    write_fields(note, out);
    for (const Candidate& one : nearest) write_fields(note, one);
  }

  // Sends the data of this shard's columns that enter the working set.
  void hand_out(const SharedTask& task, std::size_t entering) const {
    std::vector<std::uint32_t> wanted;
    std::size_t bytes = 0;
    for (const Entry& entry : task.entries.subspan(1, entering)) {  // after the intercept
      if (!holds(entry.key)) continue;
      wanted.push_back(static_cast<std::uint32_t>(entry.key - columns_.first_column()));
      bytes += kNoteBytes + (seen_ ? 0 : columns_.entries(wanted.back()) * kEntryBytes);
    }
    task.note.reserve(bytes);
    ColumnNote note;
    for (const std::uint32_t c : wanted) {
      note.column = columns_.first_column() + c;
      note.scale = scale_.empty() ? 1 : scale_[c];
      if (!seen_ || !columns_.seen_column(note.column)) columns_.of(c, [&](const auto& x) { copy_to(note, x); });
      write_fields(task.note, note);
    }
  }

  bool holds(Key column) const {
    return column >= columns_.first_column() && column - columns_.first_column() < columns_.columns();
  }

  ColumnSettings settings_;
  bool speaks_for_all_ = false;
  const std::shared_ptr<const Columns> kept_;
  const Columns& columns_;
  bool seen_;  // by the pull
  std::shared_ptr<const RowData> rows_;

  // Of the current fit.
  std::uint32_t fold_ = 0;
  std::vector<double> norm_;   // of every column under the fit's weights, about its mean if there is an intercept
  std::vector<double> scale_;  // s_j; empty: all 1
  std::vector<double> coefficients_;  // as last committed
  Bytes gradient_;                    // by row, as last committed; empty after a screen
};

}  // namespace

std::vector<std::unique_ptr<Push>> columns_pushes(const ColumnSettings& settings, std::uint64_t seed, Design data,
                                                  DataHere* here) {
  auto& [response, weights] = data.common.numbers;
  if (settings.has_classes()) response = coded(std::move(response), data.common.classes);
  const auto rows = std::make_shared<const RowData>(
      DataNote{data.common.columns, std::move(response), std::move(weights), data.common.classes}, settings, seed);
  if (here != nullptr) here->rows = rows;
  std::vector<std::unique_ptr<Push>> shards;
  for (DesignShard& one : data.hosted) {
    const auto columns = std::make_shared<const Columns>(std::move(one.columns));
    if (here != nullptr) here->columns.push_back(columns);
    shards.push_back(std::make_unique<ColumnsPush>(settings, columns, here != nullptr, rows));
  }
  return shards;
}

}  // namespace rota::lasso
