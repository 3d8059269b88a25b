#include "core/checkpoint/model_reader.h"

#include <nlohmann/json.hpp>

#include "core/base/json_text.h"
#include "core/checkpoint/checkpoint_file.h"
#include "core/checkpoint/cut.h"
#include "core/job/job_config.h"
#include "core/job/job_options.h"
#include "core/job/option_declarations.h"
#include "core/records/json_records.h"
#include "core/rounds/placement.h"
#include "rota/error.h"
#include "tests/unit/core/base/temporary_folder.h"
#include "tests/unit/core/job/empty_app.h"
#include "tests/unit/core/wire/round_messages.h"

namespace rota::model_reader {
namespace {

constexpr std::uint32_t kPartitions = 2;
constexpr unsigned kFormat = 3;

using tests::bytes_of;
using tests::text_of;

constexpr TableId kApart = 0, kTogether = 1, kEmpty = 2;

// A small model in the folder itself: two slices, one shard, ten rows of a table spread over two partitions, and three
// rows of a table in one partition.
class ModelFolder : public TemporaryFolder {
 protected:
  ModelFolder() {
    Cut cut;
    cut.slices = {{0, 1}, {2}};
    Writer encoded;
    encode_cut(cut, encoded);
    for (std::uint32_t p = 0; p < kPartitions; ++p) {
      Rows rows({{"apart", Table::Kind::shared, 10, 1, 1},
                 {"together", Table::Kind::shared, 10, 2, 1, 0, true},
                 {"empty", Table::Kind::shared, 10, 1, 1}});
      for (Key key = 0; key < 10; ++key)
        if (partition_of_row(kApart, key, kPartitions) == p)
          rows.set(kApart, key, std::vector<double>{static_cast<double>(key)});
      for (const Key key : {8, 2, 5})
        if (p == kSinglePartition) rows.set(kTogether, key, std::vector<double>{static_cast<double>(key), -1});
      std::vector<Put> objects;
      const auto add = [&](Object object, std::uint64_t id, const Bytes& bytes) {
        if (partition_of_object(id, kPartitions) == p) objects.push_back({1, object, id, {}, bytes});
      };
      add(Object::slice, 0, bytes_of("slice 0"));
      add(Object::slice, 1, bytes_of("slice 1"));
      add(Object::shard, 0, bytes_of("shard 0"));
      add(Object::common, 0, bytes_of("known to all"));
      if (p == 0)
        objects.push_back(
            {1, Object::cut, 0, {}, Bytes::from(std::vector(encoded.view().begin(), encoded.view().end()))});
      const std::string name = "partition-" + std::to_string(p) + ".sst";
      const auto written = write_checkpoint(folder / name, {objects, rows});
      ROTA_CHECK(written.ok());
      manifest_["files"].push_back({{"file", name}, {"bytes", written->bytes}, {"xxh3", written->hash.hex()}});
    }
    manifest_["app"] = "counting";
    manifest_["epoch"] = 6;
    manifest_["seed"] = 3;
    manifest_["shards"] = 1;
    manifest_["slices"] = 2;
    manifest_["partitions"] = kPartitions;
    manifest_["options"] = {{"topics", "5"}};
    manifest_["facts"] = {{"columns", 7.0}};
    publish(manifest_);
  }
  void publish(const nlohmann::ordered_json& manifest) { write("manifest.json", seal(manifest, kFormat)); }
  // Why the model is refused.
  Status refusal() { return open_model(folder).status(); }
  // With a manifest that `change` has modified.
  template <typename Change>
  Status refusal_of(Change change) {
    auto wrong = manifest_;
    change(wrong);
    publish(wrong);
    return refusal();
  }

  nlohmann::ordered_json manifest_;
};

TEST_F(ModelFolder, IsReadAsItWasWritten) {
  const auto model = open_model(folder);
  ASSERT_TRUE(model.ok()) << model.status().what();
  EXPECT_EQ((*model)->epoch(), 6U);
  EXPECT_EQ((*model)->job().seed, 3U);
  EXPECT_EQ((*model)->job().slices, 2U);
  EXPECT_EQ((*model)->job().options.integer("topics"), 5);
  EXPECT_EQ((*model)->cut().slices.size(), 2U);
  EXPECT_EQ(text_of((*model)->slice(1)), "slice 1");
  EXPECT_EQ(text_of((*model)->shard(0)), "shard 0");
  EXPECT_EQ(text_of((*model)->common()), "known to all");
  EXPECT_EQ((*model)->facts().count("columns"), 7U);
  for (Key key = 0; key < 10; ++key)
    EXPECT_EQ((*model)->row(kApart, key), (std::vector<double>{static_cast<double>(key)}));
  for (const Key key : {2, 5, 8})
    EXPECT_EQ((*model)->row(kTogether, key), (std::vector<double>{static_cast<double>(key), -1}));
  EXPECT_TRUE((*model)->row(kTogether, 3).empty()) << "it was never committed";
  EXPECT_TRUE((*model)->row(kEmpty, 0).empty());
  EXPECT_THROW((void)(*model)->slice(2), DataError);
  EXPECT_EQ(*app_of_model(folder), "counting");
}

TEST_F(ModelFolder, AnOptionThatIsYoungerThanTheModelHasItsDefault) {
  const std::array options = {integer_option("topics", "100", "topics", 1, 1000, "How many."),
                              real_option("alpha", "0.25", "", 0, 1, "How much.")};
  const auto model = open_model(folder, options);
  ASSERT_TRUE(model.ok()) << model.status().what();
  EXPECT_EQ((*model)->job().options.integer("topics"), 5);
  EXPECT_EQ((*model)->job().options.real("alpha"), 0.25);
}

TEST_F(ModelFolder, GivesTheRowsOfATableInTheOrderOfTheirKeys) {
  const auto model = open_model(folder);
  ASSERT_TRUE(model.ok()) << model.status().what();
  const auto rows_of = [&](TableId table) {
    std::vector<std::pair<Key, std::vector<double>>> rows;
    (*model)->for_each_row(table, [&](Key key, std::span<const double> row) {
      rows.emplace_back(key, std::vector(row.begin(), row.end()));
    });
    return rows;
  };
  const auto apart = rows_of(kApart);
  ASSERT_EQ(apart.size(), 10U) << "of both partitions";
  for (Key key = 0; key < 10; ++key)
    EXPECT_EQ(apart[key], std::pair(key, std::vector<double>{static_cast<double>(key)}));
  const std::vector<std::pair<Key, std::vector<double>>> together = {{2, {2, -1}}, {5, {5, -1}}, {8, {8, -1}}};
  EXPECT_EQ(rows_of(kTogether), together);
  EXPECT_TRUE(rows_of(kEmpty).empty());
  EXPECT_TRUE(rows_of(9).empty());
}

// A model's job had no input files.
TEST_F(ModelFolder, KnowsItsInputWhileItExists) {
  manifest_["options"]["input"] = write("data/b", "1") + "," + write("data/a", "2");
  manifest_["options"]["valid"] = (folder / "data").string();
  publish(manifest_);
  const auto a = (folder / "data/a").string(), b = (folder / "data/b").string();
  EXPECT_EQ((*open_model(folder))->job().input, (std::vector{b, a}));
  EXPECT_EQ((*open_model(folder))->job().valid, (std::vector{a, b}));
  std::filesystem::remove_all(folder / "data");
  EXPECT_TRUE((*open_model(folder))->job().input.empty());
}

TEST_F(ModelFolder, IsFoundInARunsFolder) {
  std::filesystem::create_directories(folder / "run" / "model");
  for (const char* name : {"manifest.json", "partition-0.sst", "partition-1.sst"})
    std::filesystem::rename(folder / name, folder / "run" / "model" / name);
  EXPECT_TRUE(open_model(folder / "run").ok());
  EXPECT_TRUE(open_model(folder / "run" / "model").ok());
  EXPECT_EQ(refusal().code(), ExitCode::no_input);
  EXPECT_EQ(app_of_model(folder).status().code(), ExitCode::no_input);
}

// A run that is not done, in the folder "run", with committed epochs of this model.
class RunThatTrains : public ModelFolder {
 protected:
  RunThatTrains() {
    plugin_.name = "counting";
    plugin_.options = kOptions;
    write("run/flags.txt", "--app=counting\n--seed=9\n--shards=1\n--workers=1\n--topics=6\n");
    const std::string flagfile = "--flagfile=" + run_.flags().string();
    const char* const words[] = {"test", flagfile.c_str()};
    const auto line = parse_flags(2, words, {job_options(), role_options(), kOptions});
    ROTA_CHECK(line.ok());
    job_ = job_config(*line, false, &plugin_)->hash;
  }
  void commit(Epoch epoch) {
    CommitRecord record;
    record.epoch = epoch;
    record.app = "counting";
    record.job = job_;
    record.facts = {{"columns", Fact::Kind::sum, {7}}};
    std::filesystem::create_directories(run_.checkpoint(epoch));
    for (std::uint32_t p = 0; p < kPartitions; ++p) {
      const auto& file = manifest_["files"][p];
      const std::string to = run_.checkpoint(epoch).filename() / RunFolder::partition_file(p, 1);
      std::filesystem::copy_file(folder / RunFolder::partition_file(p), run_.checkpoint() / to);
      record.files.push_back({to, file["bytes"], *Hash128::from_hex(file["xxh3"].get<std::string>())});
    }
    write((run_.checkpoint(epoch) / RunFolder::kCommitRecord).string(), commit_to_text(record));
  }
  auto open() { return open_model(run_.path, plugin_); }

  static constexpr std::array kOptions = {integer_option("topics", "100", "topics", 1, 1000, "How many."),
                                          real_option("alpha", "0.25", "", 0, 1, "How much.")};
  RunFolder run_{folder / "run"};
  Plugin plugin_;
  Hash128 job_;
};

TEST_F(RunThatTrains, HasTheModelOfItsNewestCheckpoint) {
  EXPECT_EQ(open().status().code(), ExitCode::no_input);
  EXPECT_EQ(app_of_model(run_.path).status().code(), ExitCode::no_input);
  for (const Epoch epoch : {9U, 10U}) commit(epoch);
  std::filesystem::create_directories(run_.checkpoint(11));  // is being written
  EXPECT_EQ(*app_of_model(run_.path), "counting");
  const auto model = open();
  ASSERT_TRUE(model.ok()) << model.status().what();
  EXPECT_FALSE(is_final(**model));
  EXPECT_EQ((*model)->epoch(), 10U);
  EXPECT_EQ((*model)->job().seed, 9U);
  EXPECT_EQ((*model)->job().slices, 2U);
  EXPECT_EQ((*model)->job().options.integer("topics"), 6);
  EXPECT_EQ((*model)->job().options.real("alpha"), 0.25);
  EXPECT_EQ((*model)->facts().count("columns"), 7U);
  EXPECT_EQ(text_of((*model)->slice(1)), "slice 1");
  // Its files stay open: the run may drop them.
  std::filesystem::remove_all(run_.checkpoint());
  EXPECT_EQ((*model)->row(kTogether, 5), (std::vector<double>{5, -1}));
  EXPECT_EQ(text_of((*model)->shard(0)), "shard 0");
  // Jobs begin with finished models alone: another process would find another epoch.
  EXPECT_EQ(hash_of_model(run_.path).status().code(), ExitCode::no_input);
}

TEST_F(RunThatTrains, HasTheModelOfTheCheckpointBeforeIfTheNewestIsDamaged) {
  for (const Epoch epoch : {9U, 10U}) commit(epoch);
  write((run_.checkpoint(10) / RunFolder::partition_file(1, 1)).string(), "damaged");
  const auto model = open();
  ASSERT_TRUE(model.ok()) << model.status().what();
  EXPECT_EQ((*model)->epoch(), 9U);
  std::filesystem::remove(run_.checkpoint(9) / RunFolder::partition_file(0, 1));
  EXPECT_EQ(open().status().code(), ExitCode::disk);
  EXPECT_NE(open().status().what().find("epoch-00000010"), std::string::npos) << open().status().what();
}

TEST_F(RunThatTrains, WithOtherOptionsThanItsCheckpointIsRefused) {
  commit(9);
  write("run/flags.txt", "--app=counting\n--seed=9\n--shards=1\n--workers=1\n--topics=7\n");
  const Status status = open().status();
  EXPECT_EQ(status.code(), ExitCode::usage);
  EXPECT_NE(status.what().find("flags.txt: not the options of"), std::string::npos) << status.what();
}

TEST_F(RunThatTrains, HasItsOwnModelOnceItIsDone) {
  commit(9);
  write("run/model/manifest.json", seal(manifest_, kFormat));
  for (const char* name : {"partition-0.sst", "partition-1.sst"})
    std::filesystem::copy_file(folder / name, run_.model() / name);
  const auto model = open();
  ASSERT_TRUE(model.ok()) << model.status().what();
  EXPECT_TRUE(is_final(**model));
  EXPECT_EQ((*model)->epoch(), 6U);
}

TEST_F(ModelFolder, WithADamagedFileIsRefused) {
  for (const char* name : {"partition-0.sst", "partition-1.sst"}) {
    const std::string whole = read(folder / name);
    for (std::size_t at = 0; at < whole.size(); at += 397) {
      std::string damaged = whole;
      damaged[at] = static_cast<char>(damaged[at] ^ 4);
      write(name, damaged);
      const Status status = refusal();
      EXPECT_EQ(status.code(), ExitCode::disk);
      EXPECT_NE(status.what().find(name), std::string::npos) << status.what();
    }
    write(name, whole.substr(0, whole.size() - 1));
    EXPECT_EQ(refusal().code(), ExitCode::disk);
    std::filesystem::remove(folder / name);
    EXPECT_EQ(refusal().code(), ExitCode::disk);
    write(name, whole);
  }
  EXPECT_TRUE(open_model(folder).ok());
}

// A foreign model must not name files outside its folder.
TEST_F(ModelFolder, WithOtherFilesThanItsOwnIsRefused) {
  const std::string own = manifest_["files"][0]["file"];
  for (const std::string& name : {std::string("/etc/passwd"), "../" + folder.filename().string() + "/" + own,
                                  "./" + own, std::string("partition-1.sst"), std::string()}) {
    const Status status = refusal_of([&](auto& wrong) { wrong["files"][0]["file"] = name; });
    EXPECT_NE(status.what().find("'" + name + "' is no name of a model's file"), std::string::npos) << name;
  }
}

TEST_F(ModelFolder, WithADamagedManifestIsRefused) {
  for (const char* text : {"", "{", "[]", "7", "\xff"}) {
    write("manifest.json", text);
    EXPECT_EQ(refusal().code(), ExitCode::disk) << text;
    EXPECT_EQ(app_of_model(folder).status().code(), ExitCode::disk) << text;
  }
  for (const char* field : {"app", "epoch", "seed", "shards", "slices", "partitions", "options", "files"}) {
    EXPECT_EQ(refusal_of([&](auto& wrong) { wrong.erase(field); }).code(), ExitCode::disk) << "without " << field;
    const auto other = nlohmann::json::array({nlohmann::json::array()});
    EXPECT_EQ(refusal_of([&](auto& wrong) { wrong[field] = other; }).code(), ExitCode::disk) << field;
  }
}

// 2^32 + 1 shards became 1, and other numbers than integers were undefined.
TEST_F(ModelFolder, WithANumberThatDoesNotFitIsRefused) {
  for (const char* field : {"epoch", "seed", "shards", "slices", "partitions"})
    for (const nlohmann::ordered_json& number : {nlohmann::ordered_json(-1), nlohmann::ordered_json(1.5),
                                                 nlohmann::ordered_json(1e106), nlohmann::ordered_json("1")})
      EXPECT_EQ(refusal_of([&](auto& wrong) { wrong[field] = number; }).code(), ExitCode::disk) << field << number;
  for (const char* field : {"epoch", "shards", "slices"})
    EXPECT_EQ(refusal_of([&](auto& wrong) { wrong[field] = (std::uint64_t{1} << 32) + 1; }).code(), ExitCode::disk)
        << field;
}

// The app failed to parse it, and the command ended with 1.
TEST_F(ModelFolder, WithAnOptionThatNoCommandLineCouldSayIsRefused) {
  for (const auto& [name, value] : {std::pair{"schedulers", "x"}, {"workers", "0"}, {"checkpoint_seconds", "nan"}})
    EXPECT_EQ(refusal_of([&](auto& wrong) { wrong["options"][name] = value; }).code(), ExitCode::disk) << name;
}

// Commands continued with them, and ended with 0.
TEST_F(ModelFolder, WithNumbersThatCannotBeIsRefused) {
  manifest_["items"] = 99;
  for (const auto& [name, value] : {std::pair{"seed", "3"}, {"shards", "1"}, {"slices_per_shard", "2"}})
    manifest_["options"][name] = value;
  publish(manifest_);
  EXPECT_TRUE(open_model(folder).ok());
  const std::string file = (folder / "manifest.json").string();
  EXPECT_EQ(refusal_of([](auto& wrong) { wrong["items"] = std::uint64_t{1} << 63; }).what(),
            file + ": damaged: items, 9223372036854775808, cannot be");
  for (const auto& [name, number] :
       {std::pair{"slices", std::uint64_t{1} << 31}, {"shards", std::uint64_t{2}}, {"seed", std::uint64_t{4}}}) {
    const Status status = refusal_of([&](auto& wrong) { wrong[name] = number; });
    EXPECT_EQ(status.code(), ExitCode::disk);
    EXPECT_EQ(status.what(), file + ": damaged: " + name + " is not what the options say");
  }
}

TEST_F(ModelFolder, WithAFactThatIsNoCountIsRefused) {
  struct Columns final : tests::EmptyApp {
    std::vector<Table> tables(const Facts& facts) const override {
      return {{.name = "sums", .keys = facts.count("columns"), .row_width = 1}};
    }
  };
  Plugin plugin;
  plugin.name = "counting";
  plugin.app = [](const Job&) -> std::unique_ptr<App> { return std::make_unique<Columns>(); };
  EXPECT_TRUE(open_model(folder, plugin).ok());
  for (const nlohmann::ordered_json& facts : {nlohmann::ordered_json{{"columns", -1}},
                                              {{"columns", 1e300}},
                                              {{"columns", 0.5}},
                                              {{"rows", 7}},
                                              {{"columns", nullptr}}}) {
    auto wrong = manifest_;
    wrong["facts"] = facts;
    publish(wrong);
    const Status status = open_model(folder, plugin).status();
    EXPECT_EQ(status.code(), ExitCode::disk) << facts;
    EXPECT_NE(status.what().find("damaged"), std::string::npos) << status.what();
  }
}

TEST_F(ModelFolder, WithAnAppOfAnotherTypeIsRefused) {
  (void)refusal_of([](auto& wrong) { wrong["app"] = 5; });
  EXPECT_EQ(app_of_model(folder).status().code(), ExitCode::disk);
}

TEST_F(ModelFolder, OfAnotherFormatIsRefused) {
  write("manifest.json", seal(manifest_, kFormat + 1));
  EXPECT_EQ(refusal().code(), ExitCode::wrong_version);
  // As written by the first version of Rota, without a checksum.
  auto old = manifest_;
  old["format"] = 1;
  write("manifest.json", old.dump(2));
  EXPECT_EQ(refusal().code(), ExitCode::wrong_version);
  EXPECT_EQ(refusal().what(), (folder / "manifest.json").string() +
                                  ": written by another version of Rota: format 1, this one reads format 3");
}

// The number of files gives the place of a row: with a file missing, rows were read as zeros.
TEST_F(ModelFolder, WithoutOneOfItsFilesIsRefused) {
  EXPECT_EQ(refusal_of([](auto& wrong) { wrong["files"].erase(1); }).code(), ExitCode::disk);
  EXPECT_EQ(refusal_of([](auto& wrong) { wrong["files"].clear(); }).code(), ExitCode::disk);
}

}  // namespace
}  // namespace rota::model_reader
