// tests/unit/io/matrix_market_test.cc -- both formats of MatrixMarket, lists of numbers, and their errors.
#include "rota/io/matrix_market.h"

#include "rota/error.h"
#include "rota/io/matrix_format.h"
#include "rota/io/number_list.h"
#include "tests/unit/io/compressed.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::io::matrix_market {
namespace {

using tests::gzipped;
using tests::message_of;
using tests::ScratchFiles;
using tests::Wrong;
using tests::zstd_compressed;

struct Read {
  MatrixMarketSize size;
  std::string entries;  // "row,column:value ..."
};

Read read(const std::string& path) {
  Read read;
  Lines lines(path);
  read.size = read_matrix_market(lines, [&](std::span<const MatrixEntry> entries) {
    for (const MatrixEntry& each : entries)
      read.entries +=
          std::to_string(each.row) + "," + std::to_string(each.column) + ":" + std::to_string(each.value) + " ";
  });
  return read;
}

const std::string kCoordinate = "%%MatrixMarket matrix coordinate real general\n";
const std::string kSymmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string kArray = "%%MatrixMarket matrix array real general\n";

using MatrixMarket = tests::WithFiles;

TEST_F(MatrixMarket, Coordinate) {
  const std::string text = kCoordinate + "% a comment\n%\n\n 3 4\t3\r\n3 1 1.5\r\n\n1 4 -2e1\n1 4 0\n\n";
  for (const std::string& path :
       {files.write("m.mtx", text), files.write("m.gz", gzipped(text)), files.write("m.zst", zstd_compressed(text))}) {
    const Read got = read(path);
    EXPECT_EQ(got.entries, "2,0:1.500000 0,3:-20.000000 0,3:0.000000 ");
    EXPECT_FALSE(got.size.array);
    EXPECT_EQ(got.size.rows, 3U);
    EXPECT_EQ(got.size.columns, 4U);
    EXPECT_EQ(got.size.entries, 3U);
  }
}

TEST_F(MatrixMarket, FieldsAndLetters) {
  EXPECT_EQ(read(files.write("a", "%%MatrixMarket MATRIX Coordinate Pattern General\n2 2 2\n1 1\n2 1\n")).entries,
            "0,0:1.000000 1,0:1.000000 ");
  EXPECT_EQ(read(files.write("b", "%%MatrixMarket matrix coordinate integer general\n2 2 1\n1 1 -7\n")).entries,
            "0,0:-7.000000 ");
  EXPECT_EQ(read(files.write("c", "%%MatrixMarket matrix coordinate double general\n1 1 0\n")).entries, "");
}

TEST_F(MatrixMarket, SymmetricEntriesAreOnBothSides) {
  const std::string path = files.write("s", kSymmetric + "3 3 3\n1 1 2\n3 1 5\n3 2 0.5\n");
  const Read got = read(path);
  EXPECT_EQ(got.entries, "0,0:2.000000 2,0:5.000000 0,2:5.000000 2,1:0.500000 1,2:0.500000 ");
  EXPECT_EQ(got.size.entries, 5U);
  EXPECT_EQ(line_of_repeated(files.write("t", kSymmetric + "3 3 2\n3 1 5\n3 1 5\n"), 0, 2), 4U);
}

TEST_F(MatrixMarket, ArraysGoColumnByColumn) {
  const Read got = read(files.write("a", kArray + "2 3\n1\n2\n3\n4\n5\n6\n"));
  EXPECT_EQ(got.entries, "0,0:1.000000 1,0:2.000000 0,1:3.000000 1,1:4.000000 0,2:5.000000 1,2:6.000000 ");
  EXPECT_TRUE(got.size.array);
  EXPECT_EQ(got.size.entries, 6U);
}

TEST_F(MatrixMarket, ManyEntries) {
  std::string text = kCoordinate + "100 100 10000\n";
  for (int i = 0; i < 10'000; ++i) text += std::to_string(i / 100 + 1) + " " + std::to_string(i % 100 + 1) + " 1\n";
  const std::string path = files.write("m", text);
  std::uint64_t entries = 0;
  Lines lines(path);
  read_matrix_market(lines, [&](std::span<const MatrixEntry> batch) { entries += batch.size(); });
  EXPECT_EQ(entries, 10'000U);
}

TEST_F(MatrixMarket, WhereAnEntryIsRepeated) {
  const std::string path = files.write("m", kCoordinate + "2 2 3\n1 2 1\n2 2 1\n\n1 2 4\n");
  EXPECT_EQ(line_of_repeated(path, 0, 1), 6U);
  EXPECT_EQ(line_of_repeated(path, 1, 1), 0U);
}

class WrongMatrix : public testing::TestWithParam<Wrong> {};

TEST_P(WrongMatrix, IsRefusedWithItsLine) {
  const ScratchFiles files;
  const std::string path = files.write("m", GetParam().content);
  EXPECT_EQ(message_of<DataError>([&] { read(path); }), path + GetParam().message);
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongMatrix,
    testing::Values(
        Wrong{"", ": the file is empty"}, Wrong{"1 1:1\n", ":1: expected '%%MatrixMarket', found '1'"},
        Wrong{"%%MatrixMarket vector coordinate real general\n", ":1: expected 'matrix', found 'vector'"},
        Wrong{"%%MatrixMarket matrix dense real general\n", ":1: expected 'coordinate' or 'array', found 'dense'"},
        Wrong{"%%MatrixMarket matrix coordinate complex general\n",
              ":1: expected 'real', 'integer' or 'pattern' entries, found 'complex'"},
        Wrong{"%%MatrixMarket matrix array pattern general\n",
              ":1: expected 'real' or 'integer' numbers, found 'pattern'"},
        Wrong{"%%MatrixMarket matrix coordinate real skew-symmetric\n",
              ":1: expected a 'general' or 'symmetric' matrix, found 'skew-symmetric'"},
        Wrong{"%%MatrixMarket matrix array real symmetric\n",
              ":1: expected a 'general' array, with all its entries, found 'symmetric'"},
        Wrong{kSymmetric + "2 3 1\n2 1 1\n", ":2: a symmetric matrix has as many rows as columns"},
        Wrong{kSymmetric + "2 2 2\n2 1 1\n1 2 1\n", ":4: an entry above the diagonal of a symmetric matrix"},
        Wrong{"%%MatrixMarket matrix coordinate real\n", ":1: expected a 'general' or 'symmetric' matrix, found ''"},
        Wrong{"%%MatrixMarket matrix coordinate real general x\n", ":1: expected 'general' last, found 'x' after it"},
        Wrong{kCoordinate, ":2: expected the size of the matrix, found the end of the file"},
        Wrong{kCoordinate + "% x\n", ":3: expected the size of the matrix, found the end of the file"},
        Wrong{kCoordinate + "2 2\n", ":2: expected the number of entries, found ''"},
        Wrong{kCoordinate + "0 2 0\n", ":2: expected the number of rows from 1 to 4294967295, found '0'"},
        Wrong{kCoordinate + "4294967296 2 0\n",
              ":2: expected the number of rows from 1 to 4294967295, found '4294967296'"},
        Wrong{kCoordinate + "2 268435457 0\n",
              ":2: expected the number of columns from 1 to 268435456, found '268435457'"},
        Wrong{kCoordinate + "2 2 5\n", ":2: expected the number of entries from 0 to 4, found '5'"},
        Wrong{
            kCoordinate + "4294967295 2 1\n1 1 1\n",
            ":2: 4294967295 rows are out of proportion to the entries that they have, 1: expected at most 1048640 (64 "
            "for each entry, and 1048576)"},
        Wrong{kCoordinate + "2 x 5\n", ":2: expected the number of columns, found 'x'"},
        Wrong{kCoordinate + "2 2 1 9\n", ":2: expected the size of the matrix alone, found '9' after it"},
        Wrong{kArray + "2 2 4\n", ":2: expected the size of the matrix alone, found '4' after it"},
        Wrong{kCoordinate + "2 2 1\n0 1 1\n", ":3: expected a row from 1 to 2, found '0'"},
        Wrong{kCoordinate + "2 2 1\n3 1 1\n", ":3: expected a row from 1 to 2, found '3'"},
        Wrong{kCoordinate + "2 2 1\n1 3 1\n", ":3: expected a column from 1 to 2, found '3'"},
        Wrong{kCoordinate + "2 2 1\n1 -1 1\n", ":3: expected a column, found '-1'"},
        Wrong{kCoordinate + "2 2 1\n1\n", ":3: expected a column, found ''"},
        Wrong{kCoordinate + "2 2 1\n1 1\n", ":3: expected a finite number, found ''"},
        Wrong{kCoordinate + "2 2 1\n1 1 inf\n", ":3: expected a finite number, found 'inf'"},
        Wrong{kCoordinate + "2 2 1\n1 1 1 1\n", ":3: expected one entry a line, found '1' after it"},
        Wrong{kCoordinate + "2 2 1\n% late\n", ":3: expected a row, found '%'"},
        Wrong{kCoordinate + "2 2 2\n1 1 1\n", ":4: expected 2 entries, found 1 before the end of the file"},
        Wrong{kCoordinate + "2 2 1\n1 1 1\n\n2 2 1\n",
              ":5: expected the end of the file after 1 entries, found '2 2 1'"},
        Wrong{"%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 1.5\n",
              ":3: expected an integer, found '1.5'"},
        Wrong{kArray + "2 1\n1\nx\n", ":4: expected a finite number, found 'x'"},
        Wrong{kArray + "2 1\n1 2\n", ":3: expected one entry a line, found '2' after it"}));

TEST(MatrixFormat, IsDetectedByTheFirstBytes) {
  const ScratchFiles files;
  EXPECT_EQ(matrix_format_of(files.write("a", kArray)), MatrixFormat::matrix_market);
  EXPECT_EQ(matrix_format_of(files.write("b", "\xef\xbb\xbf" + kArray)), MatrixFormat::matrix_market);
  EXPECT_EQ(matrix_format_of(files.write("c.gz", gzipped(kArray))), MatrixFormat::matrix_market);
  EXPECT_EQ(matrix_format_of(files.write("d", "1 1:1\n")), MatrixFormat::libsvm);
  EXPECT_EQ(matrix_format_of(files.write("e", "%")), MatrixFormat::libsvm);
  EXPECT_EQ(matrix_format("auto"), MatrixFormat::automatic);
  EXPECT_EQ(matrix_format("libsvm"), MatrixFormat::libsvm);
  EXPECT_EQ(matrix_format("matrix_market"), MatrixFormat::matrix_market);
  const std::string empty = files.write("empty", "");
  EXPECT_EQ(message_of<DataError>([&] { matrix_format_of(empty); }), empty + ": the file is empty");
}

constexpr double kAny = -std::numeric_limits<double>::infinity();

TEST(NumberList, OneALineOrAnArray) {
  const ScratchFiles files;
  const std::vector<double> expected = {1, -2.5, 1e-3};
  EXPECT_EQ(read_numbers(files.write("a", "1\n -2.5 \r\n+1e-3"), "a response", kAny), expected);
  EXPECT_EQ(read_numbers(files.write("b", kArray + "3 1\n1\n-2.5\n.001\n"), "a response", kAny), expected);
  EXPECT_EQ(read_numbers(files.write("c.gz", gzipped("1\n-2.5\n1e-3\n")), "a response", kAny), expected);
}

TEST(NumberList, WhatIsWrong) {
  const ScratchFiles files;
  const auto refused = [&](const std::string& content, double least) {
    const std::string path = files.write("n", content);
    const std::string message = message_of<DataError>([&] { read_numbers(path, "a weight", least); });
    return message.starts_with(path) ? message.substr(path.size()) : message;
  };
  EXPECT_EQ(refused("1\nx\n", kAny), ":2: expected a weight (a finite number), found 'x'");
  EXPECT_EQ(refused("1\n\n2\n", kAny), ":2: expected a weight (a finite number), found ''");
  EXPECT_EQ(refused("1\n-1\n", 0), ":2: expected a weight (a finite number of at least 0), found '-1'");
  EXPECT_EQ(refused("1 2\n", 0), ":1: expected one number a line, found '2' after it");
  EXPECT_EQ(refused(kArray + "1 1\n-1\n", 0), ": expected a weight (a finite number of at least 0), found -1");
  EXPECT_EQ(refused(kArray + "1 2\n1\n1\n", 0), ": expected an array of one column");
  EXPECT_EQ(refused(kCoordinate + "1 1 1\n1 1 1\n", 0), ": expected an array of one column");
}

}  // namespace
}  // namespace rota::io::matrix_market
