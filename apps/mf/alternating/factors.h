// apps/mf/alternating/factors.h -- factors of one side, from which the other side's rows are solved.
#pragma once
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>

#include "apps/mf/kernels.h"
#include "apps/mf/ratings/rating_rows.h"
#include "apps/mf/settings.h"
#include "rota/numerics/line_vector.h"

namespace rota::mf {

// A row has `size` numbers: the factors, and then with biases the bias, whose partner is 1.
struct RowForm {
  std::size_t rank, size;
  double base;        // the prediction before factors and biases
  double bias_times;  // the weight of a bias' square in the penalty, relative to a factor's

  RowForm(const Settings& settings, double base_, double bias_times_)
      : rank(settings.rank), size(rank + (settings.biases ? 1 : 0)), base(base_), bias_times(bias_times_) {}
  bool biases() const { return size > rank; }
  std::size_t width() const { return (size + kRowLanes - 1) / kRowLanes * kRowLanes; }  // of a row for the kernel
};

// All rows of one side, in one version of its table.
struct Factors {
  std::span<const double> numbers;  // of `size` each
  std::uint64_t version;
};

// Rows for the kernel: the factors of each partner, 1 in place of the bias, zeros up to the width; and the prediction
// without their product, base + bias.
void gather_rows(const Factors& all, const RowForm& form, std::span<const Partner> partners, double* rows,
                 double* apart);
// A row as the partner of those: its factors and its bias.
void widen(const Factors& all, const RowForm& form, std::size_t row, double* out);

// A value computed once for each version of a table, by the first shard of the process that needs it.  The result of
// of() is valid until a shard asks for another version: all shards of a process see the same one.
class PerVersion {
 public:
  template <typename Make>
  const LineVector<double>& of(std::uint64_t version, Make make) {
    const std::scoped_lock lock(mutex_);
    if (version_ != version) {
      make(values_);
      version_ = version;
    }
    return values_;
  }

 private:
  std::mutex mutex_;
  LineVector<double> values_;
  std::optional<std::uint64_t> version_;
};

// The sum of x' x over all rows, width() by width(), in a fixed order.
void gram(const Factors& all, const RowForm& form, const RowKernel& kernel, LineVector<double>& out);

}  // namespace rota::mf
