// io/corpus_format.cc -- detects the format of a corpus of text by its first lines.
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/corpus_formats.h"
#include "rota/io/numbers.h"

namespace rota::io {
namespace {

bool digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == text.npos;
}

// Digits, with an optional sign, point or exponent.
bool decimal(std::string_view text) {
  if (!text.empty() && (text.front() == '+' || text.front() == '-')) text.remove_prefix(1);
  const std::size_t first = text.find_first_of("0123456789");
  return (first == 0 || (first == 1 && text.front() == '.')) && text.find_first_not_of("0123456789.eE+-") == text.npos;
}

// What the fields of one line look like.
struct Shape {
  explicit Shape(std::string_view line) {
    first = next_field(line);
    for (std::string_view field = next_field(line); !field.empty(); field = next_field(line), ++others) {
      const std::size_t colon = field.find(':');
      const bool numbered = colon != field.npos && digits(field.substr(0, colon));
      const bool counted = numbered && digits(field.substr(colon + 1));
      const bool valued = numbered && decimal(field.substr(colon + 1));
      if (others == 0) second_counted = counted, second_valued = valued;
      all_counted &= counted;
      all_valued &= valued;
      all_digits &= digits(field);
    }
  }
  bool blank() const { return first.empty(); }
  bool number_alone() const { return digits(first) && others == 0; }
  bool zero_alone() const { return number_alone() && first.find_first_not_of('0') == first.npos; }

  std::string_view first;
  std::uint64_t others = 0;  // fields after the first
  bool second_counted = false, second_valued = false;
  bool all_counted = true, all_valued = true, all_digits = true;  // of the others: 3:4, 3:4.5, 3
};

constexpr const char* kLdaCOrText = "choose --format=lda-c or --format=text";

// The format of a line that does not begin UCI bag-of-words.
std::string format_of_line(const Lines& lines, std::string_view line, const Shape& shape) {
  if (line.starts_with("%%MatrixMarket")) return "matrix_market";
  if (digits(shape.first) && shape.second_counted) {
    std::uint64_t length = 0;
    const char* const end = shape.first.data() + shape.first.size();
    if (shape.all_counted && scan_digits(shape.first.data(), end, length) == end && length == shape.others)
      return "lda-c";
    if (shape.all_counted)
      lines.fail("the line looks like LDA-C, but the number " + quoted(shape.first) + " is followed by " +
                 std::to_string(shape.others) +
                 " 'word:count'; it may also be LIBSVM or text; choose --format=lda-c, --format=libsvm or "
                 "--format=text");
    if (!shape.all_valued)
      lines.fail("the line begins like LDA-C ('N word:count ...') and continues like text; " +
                 std::string(kLdaCOrText));
  }
  if (decimal(shape.first) && shape.second_valued) return "libsvm";
  const std::size_t colon = shape.first.find(':');
  if (colon != shape.first.npos && digits(shape.first.substr(0, colon)) && digits(shape.first.substr(colon + 1)) &&
      shape.all_counted)
    lines.fail("the line looks like LDA-C without the number of pairs before them; it may also be text; " +
               std::string(kLdaCOrText));
  if (digits(shape.first) && shape.all_digits && shape.others == 2)
    lines.fail(
        "the line looks like UCI bag-of-words without its three first lines, of one number each; it may also be "
        "text; choose --format=uci or --format=text");
  return "text";
}

}  // namespace

std::string format_of(Lines& lines) {
  std::vector<std::string> seen;
  bool blanks = false, zeros = false;
  std::string format = "text";
  std::string_view line;
  for (;;) {
    if (!lines.next(line)) {
      if (zeros)
        lines.fail(
            "lines of 0 alone may be the first lines of UCI bag-of-words, documents of LDA-C without words, or "
            "text; choose --format=uci, --format=lda-c or --format=text");
      break;
    }
    seen.emplace_back(line);
    const Shape shape(line);
    if (shape.blank()) {
      blanks = true;
    } else if (shape.zero_alone()) {
      zeros = true;  // the number of a bag's documents, or an LDA-C document without words
    } else if (shape.number_alone()) {
      if (blanks)
        lines.fail(
            "a single number after an empty line may be text, or UCI bag-of-words with an extra empty line; "
            "choose --format=uci or --format=text");
      format = "uci";
      break;
    } else {
      format = format_of_line(lines, line, shape);
      if (zeros && format == "text") format = "uci";  // whose reader reports the error
      break;
    }
  }
  lines.give_again(std::move(seen));
  return format;
}

}  // namespace rota::io
