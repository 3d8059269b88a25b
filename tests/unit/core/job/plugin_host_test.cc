#include "core/job/plugin_host.h"

#include <cerrno>
#include <system_error>

#include "core/base/file_hash.h"
#include "core/base/files.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

namespace fs = std::filesystem;

class PluginHostTest : public TemporaryFolder {
 protected:
  // The plugins are copied, because a test changes permissions.
  PluginHostTest() {
    for (const char* name : {"good", "old", "none", "incomplete"})
      fs::copy_file(fs::path(PLUGINS) / (std::string(name) + ".so"), library(name));
  }
  fs::path library(const std::string& name) const { return folder / (name + ".so"); }
};

TEST_F(PluginHostTest, FindsByNameAndByPath) {
  const auto by_name = find_plugin("good", folder);
  ASSERT_TRUE(by_name.ok()) << by_name.status().what();
  EXPECT_EQ((*by_name)->name, "good");
  const auto by_path = find_plugin(library("good").string());
  ASSERT_TRUE(by_path.ok()) << by_path.status().what();
}

TEST_F(PluginHostTest, TheFileThatWasOpenedHasAHash) {
  const auto plugin = find_plugin("good", folder);
  ASSERT_TRUE(plugin.ok());
  EXPECT_EQ(file_hash_of(**plugin), hash_file(library("good"))->hash);
}

TEST_F(PluginHostTest, AnUnknownNameListsThoseThereAre) {
  const Status status = find_plugin("lad", folder).status();
  EXPECT_EQ(status.code(), ExitCode::usage);
  EXPECT_NE(status.what().find("unknown app 'lad'; there are: good, incomplete, none, old"), std::string::npos)
      << status.what();
  EXPECT_EQ(find_plugin("../good", folder / "x").status().code(), ExitCode::usage);
  EXPECT_EQ(find_plugin("/no/such.so").status().code(), ExitCode::usage);
  EXPECT_EQ(find_plugin("", folder).status().code(), ExitCode::usage);
}

TEST_F(PluginHostTest, AnotherVersionIsRefusedNamingBoth) {
  const Status status = find_plugin("old", folder).status();
  EXPECT_EQ(status.code(), ExitCode::wrong_version);
  EXPECT_NE(status.what().find("'rota-abi-0'"), std::string::npos);
  EXPECT_NE(status.what().find(kAbiStamp), std::string::npos);
}

TEST_F(PluginHostTest, WhatIsNoPluginIsRefused) {
  EXPECT_EQ(find_plugin("none", folder).status().code(), ExitCode::wrong_version);
  EXPECT_EQ(find_plugin("incomplete", folder).status().code(), ExitCode::failed);
  write("text.so", "hello");
  EXPECT_EQ(find_plugin("text", folder).status().code(), ExitCode::usage);
}

TEST_F(PluginHostTest, WhatOthersCanWriteIsRefused) {
  fs::permissions(library("good"), fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(find_plugin("good", folder).status().code(), ExitCode::not_authorised);
  fs::permissions(library("good"), fs::perms::others_write, fs::perm_options::remove);
  fs::permissions(folder, fs::perms::others_write, fs::perm_options::add);
  EXPECT_EQ(find_plugin("good", folder).status().code(), ExitCode::not_authorised);
  // A link to it from a safe place changes nothing.
  const fs::path safe = folder / "safe";
  fs::create_directory(safe);
  fs::create_symlink(library("good"), safe / "good.so");
  EXPECT_EQ(find_plugin("good", safe).status().code(), ExitCode::not_authorised);
}

TEST_F(PluginHostTest, AHooksExceptionsBecomeStatuses) {
  const Plugin* plugin = find_plugin("good", folder).value();
  const auto check = [&](const char* topics) {
    std::map<std::string, std::string, std::less<>> values{{"topics", topics}};
    const Options options(std::move(values));
    const Status status = call_hook(plugin->name, "check", "round 12", [&] { plugin->check(options); });
    return std::to_string(static_cast<int>(status.code())) + " " + status.what();
  };
  EXPECT_EQ(check("1"), "65 words.txt:3: not a number (plugin good, check, round 12)");
  EXPECT_EQ(check("2"), "2 2 topics do not go (plugin good, check, round 12)");
  EXPECT_EQ(check("3"), "66 words.txt: none (plugin good, check, round 12)");
  EXPECT_EQ(check("4"), "1 plugin good, check, round 12: out of memory");
  EXPECT_EQ(check("5"), "0 ");
  EXPECT_EQ(check("6"), "1 plugin good, check, round 12: six");
  EXPECT_EQ(check("7"), "1 plugin good, check, round 12: threw something that is no std::exception");
}

TEST_F(PluginHostTest, ACommandLineIsReadWithThePluginsOptions) {
  const std::string dir = "--plugin_dir=" + folder.string();
  const auto parse = [&](std::vector<const char*> words, AppFrom from) {
    words.insert(words.begin(), "program");
    words.push_back(dir.c_str());
    return parse_with_plugin(static_cast<int>(words.size()), words.data(), {}, from);
  };
  const auto good = parse({"good", "--topics", "9"}, AppFrom::positional);
  ASSERT_TRUE(good.ok()) << good.status().what();
  EXPECT_EQ(good->line.options.integer("topics"), 9);
  EXPECT_EQ(good->line.options.text("app"), "good");
  EXPECT_EQ(parse({"--app=good"}, AppFrom::flag)->line.options.integer("topics"), 5);
  EXPECT_EQ(parse({"good", "--topcs=9"}, AppFrom::positional).status().what(),
            "unknown flag --topcs; the nearest is --topics");
  EXPECT_EQ(parse({"good", "more"}, AppFrom::positional).status().code(), ExitCode::usage);
  EXPECT_EQ(parse({"--help"}, AppFrom::positional)->plugin, nullptr);
  // --app was ignored, and the app's flag took the next word for its value.
  EXPECT_EQ(parse({"good", "--app=other"}, AppFrom::positional).status().what(),
            "--app=other: the command line names the app good");
  EXPECT_TRUE(parse({"good", "--app=good"}, AppFrom::positional).ok());
  std::vector<const char*> words{"program", dir.c_str(), "good", "--topics"};
  EXPECT_EQ(parse_with_plugin(4, words.data(), {}, AppFrom::positional).status().what(),
            "--topics needs a value: --topics=VALUE");
}

// EDQUOT in a hook gave another exit code than in a write of Rota.
TEST(CallHook, SystemErrorsHaveTheExitCodesOfWrites) {
  const auto code = [](const std::error_code& error) {
    return call_hook("a", "export_text", "", [&] { throw std::system_error(error, "x"); }).code();
  };
  const std::pair<int, ExitCode> expected[] = {
      {ENOSPC, ExitCode::disk},        {EDQUOT, ExitCode::disk},         {EIO, ExitCode::disk},
      {EFBIG, ExitCode::disk},         {EACCES, ExitCode::cannot_write}, {EPERM, ExitCode::cannot_write},
      {EROFS, ExitCode::cannot_write}, {EMFILE, ExitCode::temporary},    {ENFILE, ExitCode::temporary},
      {EAGAIN, ExitCode::temporary}};
  for (const auto& [error, exit] : expected) {
    EXPECT_EQ(code({error, std::generic_category()}), exit) << error;
    EXPECT_EQ(code({error, std::system_category()}), exit) << error;
    EXPECT_EQ(code_of_write(error), exit) << error;
  }
  EXPECT_EQ(code({EINVAL, std::generic_category()}), ExitCode::failed);
  EXPECT_EQ(code(std::make_error_code(std::io_errc::stream)), ExitCode::failed) << "its number is that of EPERM";
}

}  // namespace
}  // namespace rota
