#include "core/job/packed_folder.h"

#include "core/job/hosted_app.h"
#include "core/job/job_options.h"
#include "tests/unit/core/base/temporary_folder.h"
#include "tests/unit/core/job/empty_app.h"

namespace rota {
namespace {

constexpr Option kAppOptions[] = {{.name = "bits", .kind = Option::Kind::integer, .default_value = "0"},
                                  {.name = "weights", .kind = Option::Kind::path},
                                  {.name = "topics", .kind = Option::Kind::integer, .default_value = "10"}};
constexpr std::string_view kPackedNames[] = {"bits", "weights"};

std::string text_of(Reader& in) {
  return in.get_text();
}

class PackedFolderTest : public TemporaryFolder {
 protected:
  PackedFolderTest() {
    plugin_.name = "app";
    plugin_.options = kAppOptions;
    plugin_.packed_format = 2;
    plugin_.packed_options = kPackedNames;
    plugin_.app = [](const Job&) -> std::unique_ptr<App> { return std::make_unique<tests::EmptyApp>(); };
    index_.app = "app";
    index_.format = 2;
    index_.options = {{"bits", "4"}, {"weights", ""}};
    index_.common = put(kPackedCommon, "known to all");
    for (ShardId s = 0; s < 3; ++s) index_.shards.push_back({put(packed_file(s), "shard " + std::to_string(s)), s});
    seal();
  }
  PackedIndex::File put(const std::string& name, const std::string& text) {
    Writer out;
    out.put_text(text);
    write(name, {reinterpret_cast<const char*>(out.view().data()), out.view().size()});
    return {out.view().size(), hash128(out.view())};
  }
  void seal() { write(kPackedIndex, encode_index(index_)); }
  Job job(const std::string& bits = "4") const {
    Job job;
    job.options = Options({{"bits", bits}, {"input", folder.string()}, {"shards", "3"}});
    job.shards = 3;
    return job;
  }
  Status opened(const Job& job) const { return open_packed(folder, plugin_, job).status(); }
  Result<CommandLine> parse(std::vector<std::string> words, bool with_plugin = true) const {
    std::vector<const char*> argv{"program"};
    for (const std::string& word : words) argv.push_back(word.c_str());
    FlagTables tables{.job = job_options(), .own = {}, .plugin = {}, .any_plugin_option = !with_plugin};
    if (with_plugin) tables.plugin = kAppOptions;
    return parse_job_flags(static_cast<int>(argv.size()), argv.data(), tables);
  }
  std::string input() const { return "--input=" + folder.string(); }

  Plugin plugin_;
  PackedIndex index_;
};

TEST_F(PackedFolderTest, FilesAreReadWhenTheyAreAskedFor) {
  const auto data = open_packed(folder, plugin_, job());
  ASSERT_TRUE(data.ok()) << data.status().what();
  EXPECT_EQ((*data)->common(text_of), "known to all");
  std::filesystem::remove(folder / packed_file(1));
  EXPECT_EQ((*data)->shard(2, text_of), "shard 2") << "the missing file is not needed";
  EXPECT_THROW((*data)->shard(1, text_of), DataError);
  EXPECT_THROW((*data)->shard(3, text_of), DataError);
}

TEST_F(PackedFolderTest, NoByteOfAFileCanChange) {
  const auto data = open_packed(folder, plugin_, job());
  const std::string name = packed_file(1), text = read(folder / name);
  const auto refused = [&](const std::string& other) {
    write(name, other);
    try {
      (*data)->shard(1, text_of);
    } catch (const DataError& error) {
      return std::string(error.what()).starts_with((folder / name).string() + ": ");
    }
    return false;
  };
  for (std::size_t at = 0; at < text.size(); ++at) {
    std::string other = text;
    other[at] = static_cast<char>(other[at] ^ 1);
    EXPECT_TRUE(refused(other)) << at;
    EXPECT_TRUE(refused(text.substr(0, at))) << at;
  }
  EXPECT_TRUE(refused(text + "x"));
  write(name, text);
  EXPECT_EQ((*data)->shard(1, text_of), "shard 1");
}

TEST_F(PackedFolderTest, AReaderMustReadAll) {
  const auto data = open_packed(folder, plugin_, job());
  EXPECT_THROW((*data)->common([](Reader& in) { return in.get<char>(); }), DataError);
  EXPECT_THROW((*data)->common([](Reader& in) { return in.fail(), 0; }), DataError);
}

TEST_F(PackedFolderTest, IsForTheAppAndTheOptionsThatItWasMadeWith) {
  EXPECT_TRUE(opened(job()).ok());
  EXPECT_EQ(opened(job("5")).code(), ExitCode::usage);
  EXPECT_EQ(opened(job("5")).what(), "--bits=5: the data by shard in " + folder.string() +
                                         " was made with 4; omit the option, or write other data with `rota shard`");
  Job other = job();
  other.shards = 4;
  EXPECT_EQ(opened(other).code(), ExitCode::usage);
  plugin_.packed_format = 3;
  EXPECT_EQ(opened(job()).code(), ExitCode::bad_data);
  plugin_.packed_format = 0;
  EXPECT_EQ(opened(job()).what(), "the app app has no data by shard");
  EXPECT_EQ(opened(job()).code(), ExitCode::usage);
  plugin_.packed_format = 2;
  plugin_.name = "other";
  EXPECT_EQ(opened(job()).code(), ExitCode::bad_data);
  EXPECT_EQ(check_packed(job().options, plugin_).code(), ExitCode::bad_data);
}

TEST_F(PackedFolderTest, AJobTakesWhatItWasMadeWith) {
  auto line = parse({input(), "--workers=3"});
  ASSERT_TRUE(line.ok()) << line.status().what();
  EXPECT_EQ(line->options.text("shards"), "3");
  EXPECT_EQ(line->options.text("bits"), "4");
  EXPECT_EQ(line->options.text("topics"), "10");
  EXPECT_TRUE(parse({input(), "--shards=3", "--bits=4", "--topics=7"}).ok());
  EXPECT_EQ(job_identity(*line), job_identity(*parse({input(), "--workers=3"}, false))) << "also without the plugin";
  EXPECT_EQ(parse({input(), "--workers=4"}).status().what(), "--workers=4 is more than --shards=3");
  for (const char* const flag : {"--shards=4", "--bits=0", "--weights=/w", "--valid=/v"})
    EXPECT_EQ(parse({input(), flag}).status().code(), ExitCode::usage) << flag;
  EXPECT_EQ(parse({"--input=/x", "--valid=" + folder.string()}).status().code(), ExitCode::usage);
  write(kPackedIndex, "{");
  EXPECT_EQ(parse({input()}).status().code(), ExitCode::bad_data);
}

TEST_F(PackedFolderTest, HeldOutDataComesWithIt) {
  index_.has_valid = true;
  seal();
  for (const auto& words : {std::vector<std::string>{input()}, {input(), "--valid=" + folder.string() + "/"}})
    EXPECT_EQ(std::filesystem::path(parse(words)->options.text("valid")) / "", folder / "");
  EXPECT_EQ(parse({input(), "--valid=/v"}).status().code(), ExitCode::usage);
  EXPECT_TRUE(parse({input(), "--patience=2"}).ok());
}

TEST_F(PackedFolderTest, TheHostedAppFindsItInItsJob) {
  auto made = make_job(parse({input()})->options);
  ASSERT_TRUE(made.ok()) << made.status().what();
  EXPECT_EQ(made->shards, 3U);
  const auto app = host_app(plugin_, *made);
  ASSERT_TRUE(app.ok()) << app.status().what();
  ASSERT_NE((*app)->job.packed, nullptr);
  EXPECT_EQ((*app)->job.packed->common(text_of), "known to all");
  EXPECT_EQ((*app)->packed->index().shards.size(), 3U);
  plugin_.name = "other";
  EXPECT_EQ(host_app(plugin_, *made).status().code(), ExitCode::bad_data);
}

}  // namespace
}  // namespace rota
