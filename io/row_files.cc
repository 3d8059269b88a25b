#include "rota/io/row_files.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "rota/error.h"
#include "rota/io/number_text.h"
#include "rota/io/numbers.h"
#include "rota/io/text_file.h"
#include "rota/memory_input.h"

namespace rota::io {

RowFiles::RowFiles(std::vector<std::string> paths, RowForm form, ValueRange values)
    : paths_(std::move(paths)), form_(std::move(form)), allowed_(values) {}

RowFiles::RowFiles(std::vector<std::string> paths, RowForm form, Section section)
    : RowFiles(std::move(paths), std::move(form)) {
  std::uint64_t all = 0;
  for (const std::string& path : paths_) {
    if (is_memory_name(path)) throw UsageError("--stream reads files, and " + path + " is in memory");
    parts_.push_back({all, all + TextFile(path).size()});
    all = parts_.back().end;
  }
  const std::uint64_t first =
      all / section.count * section.index + std::min<std::uint64_t>(section.index, all % section.count);
  const std::uint64_t end = first + all / section.count + (section.index < all % section.count ? 1 : 0);
  for (ByteRange& part : parts_) {
    const auto inside = [of_file = part](std::uint64_t at) {
      return std::clamp(at, of_file.begin, of_file.end) - of_file.begin;
    };
    part = {inside(first), inside(end)};
  }
}

void RowFiles::open() {
  reader_ = parts_.empty() ? read_rows(paths_[file_], form_) : read_rows(paths_[file_], form_, parts_[file_]);
  widest_ = 0;
  if (form_.names.empty()) form_.names = reader_->names();
  if (names_.empty()) names_ = reader_->names();
}

bool RowFiles::next(LabelledValues& row) {
  while (file_ < paths_.size()) {
    if (reader_ == nullptr) open();
    if (reader_->next(row)) {
      if (rows_ == kMostRows) fail("the data has at most " + std::to_string(kMostRows) + " rows");
      ++rows_;
      entries_ += row.written;
      if (!row.columns.empty() && row.columns.back() >= widest_) {
        widest_ = row.columns.back() + std::uint64_t{1};
        if (parts_.empty() && reader_->columns() > columns_) widest_line_ = reader_->line();
      }
      check_values(row);
      return true;
    }
    if (reader_->columns() > columns_) {
      columns_ = reader_->columns();
      widest_file_ = paths_[file_];
    }
    if (file_ + 1 == paths_.size()) return false;
    form_.words = reader_->words();
    if (rows_ > 0 && form_.words.empty()) form_.words_allowed = false;  // labels so far are numbers
    reader_ = nullptr;
    ++file_;
  }
  return false;
}

void RowFiles::fail(const std::string& what) const {
  reader_->fail(what);
  __builtin_unreachable();  // GCC forgets that a virtual function does not return
}

void RowFiles::check_values(const LabelledValues& row) {
  if (allowed_.most == ValueRange().most) return;
  double of_row = 0;
  for (const double value : row.values) of_row = std::max(of_row, std::abs(value));
  if (of_row > allowed_.most) fail("a value above " + exact_text(allowed_.most) + ": scale the data");
  if (of_row <= largest_) return;
  largest_ = of_row;
  largest_file_ = path();
  largest_line_ = line();
}

RowsSize RowFiles::size() const {
  if (rows_ == 0) throw DataError(paths_.front(), 0, "the data has no rows");
  if (columns_ == 0) throw DataError(paths_.front(), 0, "the data has no columns");
  if (const std::string wrong = out_of_proportion(columns_, "columns", entries_); !wrong.empty())
    throw DataError(widest_file_, widest_line_, wrong);
  if (largest_ > 0 && largest_ < allowed_.least)
    throw DataError(largest_file_, largest_line_,
                    "the largest value is below " + exact_text(allowed_.least) + ": scale the data");
  return {rows_, columns_, names_};
}

}  // namespace rota::io
