// tests/unit/apps/lasso/design/load_test.cc -- the data of shards, for any hosts and any storage of the data.
#include "apps/lasso/design/load.h"

#include "rota/error.h"
#include "rota/io/numbers.h"
#include "tests/unit/apps/lasso/plain_matrix.h"
#include "tests/unit/apps/linear_models/sparse_text.h"
#include "tests/unit/io/compressed.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::lasso {
namespace {

using rota::tests::gzipped;
using rota::tests::message_of;
using rota::tests::ScratchFiles;
using rota::tests::zstd_compressed;
using tests::PlainColumns;
using tests::PlainMatrix;

std::vector<ShardId> shards_from(ShardId first, ShardId end) {
  std::vector<ShardId> shards(end - first);
  std::iota(shards.begin(), shards.end(), first);
  return shards;
}

std::vector<double> labels_of(std::uint32_t rows) {
  std::vector<double> labels;
  for (std::uint32_t row = 0; row < rows; ++row) labels.push_back(0.1 * row - 3);
  return labels;
}

// The lines [first, end) of the text.
std::string lines_of(const std::string& text, std::size_t first, std::size_t end) {
  std::istringstream in(text);
  std::string part, line;
  for (std::size_t i = 0; std::getline(in, line); ++i)
    if (i >= first && i < end) part += line + "\n";
  return part;
}

Source source_of(std::vector<std::string> files) {
  Source source;
  source.files = std::move(files);
  return source;
}

// Why a source is refused, by columns and by rows.
template <typename E>
std::string refusal(const Source& source, std::uint32_t shards = 1, const std::vector<ShardId>& hosted = {0}) {
  return message_of<E>([&] { load_columns(source, shards, hosted); });
}
template <typename E>
std::string refusal_of_rows(const Source& source, std::uint32_t shards = 1, const std::vector<ShardId>& hosted = {0}) {
  return message_of<E>([&] { load_rows(source, shards, hosted); });
}

Source with_threads(std::size_t threads, Source source) {
  source.threads = threads;
  return source;
}

// The hosted shards must have their part of the matrix.
void expect_columns(const Design& got, const PlainMatrix& matrix, std::span<const ShardId> hosted) {
  EXPECT_EQ(got.common.rows, matrix.rows);
  EXPECT_EQ(got.common.numbers.response, labels_of(matrix.rows));
  ASSERT_EQ(got.hosted.size(), hosted.size());
  for (std::size_t i = 0; i < hosted.size(); ++i) {
    const BlockRange range{0, matrix.rows, got.common.cuts[hosted[i]], got.common.cuts[hosted[i] + 1]};
    EXPECT_EQ(got.hosted[i].columns.first_column(), range.first_column);
    EXPECT_EQ(got.hosted[i].columns.rows(), matrix.rows);
    EXPECT_EQ(tests::plain(got.hosted[i].columns), part_of(matrix, range));
  }
}

void expect_rows(const Design& got, const PlainMatrix& matrix, std::span<const ShardId> hosted) {
  EXPECT_EQ(got.common.rows, matrix.rows);
  ASSERT_EQ(got.hosted.size(), hosted.size());
  const std::uint64_t shards = got.common.cuts.size() - 1;
  const std::vector<double> labels = labels_of(matrix.rows);
  for (std::size_t i = 0; i < hosted.size(); ++i) {
    const std::uint64_t first = matrix.rows * std::uint64_t{hosted[i]} / shards;
    const std::uint64_t end = matrix.rows * (std::uint64_t{hosted[i]} + 1) / shards;
    EXPECT_EQ(got.hosted[i].columns.first_row(), first);
    EXPECT_EQ(tests::plain(got.hosted[i].columns), part_of(matrix, {first, end, 0, matrix.columns.size()}));
    EXPECT_EQ(got.hosted[i].numbers.response, std::vector<double>(labels.begin() + static_cast<std::ptrdiff_t>(first),
                                                                  labels.begin() + static_cast<std::ptrdiff_t>(end)));
  }
}

// The last column has an entry, so that the text gives the number of columns.
PlainMatrix example(std::uint64_t seed, std::uint32_t rows, std::uint32_t columns, double density) {
  PlainMatrix matrix = tests::random_matrix(seed, rows, columns, density, seed % 2 == 0);
  matrix.columns.back() = {{rows / 2, 1.5}};
  return matrix;
}

std::vector<Source> ways_to_store(const ScratchFiles& files, const std::string& text, std::size_t rows) {
  const std::string head = lines_of(text, 0, rows / 3), tail = lines_of(text, rows / 3, rows);
  std::string windows;
  for (const char c : text) windows += c == '\n' ? std::string("\r\n") : std::string(1, c);
  return {source_of({files.write("plain", text)}),
          source_of({files.write("crlf", windows.substr(0, windows.size() - 2))}),
          source_of({files.write("m.gz", gzipped(text))}),
          source_of({files.write("m.zst", zstd_compressed(text))}),
          source_of({files.write("head", head), files.write("tail", tail)}),
          source_of({files.write("head.gz", gzipped(head)), files.write("tail2", tail)})};
}

using LoadTest = rota::tests::WithFiles;

TEST_F(LoadTest, ByColumnsAndByRowsOnAnyHosts) {
  for (const auto& [rows, columns, density] :
       {std::tuple{1U, 1U, 1.0}, std::tuple{7U, 3U, 0.5}, std::tuple{40U, 700U, 0.05}, std::tuple{200U, 30U, 0.9}}) {
    const PlainMatrix matrix = example(rows + columns, rows, columns, density);
    const std::string text = libsvm_text(matrix, labels_of(rows));
    for (const Source& source : ways_to_store(files, text, rows)) {
      if (rows < 3 && source.files.size() > 1) continue;
      for (const std::uint32_t shards : {1U, 2U, 3U, 8U}) {
        const std::vector<ShardId> all = shards_from(0, shards);
        const Design by_columns = load_columns(source, shards, all);
        expect_columns(by_columns, matrix, all);
        const Design by_rows = load_rows(source, shards, all);
        expect_rows(by_rows, matrix, all);
        std::vector<ShardId> backwards(all.rbegin(), all.rend());
        for (const std::vector<ShardId>& hosted :
             {shards_from(0, 1), shards_from(shards - 1, shards), shards_from(shards / 2, shards), backwards, {}}) {
          const Design some = load_columns(source, shards, hosted);
          expect_columns(some, matrix, hosted);
          EXPECT_EQ(some.common.cuts, by_columns.common.cuts);
          EXPECT_EQ(some.common.columns, by_columns.common.columns);
          const Design some_rows = load_rows(source, shards, hosted);
          expect_rows(some_rows, matrix, hosted);
          EXPECT_EQ(some_rows.common.cuts, by_rows.common.cuts);
          EXPECT_EQ(some_rows.common.columns, by_columns.common.columns);
        }
      }
    }
  }
}

TEST_F(LoadTest, EmptyRowsAndColumnsAndZerosCount) {
  const Source source = source_of({files.write("m", "1\n2 2:5 9:0\n\n# nothing\n3\n")});
  for (const std::uint32_t shards : {1U, 4U}) {
    const auto all = shards_from(0, shards);
    const Design by_columns = load_columns(source, shards, all);
    EXPECT_EQ(by_columns.common.rows, 3U);
    EXPECT_EQ(by_columns.common.columns, 9U);
    EXPECT_EQ(by_columns.common.numbers.response, (std::vector<double>{1, 2, 3}));
    PlainColumns columns;
    for (const DesignShard& shard : by_columns.hosted)
      for (auto& column : tests::plain(shard.columns)) columns.push_back(column);
    PlainColumns expected(9);
    expected[1] = {{1, 5}};
    EXPECT_EQ(columns, expected);
    const Design by_rows = load_rows(source, shards, all);
    EXPECT_EQ(by_rows.common.cuts.back(), 3U);
    for (const DesignShard& shard : by_rows.hosted) EXPECT_EQ(shard.columns.columns(), 9U);
  }
}

// More text than one thread takes at once.
class ManyPieces : public testing::Test {
 protected:
  static constexpr std::uint32_t kRows = 4000;

  ManyPieces() : text_(tests::sparse_text(kRows, 60'000, 25)) { EXPECT_GT(text_.size(), std::size_t{2} << 24); }

  ScratchFiles files_;
  std::string text_;
};

TEST_F(ManyPieces, ThreadsAndHostsChangeNothing) {
  const Source source = source_of({files_.write("m", text_)}),
               compressed = source_of({files_.write("m.zst", zstd_compressed(text_))});
  const auto all = shards_from(0, 3);
  const Design one = load_columns(source, 3, all);
  EXPECT_EQ(one.common.rows, kRows);
  EXPECT_EQ(one.common.columns, 60'000U);
  std::uint64_t entries = 0;
  std::vector<PlainColumns> expected;
  for (const DesignShard& shard : one.hosted) {
    entries += shard.columns.entries();
    expected.push_back(tests::plain(shard.columns));
    EXPECT_NEAR(static_cast<double>(shard.columns.entries()), 500'000, 10'000) << "balanced";
  }
  EXPECT_EQ(entries, 1'500'000U);
  const auto expect_same = [&](const Design& got, std::span<const ShardId> hosted) {
    EXPECT_EQ(got.common.cuts, one.common.cuts);
    EXPECT_EQ(got.common.numbers.response, one.common.numbers.response);
    for (std::size_t i = 0; i < hosted.size(); ++i)
      EXPECT_TRUE(tests::plain(got.hosted[i].columns) == expected[hosted[i]]);
  };
  expect_same(load_columns(with_threads(4, source), 3, all), all);
  for (const ShardId shard : all) {
    const std::vector<ShardId> hosted = {shard};
    expect_same(load_columns(with_threads(4, source), 3, hosted), hosted);
  }
  PlainColumns joined;
  for (const DesignShard& shard : load_columns(compressed, 3, all).hosted)
    for (auto& column : tests::plain(shard.columns)) joined.push_back(std::move(column));
  PlainColumns wanted;
  for (const PlainColumns& part : expected) wanted.insert(wanted.end(), part.begin(), part.end());
  EXPECT_TRUE(joined == wanted);
}

TEST_F(ManyPieces, RowsAreThoseOfTheColumns) {
  const Source source = source_of({files_.write("m", text_)});
  const auto all = shards_from(0, 3);
  const Design by_columns = load_columns(source, 1, shards_from(0, 1));
  const Design by_rows = load_rows(with_threads(4, source), 3, all);
  PlainColumns joined(by_columns.common.columns);
  std::vector<double> response;
  for (const DesignShard& shard : by_rows.hosted) {
    const PlainColumns part = tests::plain(shard.columns);
    for (std::size_t c = 0; c < part.size(); ++c)
      for (const auto& [row, value] : part[c])
        joined[c].push_back({static_cast<std::uint32_t>(row + shard.columns.first_row()), value});
    response.insert(response.end(), shard.numbers.response.begin(), shard.numbers.response.end());
  }
  EXPECT_TRUE(joined == tests::plain(by_columns.hosted[0].columns));
  EXPECT_EQ(response, by_columns.common.numbers.response);
  for (const ShardId shard : all) {
    const Design alone = load_rows(source, 3, shards_from(shard, shard + 1));
    EXPECT_TRUE(tests::plain(alone.hosted[0].columns) == tests::plain(by_rows.hosted[shard].columns));
    EXPECT_EQ(alone.hosted[0].numbers.response, by_rows.hosted[shard].numbers.response);
  }
}

TEST_F(ManyPieces, TheFirstWrongLineIsNamed) {
  std::string wrong = text_;
  const auto spoil = [&](std::size_t line) {
    std::size_t at = 0;
    for (std::size_t i = 1; i < line; ++i) at = wrong.find('\n', at) + 1;
    wrong[wrong.find(':', at) + 2] = 'x';
    const std::size_t begin = wrong.find(':', at) + 1;
    return wrong.substr(begin, wrong.find_first_of(" \n", begin) - begin);
  };
  spoil(3990);
  const auto message = [&](std::size_t line, const std::string& value) {
    return files_.folder().string() + "/m:" + std::to_string(line) + ": expected a finite number, found '" + value +
           "' in ";
  };
  for (const std::size_t line : {3000U, 1500U, 2U}) {
    const std::string value = spoil(line);
    const Source source = source_of({files_.write("m", wrong)});
    for (const std::size_t threads : {1U, 4U}) {
      const std::string by_columns =
          message_of<DataError>([&] { load_columns(with_threads(threads, source), 2, shards_from(0, 1)); });
      EXPECT_TRUE(by_columns.starts_with(message(line, value))) << by_columns;
      const ShardId owner = line <= kRows / 2 ? 0 : 1;
      const std::string by_rows =
          message_of<DataError>([&] { load_rows(with_threads(threads, source), 2, shards_from(owner, owner + 1)); });
      EXPECT_TRUE(by_rows.starts_with(message(line, value))) << by_rows;
    }
  }
}

TEST_F(LoadTest, LinesAreCountedInEachFile) {
  const std::string a = files.write("a", "1 1:1\n\n1 1:1\n"), b = files.write("b", "# x\n1 1:1\n1 1:x\n"),
                    c = files.write("c.gz", gzipped("1 1:1\n\n1 0:1\n"));
  EXPECT_EQ(refusal<DataError>(source_of({a, b})), b + ":3: expected a finite number, found 'x' in '1:x'");
  EXPECT_EQ(refusal_of_rows<DataError>(source_of({a, b})), b + ":3: expected a finite number, found 'x' in '1:x'");
  EXPECT_EQ(refusal<DataError>(source_of({a, c})),
            c + ":3: indices count from 1, found '0:1' (use --index_from=0 if they count from 0)");
  const std::string whole = gzipped(std::string(100'000, '\n') + "1 1:1\n");
  const std::string cut = files.write("cut.gz", whole.substr(0, whole.size() - 12));
  EXPECT_TRUE(refusal<DataError>(source_of({a, cut})).starts_with(cut + ":"));
}

TEST_F(LoadTest, MatrixMarketByColumnsAndByRows) {
  const PlainMatrix matrix = example(3, 50, 90, 0.3);
  std::string coordinate, array, response;
  std::size_t entries = 0;
  for (std::uint32_t c = 90; c-- > 0;) {  // columns in another order than usual
    for (const auto& [row, value] : matrix.columns[c]) {
      char line[64];
      std::snprintf(line, sizeof line, "%u %u %.17g\n", row + 1, c + 1, value);
      coordinate += line;
      ++entries;
    }
  }
  for (const auto& column : matrix.columns) {
    std::vector<double> values(50, 0.0);
    for (const auto& [row, value] : column) values[row] = value;
    for (const double value : values) {
      char line[64];
      std::snprintf(line, sizeof line, "%.17g\n", value);
      array += line;
    }
  }
  for (const double label : labels_of(50)) {
    char line[64];
    std::snprintf(line, sizeof line, "%.17g\n", label);
    response += line;
  }
  Source source = source_of({files.write(
      "c", "%%MatrixMarket matrix coordinate real general\n50 90 " + std::to_string(entries) + "\n" + coordinate)});
  source.response = files.write("response", response);
  Source dense = source_of({files.write("a.gz", gzipped("%%MatrixMarket matrix array real general\n50 90\n" + array))});
  dense.response = source.response;
  for (const std::uint32_t shards : {1U, 2U, 5U})
    for (const auto& hosted : {shards_from(0, shards), shards_from(shards - 1, shards)}) {
      const Design got = load_columns(source, shards, hosted);
      expect_columns(got, matrix, hosted);
      expect_columns(load_columns(dense, shards, hosted), matrix, hosted);
      expect_rows(load_rows(source, shards, hosted), matrix, hosted);
      expect_rows(load_rows(dense, shards, hosted), matrix, hosted);
    }
}

TEST_F(LoadTest, MatrixMarketFilesFollowEachOther) {
  const std::string head = "%%MatrixMarket matrix coordinate integer general\n";
  const std::string a = files.write("a", head + "2 3 2\n1 1 1\n2 3 2\n"), b = files.write("b", head + "1 3 1\n1 3 4\n");
  Source source = source_of({a, b});
  source.response = files.write("y", "1\n2\n3\n");
  const std::vector<ShardId> all = {0};
  EXPECT_EQ(tests::plain(load_columns(source, 1, all).hosted[0].columns),
            (PlainColumns{{{0, 1}}, {}, {{1, 2}, {2, 4}}}));
  source.files = {a, files.write("twice", head + "2 3 3\n1 2 1\n2 2 1\n1 2 1\n")};
  source.response = files.write("y", "1\n2\n3\n4\n");
  EXPECT_EQ(refusal_of_rows<DataError>(source), source.files[1] + ":5: the entry is there twice");
}

TEST_F(LoadTest, ResponseAndFormatMustGoTogether) {
  const std::string matrix =
      files.write("m", "%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 1 1\n2 3 2\n");
  const std::string svm = files.write("s", "1 1:1\n2 1:1\n"), numbers = files.write("y", "1\n2\n"),
                    three = files.write("y3", "1\n2\n3\n");
  Source source = source_of({matrix});
  EXPECT_EQ(refusal<UsageError>(source),
            "--target is required: it names the column of " + matrix + " that has the labels");
  source.response = three;
  EXPECT_EQ(refusal<DataError>(source), three + ": expected a response for each of the 2 rows, found 3");
  source.files = {files.write("wide", "%%MatrixMarket matrix coordinate real general\n3 268435456 1\n1 1 1\n")};
  EXPECT_EQ(refusal<DataError>(source),
            source.files.front() +
                ": 268435456 columns are out of proportion to the entries that they have, 1: expected at most 1048640 "
                "(64 for each entry, and 1048576)");
  source.files = {svm};
  source.response = numbers;
  EXPECT_EQ(load_columns(source, 1, shards_from(0, 1)).common.numbers.response, (std::vector<double>{1, 2}));
  source.form.format = "matrix_market";
  source.response = numbers;
  EXPECT_EQ(refusal<DataError>(source), svm + ":1: expected '%%MatrixMarket', found '1'");
  source.files = {matrix};
  source.form.format = "libsvm";
  source.response.clear();
  EXPECT_EQ(refusal<DataError>(source), matrix + ":1: expected a label (a finite number), found '%%MatrixMarket'");
  source.files = {"/nowhere/x"};
  EXPECT_EQ(refusal<NoInput>(source), "/nowhere/x: cannot be opened: No such file or directory");
  source.files = {};
  EXPECT_EQ(refusal<UsageError>(source), "no input: name the files of the matrix");
}

TEST_F(LoadTest, ColumnsOfCsvHaveNames) {
  Source source = source_of({files.write("a.csv", "x,y,z\n0,5,1.5\n2,6,0\n"), files.write("b.csv", "z,x,y\n3,0,7\n")});
  const std::vector<ShardId> all = {0};
  EXPECT_EQ(refusal<UsageError>(source),
            "--target is required: it names the column of " + source.files[0] + " that has the labels");
  source.form.target = "y";
  const Design by_columns = load_columns(source, 1, all), by_rows = load_rows(source, 1, all);
  const PlainColumns expected = {{{1, 2}}, {{0, 1.5}, {2, 3}}};
  EXPECT_EQ(tests::plain(by_columns.hosted[0].columns), expected);
  EXPECT_EQ(tests::plain(by_rows.hosted[0].columns), expected);
  EXPECT_EQ(by_columns.common.names, (std::vector<std::string>{"x", "z"}));
  EXPECT_EQ(by_columns.common.numbers.response, (std::vector<double>{5, 6, 7}));
  EXPECT_EQ(by_rows.hosted[0].numbers.response, (std::vector<double>{5, 6, 7}));
  source.response = files.write("r", "1\n2\n3\n");
  source.form.target.clear();
  EXPECT_EQ(load_columns(source, 1, all).common.numbers.response, (std::vector<double>{1, 2, 3}));
  source = source_of({source.files[0], files.write("c.csv", "x,z\n1,2\n")});
  source.form.target = "y";
  EXPECT_EQ(refusal<DataError>(source), source.files[1] + ":1: there is no column 'y'; there are 2: x, z");
  source.files = {files.write("large.csv", "x,y\n1,2\n1,-1e150\n")};
  EXPECT_EQ(refusal<DataError>(source), source.files[0] +
                                            ":3: the response -1e+150 is too large to be squared and summed "
                                            "up: give it another unit");
}

TEST_F(LoadTest, WhatIsNoMatrix) {
  const std::string comments = files.write("c", "# x\n\n"), labels = files.write("l", "1\n2\n");
  EXPECT_EQ(refusal<DataError>(source_of({comments})), comments + ": the data has no rows");
  EXPECT_EQ(refusal_of_rows<DataError>(source_of({labels})), labels + ": the data has no columns");
}

TEST_F(LoadTest, AnIndexThatIsTooLargeIsSeenByAll) {
  const Source source = source_of({files.write("s", "1 1:1\n1 2:1\n1 3:1 999999999:1\n1 4:1\n")});
  for (const ShardId shard : {0U, 1U}) {
    const std::vector<ShardId> hosted = {shard};
    const std::string message = source.files[0] + ":3: index 999999999 is beyond the most columns, 268435456";
    EXPECT_EQ(refusal<DataError>(source, 2, hosted), message);
    EXPECT_EQ(refusal_of_rows<DataError>(source, 2, hosted), message);
  }
}

TEST_F(LoadTest, ColumnsThatTheEntriesDoNotAccountFor) {
  const std::vector<ShardId> all = {0, 1};
  const std::string text = "# two rows\n1 1:1\n-1 268435456:1\n", first = files.write("first", "2 5:1\n");
  for (const std::string& file : {files.write("plain", text), files.write("packed.gz", gzipped(text))}) {
    const Source source = source_of({first, file});
    const std::string message = file + ":3: " + io::out_of_proportion(268'435'456, "columns", 3);
    EXPECT_EQ(refusal<DataError>(source, 2, all), message);
    EXPECT_EQ(refusal_of_rows<DataError>(source, 2, all), message);
  }
  EXPECT_EQ(load_columns(source_of({files.write("wide", "1 1048640:1\n")}), 2, all).common.columns, 1'048'640U);
}

TEST_F(LoadTest, AResponseWhoseSquareIsNoNumber) {
  const std::vector<ShardId> all = {0, 1};
  Source source = source_of({files.write("s", "# y\n1 1:1\n-1e308 1:1\n")});
  const std::string what = " is too large to be squared and summed up: give it another unit";
  EXPECT_EQ(refusal<DataError>(source, 2, all), source.files[0] + ":3: the response -1e+308" + what);
  EXPECT_EQ(refusal_of_rows<DataError>(source, 2, all), source.files[0] + ":3: the response -1e+308" + what);
  source = source_of({files.write("m", "%%MatrixMarket matrix coordinate integer general\n2 3 2\n1 1 1\n2 3 2\n")});
  source.response = files.write("y", "1\n2e150\n");
  EXPECT_EQ(refusal<DataError>(source, 2, all), source.response + ":2: the response 2e+150" + what);
}

TEST_F(LoadTest, WeightsGoWithTheirRows) {
  Source source = source_of({files.write("s", "1 1:1\n2 1:1\n3 1:1\n")});
  const std::vector<ShardId> all = {0, 1};
  EXPECT_TRUE(load_columns(source, 2, all).common.numbers.weights.empty());
  source.weights = files.write("w", "1\n0\n2.5\n");
  const std::vector<double> shares = {0.25, 0, 0.625};
  EXPECT_EQ(load_columns(source, 2, all).common.numbers.weights, shares);
  const Design by_rows = load_rows(source, 2, all);
  EXPECT_EQ(by_rows.hosted[0].numbers.weights, (std::vector<double>{shares[0]}));
  EXPECT_EQ(by_rows.hosted[1].numbers.weights, (std::vector<double>{shares[1], shares[2]}));
  for (const double unit : {0x1p1022, 0x1p-1070}) {  // weights whose sum is no number, or that have few digits left
    char text[100];
    std::snprintf(text, sizeof text, "%.17g\n0\n%.17g\n", unit, 1.5 * unit);
    source.weights = files.write("w", text);
    EXPECT_EQ(load_columns(source, 2, all).common.numbers.weights, (std::vector<double>{0.5, 0, 0.75}));
  }
  source.weights = files.write("w", "1\n-1\n2.5\n");
  EXPECT_EQ(refusal<DataError>(source, 2, all),
            source.weights + ":2: expected a weight (a finite number of at least 0), found '-1'");
  source.weights = files.write("w", "1\n1\n");
  EXPECT_EQ(refusal_of_rows<DataError>(source, 2, all),
            source.weights + ": expected a weight for each of the 3 rows, found 2");
}

TEST_F(LoadTest, TwoClassesKeepTheirLabels) {
  Source source = source_of({files.write("s", "7 1:1\n2 1:1\n2 1:1\n7 1:1\n")});
  source.classes = true;
  const std::vector<ShardId> all = {0, 1}, second = {1};
  EXPECT_EQ(load_columns(source, 2, all).common.numbers.response, (std::vector<double>{7, 2, 2, 7}));
  EXPECT_EQ(load_columns(source, 2, all).common.classes, ClassLabels({2, 7}));
  EXPECT_EQ(load_rows(source, 2, second).hosted[0].numbers.response, (std::vector<double>{2, 7}));
  source.files = {files.write("s", "7 1:1\n2 1:1\n2 1:1\n5 1:1\n7 1:1\n")};
  for (const auto& hosted : {all, second}) {
    const std::string message = source.files[0] + ": expected a response of two classes, found more: 7, 2, 5, ...";
    EXPECT_EQ(refusal<DataError>(source, 2, hosted), message);
    EXPECT_EQ(refusal_of_rows<DataError>(source, 2, hosted), message);
  }
  source.files = {files.write("s", "1 1:1\n2 1:1\n1 1:1\n1 1:1\n")};
  const Design rows = load_rows(source, 2, second);
  EXPECT_EQ(rows.hosted[0].numbers.response, (std::vector<double>{1, 1}));
  EXPECT_EQ(rows.common.classes, ClassLabels({1, 2})) << "the other class is in another process";
  source.files = {files.write("s", "1.5 1:1\n1.5 1:1\n")};
  EXPECT_EQ(refusal_of_rows<DataError>(source, 2, all),
            source.files[0] + ": expected a response of two classes, found one only: 1.5");
}

TEST_F(LoadTest, BlocksAreStoredAsTheirValuesAllow) {
  const std::vector<ShardId> all = {0, 1};
  const Source source = source_of({files.write("s", "1 1:1 2:0.5 3:0.1\n1 1:2 2:3\n1 1:1 2:2\n1 1:1 2:2 5:1\n")});
  const Design by_columns = load_columns(source, 2, all);
  EXPECT_TRUE(by_columns.hosted[0].columns.is_single());
  EXPECT_TRUE(by_columns.hosted[0].columns.is_dense());
  EXPECT_FALSE(by_columns.hosted[1].columns.is_dense());
  const Design by_rows = load_rows(source, 2, all);
  EXPECT_FALSE(by_rows.hosted[0].columns.is_single()) << "0.1 needs a double";
  EXPECT_TRUE(by_rows.hosted[1].columns.is_single());
  EXPECT_FALSE(by_rows.hosted[1].columns.is_dense());
}

// Sums of squares were infinite, and the fit ended after 500 checks of NaN as if it were done.
TEST_F(LoadTest, WhatCannotBeSquaredIsRefused) {
  const std::vector<ShardId> all = {0};
  for (const char* number : {"1e300", "-1e300", "1e141"}) {
    const Source source = source_of({files.write("s", std::string("1 1:1\n1 7:") + number + "\n")});
    for (const std::string& message : {refusal<DataError>(source), refusal_of_rows<DataError>(source)})
      EXPECT_NE(message.find("in column 7 is too large to be squared and summed up"), message.npos) << message;
  }
  EXPECT_EQ(load_rows(source_of({files.write("s", "1 1:1e140\n1 2:1\n")}), 1, all).common.rows, 2U);
}

}  // namespace
}  // namespace rota::lasso
