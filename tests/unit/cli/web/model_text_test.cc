#include "cli/web/model_text.h"

#include "tests/unit/cli/web/run_files.h"

namespace rota {
namespace {

class ModelText : public RunFiles {};

TEST_F(ModelText, TablesAsTheirFilesHaveThem) {
  write("run/model/manifest.json", R"({"epoch":7})");
  write("run/model/text.list", "README.txt\ntopics.txt\nranks.csv\n../flags.txt\nmissing.csv\nlink.csv\n");
  write("run/model/topics.txt", "0\t0.5\tcaf\xe9 word\n1\t0.25\tother\n");
  write("run/model/ranks.csv", "node,rank\n\"a, \"\"b\"\"\",0.125\nc,2\n");
  write("run/flags.txt", "--app=secret\n");
  std::filesystem::create_symlink(folder / "run/flags.txt", folder / "run/model/link.csv");
  const Json model = model_tables(RunFolder{folder / "run"});
  EXPECT_EQ(model["epoch"], 7);
  ASSERT_EQ(model["tables"].size(), 4U);
  EXPECT_EQ(model["tables"][0], Json::parse(R"({"name":"topics.txt","columns":["1","2","3"],
    "rows":[[0,0.5,"caf\\xe9 word"],[1,0.25,"other"]]})"));
  EXPECT_EQ(model["tables"][1],
            Json::parse(R"({"name":"ranks.csv","columns":["node","rank"],"rows":[["a, \"b\"",0.125],["c",2]]})"));
  for (const int i : {2, 3}) EXPECT_EQ(model["tables"][i]["rows"].size(), 0U) << "nothing, or a link";
}

TEST_F(ModelText, LargeTablesAreCutOff) {
  std::string rows = "number\n";
  for (int i = 0; i < 100'000; ++i) rows += std::to_string(i) + std::string(50, 'x') + "\n";
  write("run/model/text.list", "large.csv\nwide.txt\nranks.csv\n");
  write("run/model/large.csv", rows);
  write("run/model/wide.txt", std::string(5000, 'y') + "\n");
  write("run/model/ranks.csv", rows);
  const Json model = model_tables(RunFolder{folder / "run"});
  EXPECT_TRUE(model["epoch"].is_null());
  EXPECT_EQ(model["tables"][0]["rows"].size(), 200U);
  EXPECT_EQ(model["tables"][0]["cut"], true);
  EXPECT_FALSE(model["tables"][1].contains("cut"));
  EXPECT_GT(model["tables"][2]["rows"].size(), 15'000U) << "the page draws them";
  EXPECT_LT(model["tables"][2]["rows"].size(), 20'000U) << "1 MiB";
  EXPECT_EQ(model["tables"][2]["cut"], true);
  EXPECT_EQ(model["tables"][1]["rows"][0][0].get<std::string>().size(), 403U);
  EXPECT_EQ(model_tables(RunFolder{folder / "none"})["tables"], Json::array());
}

}  // namespace
}  // namespace rota
