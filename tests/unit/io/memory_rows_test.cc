// tests/unit/io/memory_rows_test.cc -- arrays of this process as rows, entries and numbers.
#include "io/memory_rows.h"

#include "rota/error.h"
#include "rota/io/input_size.h"
#include "rota/io/number_list.h"
#include "rota/io/row_files.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::io {
namespace {

using tests::message_of;

// A matrix of 3 rows and 4 columns, whose second row is empty; with a zero that is stored.
const std::vector<std::int32_t> kBegins = {0, 2, 2, 5}, kColumns = {0, 3, 1, 2, 3};
const std::vector<double> kValues = {1.5, -2, 3, 0, 4};
const std::vector<double> kLabels = {1, 0, 1};

class MemoryRowsTest : public testing::Test {
 protected:
  MemoryRowsTest() { memory_slot() = &inputs_; }
  ~MemoryRowsTest() override { memory_slot() = nullptr; }

  static MemoryInput sparse() {
    MemoryInput input{.rows = 3, .columns = 4};
    input.dense = false;
    input.begins = std::span(kBegins);
    input.column = std::span(kColumns);
    input.values = std::span(kValues);
    return input;
  }
  // "label: column=value ..." of every row.
  std::vector<std::string> rows(const MemoryInput& input, const RowForm& form = {}) {
    RowFiles files({inputs_.put(input)}, form);
    std::vector<std::string> all;
    for (LabelledValues row; files.next(row);) {
      std::ostringstream text;
      text << row.label << ":";
      for (std::size_t e = 0; e < row.columns.size(); ++e) text << " " << row.columns[e] << "=" << row.values[e];
      all.push_back(text.str());
    }
    EXPECT_EQ(files.columns(), input.columns);
    return all;
  }
  std::vector<std::string> entries(const MemoryInput& input, const EntryForm& form = {}) {
    std::vector<std::string> all;
    for_each_entry({inputs_.put(input)}, form, [&](const EntryReader&, const Entry& entry) {
      all.push_back(std::string(entry.first) + "|" + std::string(entry.second) + "|" + std::string(entry.value) + "|" +
                    std::string(entry.time));
    });
    return all;
  }

  MemoryInputs inputs_;
};

TEST_F(MemoryRowsTest, SparseRowsAreSeenInPlace) {
  MemoryInput input = sparse();
  EXPECT_EQ(rows(input), (std::vector<std::string>{"0: 0=1.5 3=-2", "0:", "0: 1=3 3=4"}));
  input.labels = kLabels;
  EXPECT_EQ(rows(input), (std::vector<std::string>{"1: 0=1.5 3=-2", "0:", "1: 1=3 3=4"}));
  const auto reader = read_memory_rows(inputs_.put(input), {});
  LabelledValues row;
  ASSERT_TRUE(reader->next(row));
  EXPECT_EQ(static_cast<const void*>(row.columns.data()), kColumns.data());
  EXPECT_EQ(row.values.data(), kValues.data());
  EXPECT_EQ(row.written, 2u);
}

TEST_F(MemoryRowsTest, OtherTypesAreConvertedRowByRow) {
  const std::vector<std::int64_t> begins = {0, 2, 2, 5}, columns = {0, 3, 1, 2, 3};
  const std::vector<float> values = {1.5, -2, 3, 0, 4};
  MemoryInput input = sparse();
  const std::vector<std::string> wanted = rows(input);
  input.begins = std::span(begins);
  EXPECT_EQ(rows(input), wanted);
  input.column = std::span(columns);
  input.values = std::span(values);
  EXPECT_EQ(rows(input), wanted);
}

TEST_F(MemoryRowsTest, DenseRowsInBothOrders) {
  const std::vector<double> by_rows = {1, 0, 2, 3, 4, 0}, by_columns = {1, 3, 0, 4, 2, 0};
  MemoryInput input{.rows = 2, .columns = 3, .values = std::span(by_rows), .row_stride = 3};
  const std::vector<std::string> wanted = {"0: 0=1 2=2", "0: 0=3 1=4"};
  EXPECT_EQ(rows(input), wanted);
  input.values = std::span(by_columns);
  input.row_stride = 1;
  input.column_stride = 2;
  EXPECT_EQ(rows(input), wanted);
}

TEST_F(MemoryRowsTest, WhatIsWrongIsNamed) {
  MemoryInput input = sparse();
  EXPECT_EQ(message_of<UsageError>([&] { rows(input, {.labels = RowForm::Labels::required}); }),
            "memory:1 has no labels");
  const std::vector<std::int32_t> back = {3, 0, 1, 2, 3}, beyond = {0, 4, 1, 2, 3}, negative = {-1, 3, 1, 2, 3};
  for (const auto* columns : {&back, &beyond, &negative}) {
    input.column = std::span(*columns);
    EXPECT_NE(message_of<DataError>([&] { rows(input); }).find("row 1: its columns do not ascend"), std::string::npos);
  }
  input = sparse();
  const std::vector<std::int32_t> short_of = {0, 2, 2}, falling = {0, 3, 2, 5}, too_far = {0, 2, 2, 6};
  for (const auto* begins : {&short_of, &falling, &too_far}) {
    input.begins = std::span(*begins);
    EXPECT_NE(message_of<DataError>([&] { rows(input); }).find("do not fit together"), std::string::npos);
  }
  input = sparse();
  const std::vector<double> infinite = {1, 2, 3, std::numeric_limits<double>::infinity(), 5};
  input.values = std::span(infinite);
  EXPECT_NE(message_of<DataError>([&] { rows(input); }).find("row 3: a value is not a finite number"),
            std::string::npos);
  EXPECT_EQ(message_of<UsageError>([&] {
              RowFiles({"memory:1"}, {}, Section{0, 2});
            }),
            "--stream reads files, and memory:1 is in memory");
}

TEST_F(MemoryRowsTest, WithoutDataOfThatName) {
  const std::string gone = inputs_.put(sparse());
  inputs_.remove(gone);
  EXPECT_EQ(message_of<NoInput>([&] { read_rows(gone, {}); }), gone + ": this process holds no data of that name");
  memory_slot() = nullptr;
  EXPECT_EQ(message_of<NoInput>([&] { read_rows("memory:x", {}); }),
            "memory:x: this process holds no data of that name");
}

TEST_F(MemoryRowsTest, EntriesOfBothForms) {
  EXPECT_EQ(entries(sparse()), (std::vector<std::string>{"0|0|1.5|", "0|3|-2|", "2|1|3|", "2|2|0|", "2|3|4|"}));
  const std::vector<double> triples = {7, 8, 0.5, 123456789012, 0, 1};
  MemoryInput input{.rows = 2, .columns = 3, .values = std::span(triples), .row_stride = 3};
  EXPECT_EQ(entries(input), (std::vector<std::string>{"7|8|0.5|", "123456789012|0|1|"}));
  const std::vector<double> broken = {7, 8, 1, 7.5, 8, 1};
  input.values = std::span(broken);
  EXPECT_NE(message_of<DataError>([&] { entries(input); }).find("row 2: '7.5' is not a whole number"),
            std::string::npos);
}

TEST_F(MemoryRowsTest, BytesOfInputs) {
  const tests::ScratchFiles files;
  EXPECT_EQ(input_bytes({files.write("rows.txt", "1 0:2\n"), inputs_.put(sparse())}), 6 + 5 * sizeof(double));
  EXPECT_THROW(input_bytes({"memory:absent"}), NoInput);
}

TEST_F(MemoryRowsTest, NumbersAreOfOneColumn) {
  MemoryInput input{.rows = 3, .columns = 1, .values = std::span(kLabels)};
  EXPECT_EQ(read_numbers(inputs_.put(input), "a weight", 0), kLabels);
  EXPECT_NE(message_of<DataError>([&] { read_numbers(inputs_.put(input), "a weight", 0.5); }).find("found 0"),
            std::string::npos);
  EXPECT_NE(message_of<DataError>([&] { memory_numbers(inputs_.put(sparse())); }).find("one number a row"),
            std::string::npos);
}

}  // namespace
}  // namespace rota::io
