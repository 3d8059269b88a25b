// apps/mf/ratings/rating_reader.h -- files of ratings, or of pairs of a user and an item.
//
//   USER ITEM RATING [TIME] ...    one rating a line; more fields may follow
//
// Fields are separated by blanks, a tab, a comma, a semicolon or "::".  Users and items are any bytes without it; in
// files with commas or semicolons a field may be quoted, as in CSV (RFC 4180), but not contain a line's end.  Empty
// lines and lines that begin with '#' are skipped.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "rota/io/lines.h"

namespace rota::mf {

enum class Separator : std::uint8_t { unknown, blanks, tab, comma, semicolon, colons };
enum class Header : std::uint8_t { unknown, yes, no };

struct LineFormat {
  Separator separator = Separator::unknown;
  Header header = Header::unknown;
};

// Valid until the next line is read.
struct RatingLine {
  std::string_view user, item;
  double value = 0;
  std::string_view time;  // the fourth field, or ""
  std::string_view text;  // the whole line
};

class RatingReader {
 public:
  enum class Kind {
    ratings,
    labels,  // 1, and 0 or -1, both of which are read as 0
    counts,  // how often: 1 if it is missing; lines of 0 are skipped
    pairs,   // the rating may be missing, and is not read
  };
  // Throws NoInput or DataError.
  RatingReader(const std::string& path, LineFormat format, Kind kind = Kind::ratings);

  // The next rating; false at the end.  Throws DataError.
  bool next(RatingLine& out);
  // The line that names the columns, or "".
  const std::string& header() const { return header_; }
  // Throws DataError for the current line.
  [[noreturn]] void fail(const std::string& what) const { lines_.fail(what); }

 private:
  static constexpr std::size_t kFields = 4;  // that are used
  std::size_t split(std::string_view line, Separator separator);
  std::string_view unquoted(std::string_view field, std::size_t place);
  void begin(std::string_view line);
  std::size_t fewest() const { return kind_ == Kind::ratings || kind_ == Kind::labels ? 3 : 2; }  // fields of a line
  double rating(std::string_view field) const;

  io::Lines lines_;
  LineFormat format_;
  Kind kind_;
  bool begun_ = false;
  std::string header_;
  std::array<std::string_view, kFields> fields_;
  std::array<std::string, kFields> unquoted_;
};

// Calls take(reader, line) for every rating of the files.  Throws as RatingReader does.
template <typename Take>
void for_each_rating(const std::vector<std::string>& files, LineFormat format, RatingReader::Kind kind, Take take) {
  for (const std::string& file : files) {
    RatingReader reader(file, format, kind);
    for (RatingLine line; reader.next(line);) take(reader, line);
  }
}

}  // namespace rota::mf
