#include "core/job/job_options.h"

#include "core/job/job_config.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

constexpr Option kPlugin[] = {{.name = "topics", .kind = Option::Kind::integer, .default_value = "100"}};

class JobOptionsTest : public TemporaryFolder {
 protected:
  static Result<CommandLine> parse(std::vector<std::string> words, bool with_plugin = true) {
    std::vector<const char*> argv{"program"};
    for (const std::string& word : words) argv.push_back(word.c_str());
    FlagTables tables{.job = job_options(), .own = role_options(), .plugin = {}, .any_plugin_option = !with_plugin};
    if (with_plugin) tables.plugin = kPlugin;
    return parse_job_flags(static_cast<int>(argv.size()), argv.data(), tables);
  }
};

TEST_F(JobOptionsTest, TheTablesAreConsistent) {
  std::vector<Option> all(job_options().begin(), job_options().end());
  all.insert(all.end(), role_options().begin(), role_options().end());
  const std::set<std::string_view> internals{"shards_from", "init_hash", "max_message_mb"};  // which --help leaves out
  std::set<std::string_view> names;
  for (const Option& option : all) {
    EXPECT_TRUE(names.insert(option.name).second) << option.name;
    const bool internal = internals.contains(option.name);
    EXPECT_TRUE(internal ? option.meaning.empty() : option.meaning.ends_with(".")) << option.name;
    if (option.default_value.empty()) continue;
    EXPECT_TRUE(checked_value(option, option.default_value).ok()) << option.name;
  }
}

TEST_F(JobOptionsTest, TooManyProcessesAreRefused) {
  EXPECT_EQ(parse({"--workers=9", "--shards=8"}).status().what(), "--workers=9 is more than --shards=8");
  EXPECT_EQ(parse({"--patience=3"}).status().what(), "--patience needs held-out data: --valid");
  EXPECT_EQ(parse({"--patience=3", "--valid=x", "--eval_every=0"}).status().what(),
            "--patience needs evaluations: --eval_every");
  EXPECT_EQ(parse({"--stores=3"}).status().what(), "--stores=3 is more than --partitions=2");
  EXPECT_TRUE(parse({"--workers=8", "--stores=2"}).ok());
  EXPECT_EQ(parse({"--shards=1"})->options.text("workers"), "1");
}

TEST_F(JobOptionsTest, PathsAreMadeAbsolute) {
  const auto line = parse({"--input=a,b", "--app=./x.so", "--out=o"});
  const std::string here = std::filesystem::current_path().string();
  EXPECT_EQ(line->options.text("input"), here + "/a," + here + "/b");
  EXPECT_EQ(line->options.text("app"), here + "/x.so");
  EXPECT_EQ(line->options.text("out"), here + "/o");
  EXPECT_EQ(parse({"--app=lda"})->options.text("app"), "lda");
}

// All processes read them from flags.txt, where it would be part of a Windows line end.
TEST_F(JobOptionsTest, NoValueEndsWithACarriageReturn) {
  for (const char* word : {"--input=in\r", "--input=a,in\r", "--out=u\r", "--topics=5\r"})
    EXPECT_EQ(parse({word}).status().code(), ExitCode::usage) << word;
  EXPECT_TRUE(parse({"--input=in\r,a"}).ok());
}

TEST_F(JobOptionsTest, ProcessesAndPartitionsTakeDescriptors) {
  const auto needed = [](const char* word) { return descriptors_needed(parse({"--shards=99", word})->options); };
  EXPECT_EQ(needed("--workers=2"), 24U + 3 * 8);
  EXPECT_EQ(needed("--workers=12"), 24U + 13 * 8);
  EXPECT_EQ(needed("--partitions=65536"), 24U + 65'536);
}

TEST_F(JobOptionsTest, TheJobThatTheOptionsDescribe) {
  write("a", "1");
  const auto line = parse({"--input=" + folder.string(), "--shards=4", "--slices_per_shard=3", "--seed=7"});
  const auto job = make_job(line->options);
  ASSERT_TRUE(job.ok()) << job.status().what();
  EXPECT_EQ(job->shards, 4U);
  EXPECT_EQ(job->slices, 12U);
  EXPECT_EQ(job->seed, 7U);
  EXPECT_EQ(job->input, std::vector<std::string>{(folder / "a").string()});
  EXPECT_EQ(make_job(parse({"--input=/no/such"})->options).status().code(), ExitCode::no_input);
}

TEST_F(JobOptionsTest, TheIdentityIsThatOfTheModel) {
  const std::vector<std::string> words{"--input=/x", "--seed=3", "--topics=050", "--index=1", "--workers=3"};
  const std::string identity = job_identity(*parse(words));
  EXPECT_EQ(identity, job_identity(*parse(words, false)));
  EXPECT_NE(identity.find("seed=3\n"), std::string::npos);
  EXPECT_NE(identity.find("topics=050\n"), std::string::npos);
  for (const char* name : {"index", "workers", "out", "epochs"})
    EXPECT_EQ(identity.find(name), std::string::npos) << name;

  auto others = words;
  others.insert(others.end(), {"--workers=5", "--threads=4", "--stores=1", "--out=/y", "--index=0", "--resume"});
  EXPECT_EQ(identity, job_identity(*parse(others)));
  // The content of the input and of an initial model counts, not their path: moved data can be resumed.
  others.insert(others.end(), {"--input=/moved", "--valid=/moved_too", "--init_model=/moved"});
  EXPECT_EQ(identity, job_identity(*parse(others)));
  others.push_back("--shards=16");
  EXPECT_NE(identity, job_identity(*parse(others)));
  // Options that change what a push or a choice sees.
  for (const char* other :
       {"--staleness=1", "--asynchronous", "--pipeline=2", "--schedulers=2", "--partitions=3", "--init_hash=0123"}) {
    auto with = words;
    with.emplace_back(other);
    EXPECT_NE(identity, job_identity(*parse(with))) << other;
  }
}

}  // namespace
}  // namespace rota
