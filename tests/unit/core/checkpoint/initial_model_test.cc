#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/cut.h"
#include "core/checkpoint/model_reader.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

class InitialModel : public TemporaryFolder {
 protected:
  InitialModel() {
    Writer cut;
    encode_cut({}, cut);
    Rows rows({{"rows", Table::Kind::shared, 1, 1, 1}});
    rows.set(0, 0, std::vector<double>{5});
    std::vector<Put> objects;
    objects.push_back({1, Object::cut, 0, {}, Bytes::from(std::vector(cut.view().begin(), cut.view().end()))});
    const auto written = write_checkpoint(folder / "partition-0.sst", {objects, rows});
    ROTA_CHECK(written.ok());
    nlohmann::ordered_json manifest;
    manifest["files"].push_back(
        {{"file", "partition-0.sst"}, {"bytes", written->bytes}, {"xxh3", written->hash.hex()}});
    manifest["app"] = "counting";
    manifest["epoch"] = 6;
    manifest["seed"] = 3;
    for (const char* const count : {"shards", "slices", "partitions"}) manifest[count] = 1;
    manifest["options"] = {{"topics", "5"}};
    manifest["facts"] = {{"columns", 7.0}};
    manifest["model_hash"] = "0123";
    write("manifest.json", seal(manifest, 3));
    plugin_.name = "counting";
    plugin_.takes_model = true;
  }
  Result<std::shared_ptr<const Model>> open(std::map<std::string, std::string, std::less<>> options) const {
    return initial_model(plugin_, Options(std::move(options)));
  }
  Plugin plugin_;
};

TEST_F(InitialModel, IsTheModelOfTheOption) {
  const auto model = open({{"init_model", folder.string()}, {"init_hash", "0123"}});
  ASSERT_TRUE(model.ok()) << model.status().what();
  EXPECT_EQ((*model)->row(0, 0), std::vector<double>{5});
  EXPECT_TRUE(open({{"init_model", folder.string()}}).ok());
}

TEST_F(InitialModel, IsNoneWithoutTheOption) {
  const auto model = open({});
  ASSERT_TRUE(model.ok());
  EXPECT_EQ(*model, nullptr);
}

TEST_F(InitialModel, OtherModelsAreRefused) {
  EXPECT_EQ(open({{"init_model", (folder / "nothing").string()}}).status().code(), ExitCode::no_input);
  const Status changed = open({{"init_model", folder.string()}, {"init_hash", "4567"}}).status();
  EXPECT_EQ(changed.code(), ExitCode::bad_data);
  EXPECT_NE(changed.what().find("has the model 0123, and the job began with 4567"), std::string::npos);
  plugin_.name = "other";
  EXPECT_EQ(open({{"init_model", folder.string()}}).status().code(), ExitCode::bad_data);
  plugin_.akin_to = "counting";
  EXPECT_TRUE(open({{"init_model", folder.string()}}).ok());
  plugin_.takes_model = false;
  EXPECT_EQ(open({{"init_model", folder.string()}}).status().code(), ExitCode::usage);
}

}  // namespace
}  // namespace rota
