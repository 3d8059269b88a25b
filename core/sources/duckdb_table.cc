#include "core/sources/duckdb_table.h"

#include <fcntl.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/files.h"
#include "core/sources/library.h"
#include "core/sources/remote_objects.h"

namespace rota {

namespace {

constexpr std::size_t kMostColumns = 100'000;  // of a list's numbers, so that a damaged file makes no huge query

// What is used of DuckDB's C interface (duckdb.h, from version 1.0), whose header no package of Debian's has.
struct DuckResult {
  std::uint64_t unused[3];
  void* columns;
  char* error;
  void* data;
};
struct DuckText {
  std::uint32_t length;
  char begin[4];
  const char* all;  // of a longer text than 12 bytes; a shorter one goes on here

  std::string_view view() const { return {length <= 12 ? begin : all, length}; }
};
static_assert(sizeof(DuckText) == 16 && sizeof(DuckResult) == 48);
using Handle = void*;

struct Duck {
  int (*create_config)(Handle*);
  int (*set_config)(Handle, const char*, const char*);
  void (*destroy_config)(Handle*);
  int (*open)(const char*, Handle*, Handle, char**);
  void (*close)(Handle*);
  int (*connect)(Handle, Handle*);
  void (*disconnect)(Handle*);
  int (*query)(Handle, const char*, DuckResult*);
  const char* (*result_error)(DuckResult*);
  void (*destroy_result)(DuckResult*);
  int (*prepare)(Handle, const char*, Handle*);
  const char* (*prepare_error)(Handle);
  void (*destroy_prepare)(Handle*);
  int (*pending)(Handle, Handle*);
  const char* (*pending_error)(Handle);
  int (*execute)(Handle, DuckResult*);
  void (*destroy_pending)(Handle*);
  Handle (*fetch_chunk)(DuckResult);
  void (*destroy_chunk)(Handle*);
  std::uint64_t (*chunk_size)(Handle);
  Handle (*chunk_vector)(Handle, std::uint64_t);
  void* (*vector_data)(Handle);
  std::uint64_t* (*vector_validity)(Handle);

  static Result<Duck> load() {
    const char* const named = std::getenv("ROTA_DUCKDB");
    const std::string name = named != nullptr && *named != '\0' ? named : "libduckdb.so";
    const std::string what_to_do =
        ": Parquet is read through DuckDB's library, version 1.0 or later, which ROTA_DUCKDB=/PATH/libduckdb.so names "
        "(duckdb.org has it); or convert the file, for example to CSV";
    auto library = Library::open(name);
    if (!library.ok()) return Status(library.status().code(), library.status().what() + what_to_do);
    Duck duck{};
    const auto& l = *library;
    const bool all =
        l.find("duckdb_create_config", duck.create_config) && l.find("duckdb_set_config", duck.set_config) &&
        l.find("duckdb_destroy_config", duck.destroy_config) && l.find("duckdb_open_ext", duck.open) &&
        l.find("duckdb_close", duck.close) && l.find("duckdb_connect", duck.connect) &&
        l.find("duckdb_disconnect", duck.disconnect) && l.find("duckdb_query", duck.query) &&
        l.find("duckdb_result_error", duck.result_error) && l.find("duckdb_destroy_result", duck.destroy_result) &&
        l.find("duckdb_prepare", duck.prepare) && l.find("duckdb_prepare_error", duck.prepare_error) &&
        l.find("duckdb_destroy_prepare", duck.destroy_prepare) &&
        l.find("duckdb_pending_prepared_streaming", duck.pending) &&
        l.find("duckdb_pending_error", duck.pending_error) && l.find("duckdb_execute_pending", duck.execute) &&
        l.find("duckdb_destroy_pending", duck.destroy_pending) && l.find("duckdb_fetch_chunk", duck.fetch_chunk) &&
        l.find("duckdb_destroy_data_chunk", duck.destroy_chunk) &&
        l.find("duckdb_data_chunk_get_size", duck.chunk_size) &&
        l.find("duckdb_data_chunk_get_vector", duck.chunk_vector) &&
        l.find("duckdb_vector_get_data", duck.vector_data) &&
        l.find("duckdb_vector_get_validity", duck.vector_validity);
    if (!all) return Status(ExitCode::no_input, name + " lacks functions that are needed" + what_to_do);
    return duck;
  }
};

const Result<Duck>& duck() {
  static const auto* const loaded = new Result<Duck>(Duck::load());
  return *loaded;
}

std::string in_marks(std::string_view text, char mark) {
  std::string all(1, mark);
  for (const char c : text) all.append(c == mark ? 2 : 1, c);
  return all + mark;
}

// Ends after the first line: DuckDB adds pictures of the query.
std::string first_line(const char* text) {
  const std::string_view all = text == nullptr ? "cannot be read" : text;
  return std::string(all.substr(0, all.find('\n')));
}

// An open file as DuckDB sees it, and the query whose result is read.
class Query {
 public:
  explicit Query(const Duck& duck) : duck_(duck) {}
  Query(const Query&) = delete;
  ~Query() {
    end();
    if (connection_ != nullptr) duck_.disconnect(&connection_);
    if (database_ != nullptr) duck_.close(&database_);
  }

  Status open(const std::string& name, const std::string& place) {
    name_ = name;
    // By its descriptor: DuckDB would take '*' in a name for a pattern, and read columns from the names of folders.
    ROTA_ASSIGN(file_, open_file(place, O_RDONLY | O_CLOEXEC));
    table_ = "read_parquet('/proc/self/fd/" + std::to_string(file_.get()) + "')";
    Handle config = nullptr;
    bool fine = duck_.create_config(&config) == 0;
    // Rows in their order; and nothing is fetched from anywhere.
    for (const auto& [option, value] : {std::pair{"threads", "1"},
                                        {"preserve_insertion_order", "true"},
                                        {"autoinstall_known_extensions", "false"},
                                        {"autoload_known_extensions", "false"}})
      fine = fine && duck_.set_config(config, option, value) == 0;
    fine = fine && duck_.open(nullptr, &database_, config, nullptr) == 0 && duck_.connect(database_, &connection_) == 0;
    duck_.destroy_config(&config);
    return fine ? Status() : Status(ExitCode::failed, name_ + ": DuckDB's library cannot be started");
  }

  const std::string& table() const { return table_; }

  // All columns of the query are texts.
  Status begin(const std::string& sql) {
    end();
    if (duck_.prepare(connection_, sql.c_str(), &statement_) != 0) return wrong(duck_.prepare_error(statement_));
    if (duck_.pending(statement_, &pending_) != 0) return wrong(duck_.pending_error(pending_));
    has_result_ = true;
    if (duck_.execute(pending_, &result_) != 0) return wrong(duck_.result_error(&result_));
    return {};
  }
  // The next rows; false at the end.
  Result<bool> next() {
    if (chunk_ != nullptr) duck_.destroy_chunk(&chunk_);
    chunk_ = duck_.fetch_chunk(result_);
    if (chunk_ == nullptr && duck_.result_error(&result_) != nullptr) return wrong(duck_.result_error(&result_));
    return chunk_ != nullptr && duck_.chunk_size(chunk_) > 0;
  }
  std::size_t rows() const { return static_cast<std::size_t>(duck_.chunk_size(chunk_)); }
  // Whether it is there.
  bool text(std::size_t column, std::size_t row, std::string_view& text) const {
    const Handle vector = duck_.chunk_vector(chunk_, column);
    const std::uint64_t* const valid = duck_.vector_validity(vector);
    if (valid != nullptr && (valid[row / 64] >> (row % 64) & 1) == 0) return false;
    text = static_cast<const DuckText*>(duck_.vector_data(vector))[row].view();
    return true;
  }

 private:
  Status wrong(const char* text) const { return {ExitCode::bad_data, name_ + ": " + first_line(text)}; }
  void end() {
    if (chunk_ != nullptr) duck_.destroy_chunk(&chunk_);
    if (std::exchange(has_result_, false)) duck_.destroy_result(&result_);
    if (pending_ != nullptr) duck_.destroy_pending(&pending_);
    if (statement_ != nullptr) duck_.destroy_prepare(&statement_);
  }

  const Duck& duck_;
  std::string name_, table_;
  FileDescriptor file_;
  Handle database_ = nullptr, connection_ = nullptr, statement_ = nullptr, pending_ = nullptr, chunk_ = nullptr;
  DuckResult result_{};
  bool has_result_ = false;
};

struct Column {
  std::string name, type;

  bool is_list() const { return type.ends_with("]"); }
  std::string element() const { return type.substr(0, type.rfind('[')); }
};

bool is_whole(const std::string& type) {
  return type.ends_with("INT") || type == "INTEGER" || type == "UINTEGER";
}
bool is_number(const std::string& type) {
  return is_whole(type) || type == "FLOAT" || type == "DOUBLE" || type == "BOOLEAN" || type.starts_with("DECIMAL");
}
bool is_text(const std::string& type) {
  return type == "VARCHAR" || type.starts_with("ENUM");
}
bool is_time(const std::string& type) {
  return type == "DATE" || type.starts_with("TIMESTAMP");
}

// An expression of this type as text.
std::string as_text(const std::string& what, const std::string& type) {
  if (type == "FLOAT") return "CAST(CAST(" + what + " AS DOUBLE) AS VARCHAR)";
  if (type == "BOOLEAN") return "CAST(CAST(" + what + " AS TINYINT) AS VARCHAR)";
  if (is_time(type)) return "CAST(epoch(" + what + ") AS VARCHAR)";
  if (is_number(type) || is_text(type)) return "CAST(" + what + " AS VARCHAR)";
  return in_marks("(" + type + ")", '\'');
}

struct Selection {
  std::vector<std::string> names, expressions;

  std::string sql(const std::string& table) const {
    std::string all;
    for (const std::string& expression : expressions) all += (all.empty() ? "SELECT " : ", ") + expression;
    return all + " FROM " + table;
  }
};

Result<std::vector<Column>> columns_of(Query& query) {
  ROTA_TRY(query.begin("SELECT column_name, column_type FROM (DESCRIBE SELECT * FROM " + query.table() + ")"));
  std::vector<Column> columns;
  while (true) {
    ROTA_ASSIGN(const bool more, query.next());
    if (!more) return columns;
    for (std::size_t row = 0; row < query.rows(); ++row) {
      std::string_view name, type;
      query.text(0, row, name);
      query.text(1, row, type);
      columns.push_back({std::string(name), std::string(type)});
    }
  }
}

// The length of all lists of a column, where they are there.
Result<std::size_t> length_of(Query& query, const std::string& file, const Column& column) {
  const std::string length = "len(" + in_marks(column.name, '"') + ")";
  ROTA_TRY(query.begin("SELECT CAST(min(" + length + ") AS VARCHAR), CAST(max(" + length + ") AS VARCHAR) FROM " +
                       query.table()));
  ROTA_ASSIGN(const bool more, query.next());
  std::string_view least, most;
  if (!more || !query.text(0, 0, least) || !query.text(1, 0, most)) return std::size_t{0};
  if (least != most)
    return Status(ExitCode::bad_data, file + ": column '" + column.name + "' has lists of " + std::string(least) +
                                          " to " + std::string(most) + " numbers: all must have one length");
  const auto count = static_cast<std::size_t>(std::strtoull(std::string(most).c_str(), nullptr, 10));
  if (count > kMostColumns)
    return Status(ExitCode::bad_data, file + ": column '" + column.name + "' has lists of " + std::string(most) +
                                          " numbers, at most are " + std::to_string(kMostColumns));
  return count;
}

Result<Selection> as_csv(Query& query, const std::string& file, const std::vector<Column>& columns) {
  Selection selection;
  for (const Column& column : columns) {
    const std::string name = in_marks(column.name, '"');
    if (!column.is_list() || !is_number(column.element())) {
      selection.names.push_back(column.name);
      selection.expressions.push_back(as_text(name, column.type));
      continue;
    }
    ROTA_ASSIGN(const std::size_t count, length_of(query, file, column));
    for (std::size_t i = 1; i <= count; ++i) {
      selection.names.push_back(column.name + "." + std::to_string(i));
      selection.expressions.push_back(as_text(name + "[" + std::to_string(i) + "]", column.element()));
    }
  }
  if (selection.names.empty()) return Status(ExitCode::bad_data, file + ": it has no columns");
  return selection;
}

Result<Selection> as_documents(const std::string& file, const std::vector<Column>& columns) {
  Selection selection;
  std::string names;
  for (const Column& column : columns) {
    const bool list = column.is_list() && (is_text(column.element()) || is_whole(column.element()));
    if (!list && !is_text(column.type)) continue;
    names += (names.empty() ? "'" : ", '") + column.name + "'";
    selection.names.push_back(column.name);
    const std::string name = in_marks(column.name, '"');
    const std::string text = list ? "array_to_string(" + name + ", ' ')" : as_text(name, column.type);
    // A document is a line.
    selection.expressions.push_back("translate(" + text + ", chr(10) || chr(13), '  ')");
  }
  if (selection.names.size() > 1)
    return Status(ExitCode::bad_data,
                  file + ": the columns " + names + " have words, and a corpus is one of them: leave out the others");
  return selection;
}

class ParquetText final : public HostStream {
 public:
  ParquetText(std::unique_ptr<Query> query, const Selection& selection, TableText form)
      : query_(std::move(query)), columns_(selection.names.size()), form_(form) {
    if (form_ == TableText::documents) return;
    for (std::size_t i = 0; i < columns_; ++i) add_field(selection.names[i], i);
    text_ += '\n';
  }

  std::size_t read(char* to, std::size_t size) override {
    while (used_ == text_.size()) {
      text_.clear();
      used_ = 0;
      const auto more = query_->next();
      if (!more.ok()) raise(more.status());
      if (!*more) return 0;
      for (std::size_t row = 0; row < query_->rows(); ++row) add_row(row);
    }
    const std::size_t some = std::min(size, text_.size() - used_);
    std::memcpy(to, text_.data() + used_, some);
    used_ += some;
    return some;
  }

 private:
  void add_row(std::size_t row) {
    for (std::size_t i = 0; i < columns_; ++i) {
      std::string_view text;
      const bool there = query_->text(i, row, text);
      if (form_ == TableText::documents)
        text_ += text;
      else if (there)
        add_field(text, i);
      else if (i > 0)
        text_ += ',';
      else if (columns_ == 1)
        text_ += "\"\"";  // an empty line would be passed over
    }
    text_ += '\n';
  }
  void add_field(std::string_view text, std::size_t place) {
    if (place > 0) text_ += ',';
    const bool plain = !text.empty() && text.find_first_of(",\"\r\n ;\t") == text.npos;
    text_ += plain ? std::string(text) : in_marks(text, '"');
  }

  std::unique_ptr<Query> query_;
  std::size_t columns_;
  TableText form_;
  std::string text_;
  std::size_t used_ = 0;
};

}  // namespace

Result<std::unique_ptr<HostStream>> open_parquet(const std::string& name, const std::string& place, TableText form) {
  const Result<Duck>& library = duck();
  if (!library.ok()) return Status(library.status().code(), name + ": " + library.status().what());
  auto query = std::make_unique<Query>(*library);
  ROTA_TRY(query->open(name, place));
  ROTA_ASSIGN(const auto columns, columns_of(*query));
  Selection selection;
  if (form == TableText::csv) {
    ROTA_ASSIGN(selection, as_csv(*query, name, columns));
  } else {
    ROTA_ASSIGN(selection, as_documents(name, columns));
    if (selection.names.empty()) return std::unique_ptr<HostStream>();
  }
  ROTA_TRY(query->begin(selection.sql(query->table())));
  return std::unique_ptr<HostStream>(std::make_unique<ParquetText>(std::move(query), selection, form));
}

}  // namespace rota
