#include "apps/linear/predictions.h"

#include "rota/io/lines.h"
#include "rota/io/matrix_market.h"
#include "rota/io/row_files.h"

namespace rota::linear {

LinearPredictions::LinearPredictions(double intercept, std::span<const std::pair<std::uint64_t, double>> coefficients,
                                     LabelCheck* check)
    : check_(check), intercept_(intercept) {
  if (!coefficients.empty()) by_column_.resize(coefficients.back().first + 1);
  for (const auto& [column, value] : coefficients) by_column_[column] = value;
}

void LinearPredictions::read(const std::string& file, io::MatrixFormat format, std::uint64_t index_from) {
  if (format == io::MatrixFormat::automatic) format = io::matrix_format_of(file);
  format == io::MatrixFormat::libsvm ? read_libsvm(file, index_from) : read_market(file);
}

void LinearPredictions::read_libsvm(const std::string& path, std::uint64_t index_from) {
  io::RowForm form;
  form.format = "libsvm";
  form.index_from = index_from;
  io::RowFiles files({path}, form);
  for (io::LabelledValues row; files.next(row);) {
    double link = intercept_;
    for (std::size_t i = 0; i < row.columns.size(); ++i) link += coefficient(row.columns[i]) * row.values[i];
    links_.push_back(link);
    labels_.push_back(row.label);
    if (check_ != nullptr)
      check_->add(row.label, [&](const std::string& what) { return DataError(path, files.line(), what); });
  }
}

void LinearPredictions::read_market(const std::string& path) {
  const std::size_t first = links_.size();
  io::Lines lines(path);
  std::vector<std::pair<std::uint32_t, double>> products;  // checked at the end: a row's number may be too large
  const auto size = io::read_matrix_market(lines, [&](std::span<const io::MatrixEntry> entries) {
    for (const io::MatrixEntry& entry : entries)
      products.emplace_back(entry.row, coefficient(entry.column) * entry.value);
  });
  links_.resize(first + size.rows, intercept_);
  for (const auto& [row, product] : products) links_[first + row] += product;
}

}  // namespace rota::linear
