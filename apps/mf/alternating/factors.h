// apps/mf/alternating/factors.h -- factors of one side, from which the other side's rows are solved.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/mf/alternating/row_kernel.h"
#include "apps/mf/ratings.h"
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

// All rows of one side, of RowForm::size numbers each.
using Factors = std::span<const double>;

// Rows for the kernel: the factors of each partner, 1 in place of the bias, zeros up to the width; and the prediction
// without their product, base + bias.
void gather_rows(Factors all, const RowForm& form, std::span<const Partner> partners, double* rows, double* apart);
// A row as the partner of those: its factors and its bias.
void widen(Factors all, const RowForm& form, std::size_t row, double* out);
// The sum of x' x over all rows, width() by width(), in a fixed order.
void gram(Factors all, const RowForm& form, LineVector<double>& out);

}  // namespace rota::mf
