// apps/lasso/design/load.cc -- reads rows, and turns them into blocks of columns by a counting sort.
#include "apps/lasso/design/load.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <exception>
#include <optional>
#include <thread>
#include <utility>

#include "rota/error.h"
#include "rota/io/number_list.h"
#include "rota/io/number_text.h"
#include "rota/io/numbers.h"
#include "rota/io/row_files.h"
#include "rota/io/sparse_matrix.h"
#include "rota/io/text_file.h"
#include "rota/shards.h"

namespace rota::lasso {
namespace {

constexpr std::uint64_t kPartBytes = std::uint64_t{1} << 24;     // of plain text, which one thread reads
constexpr std::size_t kPieceEntries = std::size_t{1} << 20;      // whose memory is released at once
constexpr std::uint64_t kWindows = 512, kWindowBytes = 1 << 12;  // of plain text, from which columns are cut
// A block is stored dense if it has at least this share of values that are not 0: without their row numbers they take
// no more memory, and sums over them can be vectorised.
constexpr double kDenseShare = 0.8;

// Calls step(i) for i = 0 .. count-1, on at most `threads` threads.  After a step throws, no others begin, and of all
// exceptions that of the smallest i is rethrown: the same one in every run.
template <typename Step>
void run_in_parallel(std::size_t threads, std::size_t count, const Step& step) {
  std::atomic<std::size_t> next = 0;
  std::vector<std::exception_ptr> wrong(count);
  const auto work_off = [&] {
    for (std::size_t i = next++; i < count; i = next++) {
      try {
        step(i);
      } catch (...) {
        wrong[i] = std::current_exception();
        next = count;
      }
    }
  };
  {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < std::min(threads, count); ++t) others.emplace_back(work_off);
    work_off();
  }
  for (const std::exception_ptr& one : wrong)
    if (one) std::rethrow_exception(one);
}

// Rows of the matrix as they were read, with their entries in the columns that are needed here: copied, or of data in
// memory, seen where it is.
struct Piece {
  std::uint64_t first_row = 0;
  io::SparseMatrix copied;
  std::vector<io::SparseRow> seen;
  std::vector<double> labels;

  std::uint64_t rows() const { return copied.rows + seen.size(); }
  io::SparseRow operator[](std::uint64_t r) const { return seen.empty() ? copied[r] : seen[r]; }
  // Whether a row of that kind is for the next piece.
  bool is_full(bool stays) const {
    return copied.values.size() >= kPieceEntries || (stays ? copied.rows > 0 : !seen.empty());
  }
  void add(const io::SparseRow& row, bool stays) {
    if (stays)
      seen.push_back(row);
    else
      copied.add(row);
  }
  void release() {
    copied = {};
    seen = std::vector<io::SparseRow>();  // not {}, which would keep the memory
  }
};

[[noreturn]] void refuse_large(const auto& fail, const std::string& what, const std::string& whose) {
  fail(what + " is too large to be squared and summed up: give " + whose + " another unit");
  __builtin_unreachable();
}

void check_response(double response, const auto& fail) {
  if (std::abs(response) > kMostSquared) refuse_large(fail, "the response " + io::exact_text(response), "it");
}

void check_values(const io::LabelledValues& row, const auto& fail) {
  for (std::size_t e = 0; e < row.values.size(); ++e)
    if (std::abs(row.values[e]) > kMostSquared) [[unlikely]]
      refuse_large(fail,
                   "the value " + io::exact_text(row.values[e]) + " in column " + std::to_string(row.columns[e] + 1),
                   "the column");
}

// What one thread reads: files, or a section of one.
struct Part {
  std::vector<std::string> files;
  std::optional<io::Section> section;
  // Once it is read.
  std::vector<Piece> pieces = {};
  std::uint64_t columns = 0, entries = 0, widest_line = 0;
  std::string widest_file = {};
  io::DistinctLabels labels = {};
  std::vector<std::string> names = {};

  void read(const io::RowForm& form, const io::ColumnRange& keep) {
    io::RowFiles in = section ? io::RowFiles(files, form, *section) : io::RowFiles(files, form);
    const auto fail = [&](const std::string& what) { in.fail(what); };
    for (io::LabelledValues row; in.next(row);) {
      if (pieces.empty() || pieces.back().is_full(row.stays)) pieces.emplace_back();
      check_values(row, fail);
      const auto first =
          static_cast<std::size_t>(std::ranges::lower_bound(row.columns, keep.first) - row.columns.begin());
      const auto end = static_cast<std::size_t>(std::ranges::lower_bound(row.columns, keep.end) - row.columns.begin());
      pieces.back().add({row.columns.subspan(first, end - first), row.values.subspan(first, end - first)}, row.stays);
      if (form.labels == io::RowForm::Labels::ignored) continue;
      check_response(row.label, fail);
      pieces.back().labels.push_back(row.label);
      labels.add(row.label);
    }
    columns = in.columns();
    entries = in.entries();
    widest_line = in.widest_line();
    widest_file = in.widest_file();
    names = in.names();
  }
};

// `plain` becomes true if all files are plain LIBSVM text.
std::vector<Part> parts_of(const std::vector<std::string>& files, const io::RowForm& form, bool& plain) {
  std::vector<Part> parts;
  plain = true;
  for (const std::string& file : files) {
    const std::string format = form.format == "auto" ? io::found_format(file) : form.format;
    if (format != "libsvm" && format != "text") {
      plain = false;
      return {{files, std::nullopt}};  // columns may have names, which are those of the first file
    }
    const io::TextFile text(file);
    plain = plain && text.divisible();
    const auto sections = static_cast<std::uint32_t>(text.divisible() ? text.size() / kPartBytes + 1 : 1);
    for (std::uint32_t i = 0; i < sections; ++i)
      parts.push_back({{file}, sections > 1 ? std::optional(io::Section{i, sections}) : std::nullopt});
  }
  return parts;
}

void count(std::span<const std::uint32_t> columns, std::vector<std::uint64_t>& counts) {
  for (const std::uint32_t column : columns) {
    if (column >= counts.size()) counts.resize(column + std::size_t{1});
    ++counts[column];
  }
}

// Counts the entries of every column in windows of a plain file.  Where the text is wrong, or has more columns than its
// bytes could justify, it ends: reading all of it will report the error.
void count_in_windows(const io::TextFile& file, std::uint64_t index_from, std::vector<std::uint64_t>& counts) try {
  io::LibsvmRows rows(index_from);
  io::LibsvmSize size;
  for (std::uint64_t window = 0, end = 0; window < kWindows; ++window) {
    const std::uint64_t begin = file.line_start(std::max(end, file.size() / kWindows * window));
    end = file.line_start(begin + kWindowBytes);
    io::LineBlocks blocks = file.lines(begin, end);
    for (std::string_view block; blocks.next(block);) {
      if (rows.parse(block, {}, size) || !io::out_of_proportion(size.columns, "columns", file.size()).empty()) return;
      if (!rows.ends().empty()) count({rows.columns(), rows.ends().back()}, counts);
    }
  }
} catch (const io::BrokenBytes&) {
}

// A block of the matrix.  Every piece is counted, and then added, in the order of their rows.
class Builder {
 public:
  explicit Builder(const BlockRange& range) : range_(range), next_(range.end_column - range.first_column + 1) {}

  void count(const Piece& piece) {
    each(piece, [&](std::uint64_t, std::uint64_t column, double value) {
      ++next_[column + 1];
      single_ = single_ && static_cast<double>(static_cast<float>(value)) == value;
    });
  }
  void end_counting() {
    const std::size_t columns = next_.size() - 1, rows = range_.end_row - range_.first_row;
    for (std::size_t c = 0; c < columns; ++c) next_[c + 1] += next_[c];
    const std::uint64_t entries = next_.back();
    const double places = static_cast<double>(rows) * static_cast<double>(columns);
    const auto dense = [&]<typename T>(T) { storage_ = DenseBlock<T>{rows, LargeVector<T>(rows * columns, T{0})}; };
    const auto sparse = [&]<typename T>(T) {
      storage_ =
          SparseBlock<T>{{next_.begin(), next_.end()}, LargeVector<std::uint32_t>(entries), LargeVector<T>(entries)};
    };
    if (entries > 0 && static_cast<double>(entries) >= kDenseShare * places)
      single_ ? dense(float{}) : dense(double{});
    else
      single_ ? sparse(float{}) : sparse(double{});
  }
  void add(const Piece& piece) {
    std::visit(
        [&](auto& block) {
          each(piece, [&](std::uint64_t row, std::uint64_t column, double value) { put(block, row, column, value); });
        },
        storage_);
  }
  Columns take() { return Columns(range_, std::move(storage_)); }

 private:
  // Calls take(row, column, value) for the entries in the block, numbered from its first row and column.
  template <typename Take>
  void each(const Piece& piece, const Take& take) const {
    const std::uint64_t first = std::max(range_.first_row, piece.first_row);
    const std::uint64_t end = std::min(range_.end_row, piece.first_row + piece.rows());
    for (std::uint64_t row = first; row < end; ++row) {
      const auto [columns, values] = piece[row - piece.first_row];
      auto e = static_cast<std::size_t>(std::ranges::lower_bound(columns, range_.first_column) - columns.begin());
      for (; e < columns.size() && columns[e] < range_.end_column; ++e)
        take(row - range_.first_row, columns[e] - range_.first_column, values[e]);
    }
  }

  template <typename T>
  void put(SparseBlock<T>& block, std::uint64_t row, std::uint64_t column, double value) {
    const std::uint64_t place = next_[column]++;
    block.rows[place] = static_cast<std::uint32_t>(row);
    block.values[place] = static_cast<T>(value);
  }
  template <typename T>
  static void put(DenseBlock<T>& block, std::uint64_t row, std::uint64_t column, double value) {
    block.values[column * block.rows + row] = static_cast<T>(value);
  }

  BlockRange range_;
  std::vector<std::uint64_t> next_;  // the number of entries of each column before; then its next place
  bool single_ = true;               // all values are exact in single precision
  Columns::Storage storage_;
};

// One number for every row, from a file.
std::vector<double> read_column(const std::string& path, const std::string& thing, double least, std::uint64_t rows) {
  std::vector<double> numbers = io::read_numbers(path, "a " + thing, least);
  if (numbers.size() != rows)
    throw DataError(path, 0,
                    "expected a " + thing + " for each of the " + std::to_string(rows) + " rows, found " +
                        std::to_string(numbers.size()));
  return numbers;
}

class Loader {
 public:
  Loader(const Source& source, bool by_columns, std::uint32_t shards, std::span<const ShardId> hosted)
      : source_(source), form_(source.form), shards_(shards), hosted_(hosted) {
    if (source.files.empty()) throw UsageError("no input: name the files of the matrix");
    form_.labels = source.response.empty() ? io::RowForm::Labels::required : io::RowForm::Labels::ignored;
    design_.common.by_columns = by_columns;
  }

  Design load() && {
    DesignCommon& common = design_.common;
    bool plain = false;
    std::vector<Part> parts = parts_of(source_.files, form_, plain);
    io::ColumnRange keep;
    if (common.by_columns && plain) {
      std::vector<std::uint64_t> counts;
      for (const std::string& file : source_.files) count_in_windows(io::TextFile(file), form_.index_from, counts);
      common.cuts = cut_by_work(counts, shards_);
      keep = hosted_columns();
    }
    run_in_parallel(source_.threads, parts.size(), [&](std::size_t i) { parts[i].read(form_, keep); });
    collect(parts);
    cut();
    RowNumbers all = row_numbers();
    build(all);
    if (common.by_columns) common.numbers = std::move(all);
    return std::move(design_);
  }

 private:
  // The smallest range with all hosted shards.
  io::ColumnRange hosted_columns() const {
    if (hosted_.empty()) return {0, 0};
    const auto [least, most] = std::ranges::minmax(hosted_);
    // The last cut is only that of the sample.
    return {design_.common.cuts[least], most + 1 < shards_ ? design_.common.cuts[most + 1] : io::kMostColumns};
  }

  void collect(std::vector<Part>& parts) {
    DesignCommon& common = design_.common;
    std::uint64_t entries = 0;
    const Part* widest = &parts.front();
    for (Part& part : parts) {
      for (Piece& piece : part.pieces) {
        piece.first_row = std::exchange(common.rows, common.rows + piece.rows());
        pieces_.push_back(std::move(piece));
      }
      if (part.columns > widest->columns) widest = &part;
      entries += part.entries;
      for (const double label : part.labels.get()) labels_.add(label);
      if (common.rows > io::kMostRows)
        throw DataError(part.files.back(), 0, "the data has at most " + std::to_string(io::kMostRows) + " rows");
    }
    common.columns = widest->columns;
    common.names = parts.front().names;
    if (common.rows == 0) throw DataError(source_.files.front(), 0, "the data has no rows");
    if (common.columns == 0) throw DataError(source_.files.front(), 0, "the data has no columns");
    // Every column takes memory, with or without entries.
    const std::string wrong = io::out_of_proportion(common.columns, "columns", entries);
    if (!wrong.empty()) throw DataError(widest->widest_file, widest->widest_line, wrong);
  }

  void cut() {
    DesignCommon& common = design_.common;
    if (!common.by_columns) {
      common.cuts = cut_evenly(common.rows, shards_);
    } else {
      std::vector<std::uint64_t> counts(common.columns);
      if (common.cuts.empty())
        for (const Piece& piece : pieces_)
          for (std::uint64_t r = 0; r < piece.rows(); ++r) count(piece[r].columns, counts);
      if (common.cuts.empty()) common.cuts = cut_by_work(counts, shards_);
      common.cuts.back() = common.columns;
      for (std::uint64_t& one : common.cuts) one = std::min(one, common.columns);  // if a file changes meanwhile
    }
    require_cut(common.cuts);
  }

  RowNumbers row_numbers() {
    RowNumbers all;
    const std::string& file = source_.response;
    if (file.empty()) {
      all.response.reserve(design_.common.rows);
      for (Piece& piece : pieces_) {
        all.response.insert(all.response.end(), piece.labels.begin(), piece.labels.end());
        piece.labels = std::vector<double>();
      }
    } else {
      all.response = read_column(file, "response", -std::numeric_limits<double>::infinity(), design_.common.rows);
      for (std::size_t i = 0; i < all.response.size(); ++i) {
        check_response(all.response[i],
                       [&](const std::string& what) { throw DataError(file, line_of(file, i), what); });
        labels_.add(all.response[i]);
      }
    }
    if (!source_.weights.empty()) all.weights = read_weights();
    if (source_.classes) design_.common.classes = classes(file.empty() ? source_.files.front() : file);
    return all;
  }
  // Scaled by a power of two, so that they can be summed: fits use only their shares of the sum.
  std::vector<double> read_weights() const {
    std::vector<double> weights = read_column(source_.weights, "weight", 0, design_.common.rows);
    int exponent = 0;
    std::frexp(std::ranges::max(weights), &exponent);
    for (double& weight : weights) weight = std::ldexp(weight, -exponent);
    return weights;
  }
  ClassLabels classes(const std::string& file) const {
    const std::span<const double> found = labels_.get();
    std::string text;
    for (const double label : found) text += (text.empty() ? "" : ", ") + io::exact_text(label);
    if (found.size() != 2)
      throw DataError(file, 0,
                      "expected a response of two classes, found " +
                          (found.size() == 1 ? "one only: " + text : "more: " + text + ", ..."));
    return ClassLabels({found.begin(), found.end()});
  }

  // Each thread builds some of the shards; a piece is released when none needs it any more.
  void build(const RowNumbers& all) {
    const std::size_t groups = std::min(source_.threads, hosted_.size());
    std::vector<Builder> builders;
    for (const ShardId shard : hosted_) builders.emplace_back(design_.common.range_of(shard));
    std::vector<std::atomic<std::size_t>> left(pieces_.size());
    for (auto& one : left) one = groups;
    run_in_parallel(groups, groups, [&](std::size_t group) {
      const auto of_group = [&](const auto& use) {
        for (std::size_t i = group; i < builders.size(); i += groups) use(builders[i]);
      };
      of_group([&](Builder& one) {
        for (const Piece& piece : pieces_) one.count(piece);
        one.end_counting();
      });
      for (std::size_t p = 0; p < pieces_.size(); ++p) {
        of_group([&](Builder& one) { one.add(pieces_[p]); });
        if (--left[p] == 0) pieces_[p].release();
      }
    });
    for (std::size_t i = 0; i < hosted_.size(); ++i) {
      DesignShard& shard = design_.hosted.emplace_back();
      shard.columns = builders[i].take();
      if (design_.common.by_columns) continue;
      const BlockRange range = shard.columns.range();
      const auto slice = [&](const std::vector<double>& of) {
        return of.empty() ? std::vector<double>() : std::vector(&of[0] + range.first_row, &of[0] + range.end_row);
      };
      shard.numbers = {slice(all.response), slice(all.weights)};
    }
  }

  const Source& source_;
  io::RowForm form_;
  std::uint32_t shards_;
  std::span<const ShardId> hosted_;
  std::vector<Piece> pieces_;  // in the order of their rows
  io::DistinctLabels labels_;
  Design design_;
};

}  // namespace

Design load_columns(const Source& source, std::uint32_t shards, std::span<const ShardId> hosted) {
  return Loader(source, true, shards, hosted).load();
}

Design load_rows(const Source& source, std::uint32_t shards, std::span<const ShardId> hosted) {
  return Loader(source, false, shards, hosted).load();
}

}  // namespace rota::lasso
