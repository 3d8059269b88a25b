// apps/linear/label_check.h -- checks that the labels of data to which a model of two classes is applied are the
// model's own.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "apps/linear/two_classes.h"
#include "rota/error.h"
#include "rota/io/libsvm.h"
#include "rota/io/number_text.h"

namespace rota::linear {

class LabelCheck {
 public:
  explicit LabelCheck(const TwoClasses& classes) : classes_(classes) {}

  // Whether this is the first label that is not the model's: only its line must be determined.
  bool is_first_foreign(double label) const { return !foreign_ && !classes_.has(label); }
  void add(double label) { seen_.add(label); }
  // Records it with its line.
  void refuse(const std::string& file, std::uint64_t line, double label) {
    foreign_.emplace(file, line, "the label " + io::exact_text(label) + " is none of the model's, " + classes_.text());
  }
  // Throws DataError for the first that is not the model's.
  void require_own() const {
    if (foreign_) throw *foreign_;
  }
  // The same, but accepts one constant label in all rows, whatever it is, as a placeholder for unknown labels.
  void require_own_or_none() const {
    if (seen_.get().size() > 1) require_own();
  }

 private:
  TwoClasses classes_;
  io::DistinctLabels seen_;
  std::optional<DataError> foreign_;
};

}  // namespace rota::linear
