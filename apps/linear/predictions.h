// apps/linear/predictions.h -- a linear model applied to rows of files.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/linear/label_check.h"
#include "rota/io/libsvm.h"
#include "rota/io/matrix_format.h"

namespace rota::linear {

// The linear predictions of one set of coefficients, for rows as they are read.
class LinearPredictions {
 public:
  // `coefficients`: (column from 0, value), ascending.  `check`: of LIBSVM rows' labels, or null.
  LinearPredictions(double intercept, std::span<const std::pair<std::uint64_t, double>> coefficients,
                    LabelCheck* check);

  // Adds the rows of a file.  Throws NoInput, or DataError with file and line.
  void read(const std::string& file, io::MatrixFormat format, std::uint64_t index_from = 1);
  const std::vector<double>& links() const { return links_; }
  const std::vector<double>& labels() const { return labels_; }  // of LIBSVM rows

 private:
  double coefficient(std::uint32_t column) const { return column < by_column_.size() ? by_column_[column] : 0; }
  void read_libsvm(const std::string& path, std::uint64_t index_from);
  void check_labels(const std::string& path, std::string_view block, std::uint64_t lines, const io::LibsvmRows& rows);
  void read_market(const std::string& path);

  LabelCheck* check_;
  double intercept_;
  std::vector<double> by_column_, links_, labels_;
};

}  // namespace rota::linear
