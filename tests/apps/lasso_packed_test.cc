// tests/apps/lasso_packed_test.cc -- sparse linear models from data by shard, by columns and by rows.
#include "tests/apps/lasso_host.h"
#include "tests/apps/packed_data.h"

namespace rota::tests {
namespace {

using LassoPacked = Packed;

constexpr const char* kRows =
    "1 1:2 3:-1\n-1 2:0.5\n1 1:1 2:1 4:3\n-1 3:2\n-1 4:0.25\n1 1:-1\n1 5:0.1\n-1 2:2 3:1\n1 1:0.5 2:1 3:2 4:1 5:3\n";

TEST_F(LassoPacked, OneModelByColumnsAndByRows) {
  const std::string rows = files.write("rows", kRows), weights = files.write("weights", "1\n2\n0\n1\n3\n1\n1\n1\n2\n");
  for (const Given& given : {Given{}, Given{{"loss", "logistic"}, {"intercept", "false"}},
                             Given{{"weights", weights}, {"folds", "2"}}, Given{{"standardize", "true"}}}) {
    lasso::choose("lasso");
    expect_one_model(job(with(given, {{"shards", "3"}}), rows));
    lasso::choose("lasso_rows");
    expect_one_model(job(with(given, {{"shards", "3"}}), rows));
  }
  expect_one_model(job({{"order", "round_robin"}, {"shards", "3"}}, rows));
}

TEST_F(LassoPacked, DenseBlocksAndOtherFormats) {
  const std::string dense = files.write("dense", "1 1:2 2:1\n2 1:1 2:0.1\n3 1:1 2:1\n2 1:3 2:2\n");
  const std::string market = files.write(
      "market.mtx", "%%MatrixMarket matrix coordinate real general\n4 3 5\n1 1 2\n3 2 1\n2 1 0.5\n4 3 1\n1 3 2\n");
  const std::string response = files.write("response", "1\n2\n0\n4\n");
  const std::string csv = files.write("named.csv", "a,y,b\n1,2,0\n0,1,0.5\n3,1,1\n2,2,2\n");
  for (const char* const app : {"lasso", "lasso_rows"}) {
    lasso::choose(app);
    expect_one_model(job({{"shards", "2"}, {"target", "y"}}, csv));
    expect_one_model(job({{"shards", "2"}}, dense));
    expect_one_model(job({{"shards", "5"}, {"response", response}}, market));
  }
}

TEST_F(LassoPacked, BytesThatChanged) {
  const std::string rows = files.write("rows", kRows), weights = files.write("weights", "1\n2\n0\n1\n3\n1\n1\n1\n2\n");
  for (const char* const app : {"lasso", "lasso_rows"}) {
    lasso::choose(app);
    for (const char* const loss : {"squared", "logistic"})
      expect_flips_are_borne(job({{"loss", loss}, {"shards", "2"}, {"weights", weights}}, rows));
  }
}

}  // namespace
}  // namespace rota::tests
