#include "cli/launcher/batch_script.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

TEST(BatchScriptTest, WordsAreQuotedAndArgumentsAreDirectives) {
  const auto script = batch_script({.app = "/my apps/line fit.so",
                                    .command = {"/opt/rota", "train", "--out=/data/it's $HOME", "a\n`b` \"c\"", ""},
                                    .run = {"/data/it's"},
                                    .arguments = " --nodes=4  -A account --exclusive : -n 8 --comment=\"two words\" "});
  ASSERT_TRUE(script.ok()) << script.status().what();
  for (const char* part :
       {"#!/bin/bash\n", "#SBATCH --job-name=rota-line_fit\n", "#SBATCH --output=\"/data/it's.slurm.log\"\n",
        "#SBATCH --nodes=4\n#SBATCH -A account\n#SBATCH --exclusive\n#SBATCH hetjob\n#SBATCH -n 8\n"
        "#SBATCH --comment=\"two words\"\n",
        "ls -d '/data/it'\\''s/checkpoint'/*/commit.json ",
        "\n/opt/rota train '--out=/data/it'\\''s $HOME' 'a\n`b` \"c\"' '' &\nrota=$!\n"})
    EXPECT_NE(script->find(part), std::string::npos) << part << " in\n" << *script;
  EXPECT_EQ(script->find("#SBATCH --mem"), std::string::npos) << "sites may forbid it";
}

TEST(BatchScriptTest, WhatSlurmWouldReadOtherwiseIsRefused) {
  EXPECT_EQ(batch_script({"lda", {"rota"}, {"/out"}, "four nodes"}).status().code(), ExitCode::usage);
  for (const char* out : {"/out-%j", "/out\\", "/\"out\"", "/out\n"})
    EXPECT_EQ(batch_script({"lda", {"rota"}, {out}, ""}).status().code(), ExitCode::usage) << out;
}

}  // namespace
}  // namespace rota
