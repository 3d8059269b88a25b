#include "cli/launcher/batch_script.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

TEST(BatchScriptTest, WordsAreQuotedAndArgumentsAreDirectives) {
  const auto script = batch_script({.app = "lda",
                                    .command = {"/opt/rota", "train", "--out=/data/it's $HOME"},
                                    .log = "/data/out log",
                                    .arguments = " --nodes=4  -A account --exclusive "});
  ASSERT_TRUE(script.ok()) << script.status().what();
  for (const char* part : {"#!/bin/bash\n", "#SBATCH --job-name=rota-lda\n", "#SBATCH --output=\"/data/out log\"\n",
                           "#SBATCH --nodes=4\n#SBATCH -A account\n#SBATCH --exclusive\n",
                           "\n/opt/rota train '--out=/data/it'\\''s $HOME' &\n"})
    EXPECT_NE(script->find(part), std::string::npos) << part << " in\n" << *script;
}

TEST(BatchScriptTest, WhatSlurmWouldReadOtherwiseIsRefused) {
  EXPECT_EQ(batch_script({"lda", {"rota"}, "/out", "four nodes"}).status().code(), ExitCode::usage);
  EXPECT_EQ(batch_script({"lda", {"rota"}, "/out-%j", ""}).status().code(), ExitCode::usage);
  EXPECT_EQ(batch_script({"lda", {"rota", "a\nb"}, "/out", ""}).status().code(), ExitCode::usage);
}

}  // namespace
}  // namespace rota
