#include "rota/io/numpy_file.h"

#include <zip.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "rota/error.h"
#include "rota/io/byte_source.h"
#include "rota/io/numbers.h"

namespace rota::io {
namespace {

constexpr std::uint64_t kMostNumbers = std::uint64_t{1} << 40;

// An array's header, and where its numbers begin.
struct Header {
  std::string type;  // "<f8"
  bool by_columns = false;
  std::vector<std::uint64_t> shape;
  std::size_t size = 0;  // of the header, in bytes
};

// The text after 'key': in a Python dictionary, up to the end of its value.
std::string_view value_of(std::string_view dictionary, std::string_view key) {
  const std::size_t at = dictionary.find(key);
  if (at == dictionary.npos) return {};
  std::string_view rest = dictionary.substr(at + key.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" :"), rest.size()));
  const char close = rest.empty() ? '\0' : rest.front() == '(' ? ')' : rest.front() == '\'' ? '\'' : ',';
  const std::size_t end = rest.find(close, 1);
  return end == rest.npos ? std::string_view() : rest.substr(0, end);
}

std::optional<Header> header_of(std::string_view bytes) {
  if (bytes.size() < 12 || !bytes.starts_with("\x93NUMPY")) return std::nullopt;
  const bool wide = bytes[6] >= 2;
  std::uint32_t length = 0;
  std::memcpy(&length, bytes.data() + 8, wide ? 4 : 2);
  const std::size_t begin = wide ? 12 : 10;
  if (length > bytes.size() - begin) return std::nullopt;
  const std::string_view text = bytes.substr(begin, length);
  Header header{
      std::string(value_of(text, "'descr'")), value_of(text, "'fortran_order'") == "True", {}, begin + length};
  std::string_view shape = value_of(text, "'shape'");
  if (header.type.size() < 2 || shape.empty()) return std::nullopt;
  header.type.erase(0, 1);  // the quotation mark
  shape.remove_prefix(1);   // and the bracket
  std::uint64_t all = 1;
  while (!shape.empty()) {
    std::uint64_t extent = 0;
    const char* const begin_of = skip_blanks(shape.data(), shape.data() + shape.size());
    const char* const end = scan_digits(begin_of, shape.data() + shape.size(), extent);
    if (end == nullptr) break;
    header.shape.push_back(extent);
    if (extent != 0 && all > kMostNumbers / extent) return std::nullopt;
    all *= extent;
    shape.remove_prefix(static_cast<std::size_t>(end - shape.data()));
    shape.remove_prefix(std::min(shape.find_first_not_of(", "), shape.size()));
  }
  return header;
}

template <typename T>
std::vector<double> converted(std::string_view bytes, std::size_t count) {
  std::vector<double> numbers(count);
  for (std::size_t i = 0; i < count; ++i) {
    T number{};
    std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
    numbers[i] = static_cast<double>(number);
  }
  return numbers;
}

struct NumberType {
  std::string_view name;
  std::size_t bytes;
  std::vector<double> (*read)(std::string_view bytes, std::size_t count);
};
constexpr NumberType kTypes[] = {
    {"<f8", 8, converted<double>},        {"<f4", 4, converted<float>},         {"<i8", 8, converted<std::int64_t>},
    {"<i4", 4, converted<std::int32_t>},  {"<i2", 2, converted<std::int16_t>},  {"|i1", 1, converted<std::int8_t>},
    {"<u8", 8, converted<std::uint64_t>}, {"<u4", 4, converted<std::uint32_t>}, {"<u2", 2, converted<std::uint16_t>},
    {"|u1", 1, converted<std::uint8_t>},  {"|b1", 1, converted<std::uint8_t>}};

// `name`: of the file, or of the array in it.
NumberArray array_of(const std::string& name, std::string_view bytes) {
  std::optional<Header> header = header_of(bytes);
  if (!header) throw DataError(name, 0, "it is no array as NumPy saves it");
  const auto type = std::ranges::find(kTypes, header->type, &NumberType::name);
  if (type == std::end(kTypes))
    throw DataError(name, 0,
                    "an array of the type " + io::quoted(header->type) +
                        ": save it as little-endian floats or whole numbers, array.astype('<f8')");
  const std::uint64_t count =
      std::accumulate(header->shape.begin(), header->shape.end(), std::uint64_t{1}, std::multiplies<>());
  if (bytes.size() - header->size != count * type->bytes)
    throw DataError(name, 0,
                    "damaged: " + std::to_string(bytes.size() - header->size) + " bytes for " + std::to_string(count) +
                        " numbers of " + std::to_string(type->bytes) + " bytes");
  NumberArray array{header->shape, type->read(bytes.substr(header->size), static_cast<std::size_t>(count))};
  if (header->by_columns && array.shape.size() == 2) {
    const std::size_t rows = array.shape[0], columns = array.shape[1];
    std::vector<double> turned(array.numbers.size());
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t c = 0; c < columns; ++c) turned[r * columns + c] = array.numbers[c * rows + r];
    array.numbers = std::move(turned);
  } else if (header->by_columns && array.shape.size() > 2) {
    throw DataError(name, 0, "an array of more than two dimensions in Fortran's order");
  }
  return array;
}

// ---- an archive

struct CloseArchive {
  void operator()(zip_t* archive) const { zip_discard(archive); }
};
struct CloseEntry {
  void operator()(zip_file_t* entry) const { zip_fclose(entry); }
};

class Archive {
 public:
  explicit Archive(const std::string& path) : path_(path) {
    const std::shared_ptr<const RemoteFile> remote = open_remote_file(path);
    const std::string place = remote == nullptr ? path : remote->local_copy();  // an archive is read from its end
    if (!std::filesystem::exists(place)) throw NoInput(path + ": no such file");
    int error = 0;
    archive_.reset(zip_open(place.c_str(), ZIP_RDONLY, &error));
    if (archive_ == nullptr) throw DataError(path, 0, "it is no .npz archive");
  }
  // Throws DataError if there is no such entry.
  std::string entry(const std::string& name) const {
    zip_stat_t stat;
    zip_stat_init(&stat);
    const std::unique_ptr<zip_file_t, CloseEntry> file(zip_fopen(archive_.get(), name.c_str(), 0));
    if (file == nullptr || zip_stat(archive_.get(), name.c_str(), 0, &stat) != 0)
      throw DataError(path_, 0, "it has no array " + name + ": save it by scipy.sparse.save_npz");
    // Not all at once: a few bytes of an archive can declare any size.
    std::string bytes;
    for (char block[1 << 16];;) {
      const zip_int64_t got = zip_fread(file.get(), block, sizeof block);
      if (got < 0) throw DataError(path_ + ":" + name, 0, "damaged: the archive cannot be read");
      if (got == 0) return bytes;
      bytes.append(block, static_cast<std::size_t>(got));
    }
  }
  NumberArray array(const std::string& name) const { return array_of(path_ + ":" + name, entry(name)); }

 private:
  std::string path_;
  std::unique_ptr<zip_t, CloseArchive> archive_;
};

// The only letters of a text array of one element: "csr" as bytes or in UTF-32.
std::string text_of(std::string_view npy) {
  const std::optional<Header> header = header_of(npy);
  std::string text;
  if (header)
    for (const char c : npy.substr(header->size))
      if (c != '\0') text += c;
  return text;
}

std::uint64_t whole(const std::string& path, double number, std::uint64_t most) {
  if (!(number >= 0 && number <= static_cast<double>(most)))
    throw DataError(path, 0, "damaged: an index is out of range");
  return static_cast<std::uint64_t>(number);
}

}  // namespace

NumberArray read_npy(const std::string& path) {
  if (const auto remote = open_remote_file(path); remote != nullptr) {
    std::string bytes(static_cast<std::size_t>(remote->size()), '\0');
    const auto stream = remote->stream(0, remote->size());
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t got = stream->read(bytes.data() + at, bytes.size() - at);
      if (got == 0) throw DataError(path, 0, "ends early");
      at += got;
    }
    return array_of(path, bytes);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw NoInput(path + ": cannot be opened");
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) throw DataError(path, 0, "cannot be read");
  return array_of(path, bytes);
}

SparseMatrix read_npz(const std::string& path) {
  const Archive archive(path);
  if (const std::string format = text_of(archive.entry("format.npy")); format != "csr")
    throw DataError(path, 0, "a sparse matrix in the format " + io::quoted(format) + ": save matrix.tocsr()");
  const NumberArray shape = archive.array("shape.npy"), begins = archive.array("indptr.npy");
  const NumberArray columns = archive.array("indices.npy");
  NumberArray values = archive.array("data.npy");
  if (shape.numbers.size() != 2) throw DataError(path, 0, "damaged: it has no two dimensions");
  SparseMatrix matrix;
  matrix.rows = whole(path, shape.numbers[0], kMostNumbers);
  matrix.columns = whole(path, shape.numbers[1], std::numeric_limits<std::uint32_t>::max());
  matrix.begins.clear();
  const std::uint64_t entries = values.numbers.size();
  for (const double begin : begins.numbers) matrix.begins.push_back(whole(path, begin, entries));
  for (const double column : columns.numbers)
    matrix.column.push_back(
        static_cast<std::uint32_t>(whole(path, column, std::max<std::uint64_t>(matrix.columns, 1) - 1)));
  matrix.values = std::move(values.numbers);
  if (!matrix.has_rows()) throw DataError(path, 0, "damaged: its arrays do not fit together");
  for (std::uint64_t r = 0; r < matrix.rows; ++r)
    if (!matrix.ascends(r))
      throw DataError(
          path, 0,
          "row " + std::to_string(r + 1) + ": its columns do not ascend: save it after matrix.sum_duplicates()");
  return matrix;
}

}  // namespace rota::io
