#include "rota/io/table_files.h"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rota/io/csv_file.h"
#include "rota/io/text_writer.h"
#include "rota/utf8.h"

namespace rota::io {
namespace {

template <typename T>
bool read(std::string_view text, T& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc{} && end == text.data() + text.size();
}

std::u32string code_points(std::string_view text) {
  std::u32string points;
  while (!text.empty()) {
    const CodePoint next = next_code_point(text);
    points += next.value;
    text.remove_prefix(next.bytes);
  }
  return points;
}

struct Column {
  enum class Type { whole, real, text };  // each holds what those before it hold
  std::string name;
  Type type = Type::whole;
  std::size_t longest = 1;  // text, in characters

  void add(std::string_view field) {
    std::int64_t whole = 0;
    double real = 0;
    if (type == Type::whole && !read(field, whole)) type = Type::real;
    if (type == Type::real && !read(field, real)) type = Type::text;
    longest = std::max(longest, code_points(field).size());
  }
};

// Read twice: for the types of its columns, and to be written.
class Table {
 public:
  explicit Table(const std::filesystem::path& path) : path_(path.string()) {
    CsvFile file(path_, kForm);
    for (const std::string& name : file.names()) columns_.push_back({name});
    for (std::vector<std::string_view> fields; file.next(fields); ++rows_)
      for (std::size_t i = 0; i < fields.size(); ++i) columns_[i].add(fields[i]);
  }
  const std::vector<Column>& columns() const { return columns_; }
  std::uint64_t rows() const { return rows_; }
  template <typename Take>
  void each_row(Take take) const {
    CsvFile file(path_, kForm);
    for (std::vector<std::string_view> fields; file.next(fields);) take(fields);
  }

 private:
  static constexpr CsvForm kForm = {.separator = ',', .header = CsvForm::Header::yes};
  std::string path_;
  std::vector<Column> columns_;
  std::uint64_t rows_ = 0;
};

std::string json_of(std::string_view text) {
  return nlohmann::json(std::string(text)).dump();
}

void write_json(const Table& table, TextWriter& out) {
  out << "[";
  bool first = true;
  table.each_row([&](const std::vector<std::string_view>& fields) {
    out << (first ? "\n{" : ",\n{");
    first = false;
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Column& column = table.columns()[i];
      double number = 0;
      const bool finite = column.type != Column::Type::text && read(fields[i], number) && number - number == 0;
      out << (i > 0 ? "," : "") << json_of(column.name) << ":";
      out << (column.type == Column::Type::text ? json_of(fields[i]) : finite ? std::string(fields[i]) : "null");
    }
    out << "}";
  });
  out << "\n]\n";
}

template <typename T>
void write_bytes(TextWriter& out, const T& value) {
  out << std::string_view(reinterpret_cast<const char*>(&value), sizeof value);
}

// NumPy's "NEP 1, a simple file format for NumPy arrays", version 3: the header is UTF-8.
void write_npy(const Table& table, TextWriter& out) {
  std::string types;
  for (const Column& column : table.columns()) {
    const std::string type = column.type == Column::Type::whole  ? "<i8"
                             : column.type == Column::Type::real ? "<f8"
                                                                 : "<U" + std::to_string(column.longest);
    types += "(" + json_of(column.name) + ", '" + type + "'), ";
  }
  std::string header =
      "{'descr': [" + types + "], 'fortran_order': False, 'shape': (" + std::to_string(table.rows()) + ",), }";
  header.resize((12 + header.size()) / 64 * 64 + 64 - 13, ' ');
  header += '\n';
  out << std::string_view("\x93NUMPY\x03\x00", 8);
  write_bytes(out, static_cast<std::uint32_t>(header.size()));
  out << header;
  table.each_row([&](const std::vector<std::string_view>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const Column& column = table.columns()[i];
      std::int64_t whole = 0;
      double real = 0;
      if (column.type == Column::Type::whole && read(fields[i], whole)) write_bytes(out, whole);
      if (column.type == Column::Type::real && read(fields[i], real)) write_bytes(out, real);
      if (column.type != Column::Type::text) continue;
      std::u32string text = code_points(fields[i]);
      text.resize(column.longest);
      for (const char32_t c : text) write_bytes(out, c);
    }
  });
}

void write_market(const Table& table, TextWriter& out) {
  out << "%%MatrixMarket matrix array real general\n%";
  for (const Column& column : table.columns()) out << " " << column.name;
  out << "\n" << table.rows() << " " << std::uint64_t{table.columns().size()} << "\n";
  std::vector<std::vector<double>> numbers(table.columns().size());
  table.each_row([&](const std::vector<std::string_view>& fields) {
    for (std::size_t i = 0; i < fields.size(); ++i) read(fields[i], numbers[i].emplace_back());
  });
  for (const std::vector<double>& column : numbers)
    for (const double number : column) out << number << "\n";
}

}  // namespace

std::string_view ending_of(TableFormat format) {
  constexpr std::string_view kEndings[] = {".csv", ".json", ".npy", ".mtx"};
  return kEndings[static_cast<std::size_t>(format)];
}

bool convert_table(const std::filesystem::path& from, TableFormat format, const std::filesystem::path& to) {
  if (format == TableFormat::csv) return std::filesystem::copy_file(from, to);
  const Table table(from);
  const bool text = std::ranges::any_of(table.columns(), [](const Column& c) { return c.type == Column::Type::text; });
  if (format == TableFormat::matrix_market && text) return false;
  TextWriter out(to);
  format == TableFormat::json  ? write_json(table, out)
  : format == TableFormat::npy ? write_npy(table, out)
                               : write_market(table, out);
  out.close();
  return true;
}

}  // namespace rota::io
