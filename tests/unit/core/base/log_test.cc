#include "core/base/log.h"

#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

using LogTest = TemporaryFolder;

TEST_F(LogTest, ValuesAreQuotedWhereTheyMustBe) {
  EXPECT_EQ(log_value("lda"), "lda");
  EXPECT_EQ(log_value("two words"), "\"two words\"");
  EXPECT_EQ(log_value("a=b"), "\"a=b\"");
  EXPECT_EQ(log_value("say \"hi\""), "\"say \\\"hi\\\"\"");
  EXPECT_EQ(log_value(""), "\"\"");
}

TEST_F(LogTest, AllLinesAreInTheRolesFileAndWarningsOnStderrToo) {
  ASSERT_TRUE(init_log("worker-3", folder / "log").ok());
  testing::internal::CaptureStderr();
  log_info("event=joined role=worker-3");
  log_warning("event=slow\nfor a reason");
  const std::string on_stderr = testing::internal::GetCapturedStderr();
  EXPECT_EQ(on_stderr.find("event=joined"), std::string::npos);
  EXPECT_NE(on_stderr.find("event=slow\\nfor a reason"), std::string::npos);

  const std::string text = read(folder / "log" / "worker-3.log");
  EXPECT_NE(text.find("log_test.cc:"), std::string::npos) << text;
  EXPECT_NE(text.find("] event=joined role=worker-3\n"), std::string::npos) << text;
  EXPECT_NE(text.find("] event=slow\\nfor a reason\n"), std::string::npos) << text;
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder / "log"), {}), 1);
}

TEST_F(LogTest, LinesAreUtf8WhateverTheyAreMadeOf) {
  ASSERT_TRUE(init_log("worker-4", folder / "log").ok());
  log_info("event=read what=\"caf\xe9 Straße \x1b[31m\tred\"");
  const std::string text = read(folder / "log" / "worker-4.log");
  EXPECT_NE(text.find("what=\"caf\\xe9 Straße \\x1b[31m\tred\""), std::string::npos) << text;
}

}  // namespace
}  // namespace rota
