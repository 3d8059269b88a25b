// apps/linear/predictions.h -- a linear model applied to rows of files.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "apps/linear/class_labels.h"
#include "rota/error.h"
#include "rota/io/libsvm.h"
#include "rota/io/matrix_format.h"

namespace rota::linear {

// Checks that the labels of data to which a model is applied are the model's own.
class LabelCheck {
 public:
  explicit LabelCheck(ClassLabels classes) : classes_(std::move(classes)) {}

  // Adds a row's label; error_at(what) makes the error for its line, if it is the first that is not the model's.
  template <typename ErrorAt>
  void add(double label, const ErrorAt& error_at) {
    seen_.add(label);
    if (!foreign_ && !classes_.find(label))
      foreign_.emplace(error_at("the label " + io::exact_text(label) + " is none of the model's, " + classes_.text()));
  }
  // Throws that error.
  void require_own() const {
    if (foreign_) throw *foreign_;
  }
  // The same, but accepts one constant label in all rows, whatever it is, as a placeholder for unknown labels.
  void require_own_or_none() const {
    if (seen_.get().size() > 1) require_own();
  }

 private:
  ClassLabels classes_;
  io::DistinctLabels seen_;
  std::optional<DataError> foreign_;
};

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
  void read_market(const std::string& path);

  LabelCheck* check_;
  double intercept_;
  std::vector<double> by_column_, links_, labels_;
};

}  // namespace rota::linear
