// io/count_rows.cc -- a corpus from the rows of a matrix.
#include <cmath>
#include <memory>
#include <utility>

#include "io/corpus_formats.h"
#include "rota/error.h"
#include "rota/io/number_text.h"
#include "rota/io/numbers.h"
#include "rota/io/row_reader.h"

namespace rota::io {
namespace {

constexpr std::uint32_t kLeftOut = ~std::uint32_t{0};

// The names of the columns of a CSV file, or of data in memory, without the target, whose values may be anything; empty
// for other formats.
std::vector<std::string> column_names(const std::string& file, RowForm form) {
  const bool named =
      form.format == "csv" || form.format == "tsv" || form.format == "parquet" || form.format == "memory";
  if (!named) return {};
  const std::string target = std::exchange(form.target, "");
  std::vector<std::string> names = read_rows(file, form)->names();
  std::uint64_t number = 0;
  const char* const end = target.data() + target.size();
  if (!target.empty() && std::erase(names, target) == 0 && scan_digits(target.data(), end, number) == end &&
      number - 1 < names.size())
    names.erase(names.begin() + static_cast<std::ptrdiff_t>(number - 1));
  for (const std::string& name : names)
    if (name.empty() || name.find_first_of(std::string_view("\0\n\r", 3)) != name.npos)
      throw DataError(file, 1,
                      "a column's name is a word, but one is " + quoted(name) +
                          ": rename it, or leave the column out with --target");
  return names;
}

// The words' numbers, of each column.
std::vector<std::uint32_t> numbers_of(const std::vector<std::string>& names, Vocabulary& vocabulary) {
  std::vector<std::uint32_t> numbers;
  for (const std::string& name : names)
    numbers.push_back(vocabulary.is_fixed() ? vocabulary.find(name).value_or(kLeftOut) : vocabulary.number_of(name));
  return numbers;
}

}  // namespace

void read_count_rows(const std::string& file, RowForm form, CorpusReading& corpus) {
  CorpusSize& size = corpus.size;
  form.check();
  if (size.documents == 0) corpus.columns = column_names(file, form);
  form.names = corpus.columns;
  size.named = !form.names.empty();
  if (size.named) form.target.clear();
  const std::unique_ptr<RowReader> rows = read_rows(file, form);
  const std::vector<std::uint32_t> numbers = numbers_of(form.names, corpus.vocabulary);
  const bool states_words = !size.named && form.format != "libsvm";
  if (states_words) {
    corpus.fail = [&](const std::string& what) { throw DataError(file, 0, what); };
    corpus.check_words(rows->columns());
  }
  corpus.fail = [&](const std::string& what) { rows->fail(what); };
  for (LabelledValues row; rows->next(row);) {
    for (std::size_t e = 0; e < row.columns.size(); ++e) {
      const std::uint32_t column = row.columns[e], word = size.named ? numbers[column] : column;
      const double count = row.values[e];
      if (!(count >= 0 && count <= static_cast<double>(kMostRepeats) && count == std::floor(count)))
        rows->fail("word " + (size.named ? quoted(form.names[column]) : std::to_string(column + std::uint64_t{1})) +
                   ": expected a count from 0 to " + std::to_string(kMostRepeats) + ", found " + six_digits(count));
      if (count > 0 && word != kLeftOut)
        corpus.document.push_back(
            {static_cast<std::uint32_t>(size.documents), word, static_cast<std::uint32_t>(count)});
    }
    if (!size.named && corpus.limit_words()) corpus.widest_line = rows->line();
    corpus.end_document();
  }
  if (size.named) size.words = corpus.vocabulary.size();
  if (states_words) size.words = rows->columns();
}

}  // namespace rota::io
