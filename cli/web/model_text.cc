#include "cli/web/model_text.h"

#include <fcntl.h>

#include <algorithm>
#include <sstream>

#include "core/base/files.h"
#include "core/base/json_text.h"
#include "rota/utf8.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kTablesMost = 20, kRowsMost = 200, kRowsOfPicture = 100'000, kColumnsMost = 64, kCellMost = 400;
constexpr std::size_t kTableBytes = std::size_t{1} << 20;
constexpr std::size_t kListBytes = std::size_t{64} << 10;

std::string beginning_of(const fs::path& file) {
  const auto fd = open_file(file, O_RDONLY | O_NOFOLLOW);
  std::string text(kTableBytes, '\0');
  const auto n = fd.ok() ? read_bytes(*fd, std::as_writable_bytes(std::span(text)), file) : Result<std::size_t>(0);
  text.resize(n.ok() ? *n : 0);
  // A line that was cut off would look like a whole one.
  if (text.size() == kTableBytes) text.resize(text.rfind('\n') == text.npos ? 0 : text.rfind('\n'));
  return text;
}

std::string cell(std::string_view text) {
  std::string shown = visible_text(text);
  if (shown.size() <= kCellMost) return shown;
  std::size_t end = kCellMost;
  while (end > 0 && (static_cast<unsigned char>(shown[end]) & 0xc0) == 0x80) --end;
  return shown.substr(0, end) + "...";
}

// Of a line of CSV: "" in quotes is a quote.
std::vector<std::string> csv_cells(std::string_view line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '"') {
      if (quoted && i + 1 < line.size() && line[i + 1] == '"')
        cells.back() += line[i++];
      else
        quoted = !quoted;
    } else if (line[i] == ',' && !quoted) {
      cells.emplace_back();
    } else {
      cells.back() += line[i];
    }
  }
  return cells;
}

std::vector<std::string> tab_cells(const std::string& line) {
  std::vector<std::string> cells;
  std::istringstream in(line);
  for (std::string one; std::getline(in, one, '\t');) cells.push_back(one);
  return cells;
}

// Numbers stay numbers, so that they can be sorted.
Json value_of(const std::string& text) {
  const auto number = nlohmann::json::parse(text, nullptr, false);
  return number.is_number() ? Json(number) : Json(cell(text));
}

// The page draws pictures of these, which need more than the beginning.
std::size_t most_rows(const fs::path& file) {
  constexpr std::string_view kDrawn[] = {"topics.txt",   "topic_map.csv",    "topic_words.csv", "topics.csv",
                                         "path.csv",     "coefficients.csv", "weights.csv",     "items.csv",
                                         "clusters.csv", "centres.csv",      "ranks.csv",       "top_ranks.csv"};
  return std::ranges::find(kDrawn, file.filename().native()) == std::end(kDrawn) ? kRowsMost : kRowsOfPicture;
}

}  // namespace

Json table_of(const fs::path& file) {
  const bool is_csv = file.extension() == ".csv";
  const std::string whole = beginning_of(file);
  std::istringstream lines(whole);
  std::size_t most = most_rows(file);
  Json columns = Json::array(), rows = Json::array();
  std::size_t width = 0;
  for (std::string line; rows.size() < most && std::getline(lines, line);) {
    std::vector<std::string> cells = is_csv ? csv_cells(line) : tab_cells(line);
    cells.resize(std::min(cells.size(), kColumnsMost));
    const bool is_header = is_csv && columns.empty();
    width = std::max(width, cells.size());
    Json row = Json::array();
    for (const std::string& text : cells) row.push_back(is_header ? Json(cell(text)) : value_of(text));
    if (!is_header)
      rows.push_back(row);
    else if (columns = row; columns[0] == "key")  // of an app without a text form of its own: drawn too
      most = kRowsOfPicture;
  }
  for (std::size_t i = columns.size(); i < width; ++i) columns.push_back(std::to_string(i + 1));
  Json table{{"name", visible_text(file.filename().native())}, {"columns", columns}, {"rows", rows}};
  std::error_code error;
  const auto size = fs::file_size(file, error);
  const bool has_more = lines.peek() != std::char_traits<char>::eof() || (!error && size > whole.size());
  if (!whole.empty() && has_more) table["cut"] = true;
  return table;
}

namespace {

Json tables_of(const fs::path& folder, const std::vector<std::string>& names) {
  Json tables = Json::array();
  for (const std::string& name : names)
    if (tables.size() < kTablesMost && !name.empty() && name == fs::path(name).filename() && name.front() != '.' &&
        name != "README.txt")
      tables.push_back(table_of(folder / name));
  return tables;
}

}  // namespace

Json model_tables(const RunFolder& run) {
  const fs::path model = run.model();
  const auto manifest = read_whole_file(model / RunFolder::kModelManifest, kTableBytes * 16);
  const auto list = read_whole_file(model / "text.list", kListBytes);
  std::istringstream lines(list.ok() ? *list : "");
  std::vector<std::string> names;
  for (std::string name; std::getline(lines, name);) names.push_back(name);
  const nlohmann::json made = parse_record(manifest.ok() ? *manifest : "");
  return {{"epoch", made.contains("epoch") ? Json(made["epoch"]) : Json()}, {"tables", tables_of(model, names)}};
}

Json exported_tables(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    names.push_back(at->path().filename().string());
  std::ranges::sort(names);
  return {{"tables", tables_of(folder, names)}};
}

}  // namespace rota
