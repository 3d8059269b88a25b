#include "rota/io/row_files.h"

#include <utility>

namespace rota::io {

RowFiles::RowFiles(std::vector<std::string> paths, RowForm form) : paths_(std::move(paths)), form_(std::move(form)) {}

bool RowFiles::next(LabelledValues& row) {
  while (file_ < paths_.size()) {
    if (reader_ == nullptr) {
      reader_ = read_rows(paths_[file_], form_);
      widest_ = 0;
      if (form_.names.empty()) form_.names = reader_->names();
      if (names_.empty()) names_ = reader_->names();
    }
    if (reader_->next(row)) {
      if (rows_ == kMostRows) fail("the data has at most " + std::to_string(kMostRows) + " rows");
      ++rows_;
      entries_ += row.written;
      if (!row.columns.empty() && row.columns.back() >= widest_) {
        widest_ = row.columns.back() + std::uint64_t{1};
        if (reader_->columns() > columns_) widest_line_ = reader_->line();
      }
      return true;
    }
    if (reader_->columns() > columns_) {
      columns_ = reader_->columns();
      widest_file_ = paths_[file_];
    }
    if (file_ + 1 == paths_.size()) return false;
    reader_ = nullptr;
    ++file_;
  }
  return false;
}

void RowFiles::fail(const std::string& what) const {
  reader_->fail(what);
  __builtin_unreachable();  // GCC forgets that a virtual function does not return
}

}  // namespace rota::io
