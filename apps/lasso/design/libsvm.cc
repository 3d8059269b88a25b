// apps/lasso/design/libsvm.cc -- LIBSVM text in pieces that threads read at the same time.
#include "rota/io/libsvm.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "apps/lasso/design/input.h"
#include "apps/lasso/design/parallel.h"
#include "apps/lasso/design/sample_cuts.h"
#include "rota/error.h"
#include "rota/io/number_text.h"
#include "rota/io/numbers.h"
#include "rota/io/text_file.h"
#include "rota/shards.h"

namespace rota::linear {
namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 24;

// Lines of one file: of a divisible one those in [begin, end), of another all.
struct TextPiece {
  TextPiece(const io::TextFile& in, std::uint64_t first, std::uint64_t last) : file(&in), begin(first), end(last) {}

  // Records the error of a block, if there is one; `size` has the lines before it.
  void refuse(std::optional<io::WrongLine> line) {
    wrong = std::move(line);
    if (wrong) wrong->lines_before += size.lines;
  }

  const io::TextFile* file;
  std::uint64_t begin, end;
  io::LibsvmSize size;
  std::optional<io::WrongLine> wrong;
  ColumnSample sample;  // of a file that is not divisible
  DesignPiece design;
};

struct RowRange {
  std::uint64_t first = 0, end = io::kMostRows;
};

// Calls take(block, its offset) for the piece's blocks of lines, until one has an error.
template <typename Take>
void each_block(TextPiece& piece, Take take) {
  try {
    io::LineBlocks blocks =
        piece.file->divisible() ? piece.file->lines(piece.begin, piece.end) : piece.file->all_lines();
    std::uint64_t at = piece.begin;
    for (std::string_view block; !piece.wrong && blocks.next(block); at += block.size()) {
      take(block, at);
      if (!piece.wrong && piece.size.rows > io::kMostRows)
        piece.wrong = {piece.size.lines, "a matrix has at most " + std::to_string(io::kMostRows) + " rows"};
    }
  } catch (const io::BrokenBytes& broken) {
    piece.wrong = {piece.size.lines, broken.what()};
  }
}

// Keeps entries in `columns` of rows in `rows`, which count from the piece's first.
void read_piece(TextPiece& piece, const io::ColumnRange& columns, const RowRange& rows, std::uint64_t index_from) {
  piece.size = {};
  io::LibsvmRows parsed(index_from);
  each_block(piece, [&](std::string_view block, std::uint64_t at) {
    const std::uint64_t first_row = piece.size.rows;
    const std::uint64_t lines_before = piece.size.lines;
    piece.refuse(parsed.parse(block, columns, piece.size));
    if (piece.wrong) return;
    const auto large = std::find_if(parsed.labels().begin(), parsed.labels().end(), is_too_large);
    if (large != parsed.labels().end()) {
      const std::size_t begin = parsed.begins()[static_cast<std::size_t>(large - parsed.labels().begin())];
      const auto before = std::count(block.begin(), block.begin() + static_cast<std::ptrdiff_t>(begin), '\n');
      piece.wrong = {lines_before + static_cast<std::uint64_t>(before), too_large(*large)};
      return;
    }
    piece.design.entries.add_rows(parsed, first_row, rows.first, rows.end);
    piece.design.labels.insert(piece.design.labels.end(), parsed.labels().begin(), parsed.labels().end());
    if (piece.file->divisible()) return;
    piece.sample.add(at, parsed);
    piece.end = at + block.size();
    if (const std::uint64_t stride = sample_stride(piece.end); stride > piece.sample.stride())
      piece.sample.coarsen(stride);
  });
  piece.design.entries.finish();
}

class LibsvmFiles {
 public:
  LibsvmFiles(const std::vector<std::string>& paths, std::uint64_t index_from) : index_from_(index_from) {
    files_.reserve(paths.size());
    for (const std::string& path : paths) files_.emplace_back(path);
    for (const io::TextFile& file : files_) naming(file, [&] { divide(file); });
  }

  bool divisible() const {
    return std::all_of(files_.begin(), files_.end(), [](const io::TextFile& file) { return file.divisible(); });
  }

  // The cuts of the shards.  Unless all files are divisible, AFTER they were read.
  std::vector<std::uint64_t> cut(std::uint32_t shards) {
    if (shards == 1) return {0};
    std::uint64_t bytes = 0;
    for (const io::TextFile& file : files_) bytes += file.size();
    for (const TextPiece& piece : pieces_) bytes += piece.file->divisible() ? 0 : piece.end;
    const std::uint64_t stride = sample_stride(bytes);
    std::vector<std::uint32_t> columns;
    for (const io::TextFile& file : files_)
      if (file.divisible()) naming(file, [&] { sample_columns(file, stride, index_from_).append_to(columns); });
    for (TextPiece& piece : pieces_) {
      if (stride > piece.sample.stride()) piece.sample.coarsen(stride);
      piece.sample.append_to(columns);
    }
    return cut_columns(std::move(columns), shards);
  }

  void read(const io::ColumnRange& columns) {
    each_piece([&](TextPiece& piece) {
      piece.design.entries = DesignEntries(columns.first);
      read_piece(piece, columns, {}, index_from_);
    });
  }
  void measure() {
    each_piece([this](TextPiece& piece) {
      each_block(piece, [&](std::string_view block, std::uint64_t) {
        piece.refuse(io::measure_libsvm(block, piece.size, index_from_));
      });
    });
  }
  // After measure(): drops the pieces without any of these rows, and reads the others.
  void read_rows(const RowRange& rows) {
    std::uint64_t first = 0;
    for (TextPiece& piece : pieces_) first = (piece.design.first_row = first) + piece.size.rows;
    each_piece([&](TextPiece& piece) {
      const std::uint64_t begin = piece.design.first_row, end = begin + piece.size.rows;
      if (begin >= rows.end || end <= rows.first) return;
      read_piece(piece, {}, {std::max(rows.first, begin) - begin, std::min(rows.end, end) - begin}, index_from_);
    });
    if (size_.rows != first) throw DataError(files_.front().path(), 0, "the input changed while it was read");
    std::erase_if(pieces_, [](const TextPiece& piece) { return piece.design.labels.empty(); });
  }

  DesignShape shape() const { return {size_.rows, size_.columns, size_.entries}; }

  DesignInput finish(std::vector<std::uint64_t> cuts) {
    DesignInput input;
    input.shape = shape();
    input.cuts = std::move(cuts);
    input.labels = size_.labels;
    for (TextPiece& piece : pieces_) input.pieces.push_back(std::move(piece.design));
    align_buckets(input.pieces);
    return input;
  }

 private:
  // Calls read(); if the file cannot be read, the error names it.
  template <typename Read>
  static void naming(const io::TextFile& file, Read read) {
    try {
      read();
    } catch (const io::BrokenBytes& broken) {
      throw DataError(file.path(), 0, broken.what());
    }
  }

  void divide(const io::TextFile& file) {
    if (!file.divisible()) {
      pieces_.emplace_back(file, 0, 0);
      return;
    }
    std::uint64_t begin = file.line_start(0);
    do {
      const std::uint64_t end = std::max(begin, file.line_start(begin + kPieceBytes));
      pieces_.emplace_back(file, begin, end);
      begin = end;
    } while (begin < file.size());
  }

  // Calls read(piece) for all pieces, several at a time, and throws the error of the first piece that has one.
  template <typename Read>
  void each_piece(Read read) {
    struct Stop {};
    try {
      run_in_parallel(pieces_.size(), [&](std::size_t i) {
        read(pieces_[i]);
        if (pieces_[i].wrong) throw Stop();
      });
    } catch (const Stop&) {  // all pieces before it have been read
    }
    sum_up();
  }

  void sum_up() {
    const io::TextFile *file = nullptr, *widest = nullptr;
    std::uint64_t lines = 0;
    size_ = {};
    for (TextPiece& piece : pieces_) {
      if (std::exchange(file, piece.file) != piece.file) lines = 0;
      if (piece.wrong) throw DataError(file->path(), lines + piece.wrong->lines_before + 1, piece.wrong->what);
      lines += piece.size.lines;
      piece.design.first_row = size_.rows;
      piece.design.rows = piece.size.rows;
      size_.rows += piece.size.rows;
      if (piece.size.columns > size_.columns) {
        widest = file;
        size_.columns = piece.size.columns;
        size_.widest = lines - piece.size.lines + piece.size.widest;
      }
      size_.entries += piece.size.entries;
      for (const double label : piece.size.labels.get()) size_.labels.add(label);
      if (size_.rows > io::kMostRows)
        throw DataError(file->path(), lines, "a matrix has at most " + std::to_string(io::kMostRows) + " rows");
    }
    if (size_.rows == 0) throw DataError(files_.front().path(), 0, "the matrix has no rows");
    if (size_.columns == 0) throw DataError(files_.front().path(), 0, "the matrix has no columns");
    // Every column takes memory, with or without entries.
    const std::string wrong = io::out_of_proportion(size_.columns, "columns", size_.entries);
    if (!wrong.empty()) throw DataError(widest->path(), size_.widest, wrong);
  }

  std::uint64_t index_from_;
  std::vector<io::TextFile> files_;
  std::vector<TextPiece> pieces_;  // in the order of the matrix's rows
  io::LibsvmSize size_;
};

// The smallest range with all hosted shards.
template <typename Range>
Range hull(const std::vector<std::uint64_t>& cuts, std::span<const ShardId> hosted) {
  if (hosted.empty()) return {0, 0};
  const auto [least, most] = std::minmax_element(hosted.begin(), hosted.end());
  return *most + 1 < cuts.size() ? Range{cuts[*least], cuts[*most + 1]} : Range{cuts[*least]};
}

}  // namespace

std::string too_large(double response) {
  return "the response " + io::exact_text(response) + " is too large to be squared and summed up: give it another unit";
}

DesignInput read_libsvm_columns(const std::vector<std::string>& paths, std::uint32_t shards,
                                std::span<const ShardId> hosted, std::uint64_t index_from) {
  LibsvmFiles files(paths, index_from);
  std::vector<std::uint64_t> cuts;
  if (files.divisible()) {
    cuts = files.cut(shards);
    files.read(hull<io::ColumnRange>(cuts, hosted));
  } else {
    files.read({});
    cuts = files.cut(shards);
  }
  cuts.push_back(files.shape().columns);
  for (std::uint64_t& cut : cuts) cut = std::min(cut, cuts.back());  // for files that change while they are read
  return files.finish(std::move(cuts));
}

DesignInput read_libsvm_rows(const std::vector<std::string>& paths, std::uint32_t shards,
                             std::span<const ShardId> hosted, std::uint64_t index_from) {
  LibsvmFiles files(paths, index_from);
  if (hosted.size() == shards || !files.divisible()) {
    files.read({});
    return files.finish(cut_evenly(files.shape().rows, shards));
  }
  files.measure();
  std::vector<std::uint64_t> cuts = cut_evenly(files.shape().rows, shards);
  files.read_rows(hull<RowRange>(cuts, hosted));
  return files.finish(std::move(cuts));
}

}  // namespace rota::linear
