#include "apps/linear/predictions.h"

#include <algorithm>

#include "rota/error.h"
#include "rota/io/lines.h"
#include "rota/io/matrix_market.h"
#include "rota/io/text_file.h"

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
  const io::TextFile file(path);
  io::LineBlocks blocks = file.all_lines();
  io::LibsvmRows rows(index_from);
  io::LibsvmSize size;
  for (std::string_view block; blocks.next(block);) {
    const std::uint64_t lines = size.lines;  // before the block
    if (const auto wrong = rows.parse(block, {}, size))
      throw DataError(path, lines + wrong->lines_before + 1, wrong->what);
    std::size_t at = 0;
    for (const std::size_t end : rows.ends()) {
      double link = intercept_;
      for (; at < end; ++at) link += coefficient(rows.columns()[at]) * rows.values()[at];
      links_.push_back(link);
    }
    labels_.insert(labels_.end(), rows.labels().begin(), rows.labels().end());
    if (check_ != nullptr) check_labels(path, block, lines, rows);
  }
}

void LinearPredictions::check_labels(const std::string& path, std::string_view block, std::uint64_t lines,
                                     const io::LibsvmRows& rows) {
  for (std::size_t r = 0; r < rows.labels().size(); ++r) {
    check_->add(rows.labels()[r]);
    if (!check_->is_first_foreign(rows.labels()[r])) continue;
    const std::string_view before = block.substr(0, rows.begins()[r]);
    const auto inside = static_cast<std::uint64_t>(std::count(before.begin(), before.end(), '\n'));
    check_->refuse(path, lines + inside + 1, rows.labels()[r]);
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
