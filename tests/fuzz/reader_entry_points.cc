#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/base/check.h"
#include "rota/error.h"
#include "rota/io/decimal.h"
#include "rota/io/libsvm.h"
#include "rota/io/matrix_market.h"
#include "tests/fuzz/entry_points.h"

namespace rota::fuzz {

namespace {

// The text followed by exactly kReadable bytes, so that a reader that goes further is detected.
class Padded {
 public:
  explicit Padded(std::string_view text) : size_(text.size()), bytes_(new char[text.size() + io::kReadable]) {
    std::copy(text.begin(), text.end(), bytes_.get());
    std::fill_n(bytes_.get() + size_, io::kReadable, ' ');
  }
  std::string_view text() const { return {bytes_.get(), size_}; }

 private:
  std::size_t size_;
  std::unique_ptr<char[]> bytes_;
};

struct Entry {
  std::size_t row;
  std::uint32_t column;
  std::uint64_t value;  // its bits
  bool operator==(const Entry&) const = default;
};
struct Read {
  bool wrong = false;
  io::LibsvmSize size;
  std::vector<double> labels;
  std::vector<Entry> entries;
};

Read read(std::string_view text, const io::ColumnRange& range, std::uint64_t index_from) {
  Read read;
  io::LibsvmRows rows(index_from);
  read.wrong = rows.parse(text, range, read.size).has_value();
  if (read.wrong) return read;
  read.labels.assign(rows.labels().begin(), rows.labels().end());
  std::size_t at = 0;
  for (std::size_t row = 0; row < rows.ends().size(); ++row)
    for (; at < rows.ends()[row]; ++at) {
      ROTA_CHECK(rows.values()[at] != 0);
      read.entries.push_back({row, rows.columns()[at], std::bit_cast<std::uint64_t>(rows.values()[at])});
    }
  return read;
}

bool same_size(const io::LibsvmSize& a, const io::LibsvmSize& b) {
  return a.lines == b.lines && a.rows == b.rows && a.columns == b.columns && a.entries == b.entries &&
         std::equal(a.labels.get().begin(), a.labels.get().end(), b.labels.get().begin(), b.labels.get().end());
}

void append_number(std::string& text, double value) {
  char digits[32];
  text.append(digits, std::to_chars(digits, digits + sizeof digits, value).ptr);
}

std::string written(const Read& read, std::uint64_t index_from) {
  std::string text;
  auto entry = read.entries.begin();
  for (std::size_t row = 0; row < read.labels.size(); ++row) {
    append_number(text, read.labels[row]);
    for (; entry != read.entries.end() && entry->row == row; ++entry) {
      text += " " + std::to_string(entry->column + index_from) + ":";
      append_number(text, std::bit_cast<double>(entry->value));
    }
    text += "\n";
  }
  return text;
}

// A file that lives in memory.
class MemoryFile {
 public:
  explicit MemoryFile(std::span<const std::byte> content) : descriptor_(::memfd_create("input", MFD_CLOEXEC)) {
    ROTA_CHECK(descriptor_ >= 0);
    ROTA_CHECK(::write(descriptor_, content.data(), content.size()) == static_cast<::ssize_t>(content.size()));
  }
  MemoryFile(const MemoryFile&) = delete;
  ~MemoryFile() { ::close(descriptor_); }
  std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace

bool libsvm(std::span<const std::byte> input) {
  std::uint16_t cuts[2] = {};
  const std::size_t taken = std::min(input.size(), sizeof cuts);
  std::copy_n(input.begin(), taken, std::as_writable_bytes(std::span(cuts)).begin());
  const std::uint64_t a = std::min(cuts[0], cuts[1]), b = std::max(cuts[0], cuts[1]);
  const std::uint64_t index_from = (a + b) % 2;
  const Padded text(text_of(input.subspan(taken)) + "\n");

  const Read all = read(text.text(), {}, index_from);
  io::LibsvmSize measured;
  const bool measured_wrong = io::measure_libsvm(text.text(), measured, index_from).has_value();
  if (measured_wrong) ROTA_CHECK(all.wrong);
  if (!all.wrong) ROTA_CHECK(same_size(measured, all.size));
  bool wrong = false;
  for (const io::ColumnRange& range : {io::ColumnRange{0, a}, io::ColumnRange{a, b}, io::ColumnRange{b}}) {
    const Read part = read(text.text(), range, index_from);
    wrong = wrong || part.wrong;
    if (all.wrong || part.wrong) continue;
    ROTA_CHECK(same_size(part.size, all.size));
    std::vector<Entry> expected = all.entries;
    std::erase_if(expected,
                  [&](const Entry& entry) { return entry.column < range.first || entry.column >= range.end; });
    ROTA_CHECK(part.entries == expected);
  }
  ROTA_CHECK(wrong == all.wrong);
  if (all.wrong) return false;
  const Padded again(written(all, index_from));
  if (again.text().empty()) return true;
  const Read back = read(again.text(), {}, index_from);
  ROTA_CHECK(!back.wrong);
  ROTA_CHECK(back.labels == all.labels && back.entries == all.entries);
  return true;
}

bool matrix_market(std::span<const std::byte> input) {
  const MemoryFile file(input);
  std::vector<io::MatrixEntry> all;
  io::MatrixMarketSize size;
  try {
    io::Lines lines(file.path());
    size = io::read_matrix_market(lines, [&](std::span<const io::MatrixEntry> entries) {
      all.insert(all.end(), entries.begin(), entries.end());
    });
  } catch (const DataError&) {
    return false;
  }
  ROTA_CHECK(all.size() == size.entries);
  for (const io::MatrixEntry& entry : all) ROTA_CHECK(entry.row < size.rows && entry.column < size.columns);
  if (!all.empty()) (void)io::line_of_repeated(file.path(), all.front().row, all.front().column);
  return true;
}

bool number(std::span<const std::byte> input) {
  const std::string text = text_of(input);
  double value = 0, scanned = 0;
  const bool taken = io::parse_number(text, value);
  if (taken) {
    char* end = nullptr;
    const double expected = std::strtod(text.c_str(), &end);
    ROTA_CHECK(end == text.c_str() + text.size());
    ROTA_CHECK(std::bit_cast<std::uint64_t>(expected) == std::bit_cast<std::uint64_t>(value));
  }
  const Padded padded(text);
  const char* const end = io::scan_decimal(padded.text().data(), scanned);
  if (end != nullptr && end == padded.text().data() + text.size()) {
    ROTA_CHECK(taken);
    ROTA_CHECK(std::bit_cast<std::uint64_t>(scanned) == std::bit_cast<std::uint64_t>(value));
  }
  return taken;
}

}  // namespace rota::fuzz
