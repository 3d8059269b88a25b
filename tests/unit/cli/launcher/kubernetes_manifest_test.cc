#include "cli/launcher/kubernetes_manifest.h"

#include <gtest/gtest.h>

namespace rota {
namespace {

KubernetesJob lda() {
  return {.name = "topics",
          .app = "lda",
          .image = "site/rota:1",
          .options = {"--input=/data/docs.txt", "--topics=20"},
          .log_options = {},
          .input = "/data/docs.txt",
          .out = "/runs/one",
          .claims = {{"docs", "/data"}, {"runs", "/runs"}},
          .memory = "8Gi",
          .workers = 3,
          .threads = 4};
}

std::string text_of(const KubernetesJob& job) {
  const auto text = kubernetes_manifest(job);
  EXPECT_TRUE(text.ok()) << text.status().what();
  return text.ok() ? *text : "";
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

// The documents of the manifest, by the names of their objects.
std::string document(const std::string& text, const std::string& name) {
  const std::size_t at = text.find("\n  name: \"" + name + "\"\n");
  if (at == text.npos) return "";
  const std::size_t begin = text.rfind("---\n", at);
  return text.substr(begin, text.find("\n---\n", at) - begin);
}

TEST(KubernetesManifestTest, OnePodIsAWholeRun) {
  const std::string text = text_of(lda());
  for (const char* part :
       {"  backoffLimit: 20\n", "          image: \"site/rota:1\"\n",
        "            - \"train\"\n            - \"lda\"\n            - --continue\n            - --out=/runs/one\n",
        "              cpu: 12\n              memory: 8Gi\n            limits:\n              memory: 8Gi\n",
        "            claimName: \"docs\"\n", "      terminationGracePeriodSeconds: 300\n"})
    EXPECT_EQ(count(text, part), 1U) << part << " in\n" << text;
  EXPECT_EQ(count(text, "kind: "), 1U);
  EXPECT_EQ(count(text, "            readOnly: true\n"), 1U) << "the run's claim is written to";
}

TEST(KubernetesManifestTest, PodsHaveTheSecretOfTheirRoleAndNoOther) {
  KubernetesJob job = lda();
  job.pods = true;
  job.stores = 2;
  const std::string text = text_of(job);
  EXPECT_EQ(count(text, "kind: Service\n"), 1U);
  EXPECT_EQ(count(text, "kind: Job\n"), 4U);
  for (const std::string role : {"coordinator", "scheduler", "kvstore", "worker"}) {
    const std::string its = document(text, "topics-" + role);
    for (const std::string other : {"coordinator", "scheduler", "kvstore", "worker"})
      EXPECT_EQ(count(its, "                  name: \"topics-" + other + "\"\n"), role == other ? 1U : 0U) << its;
    EXPECT_EQ(count(its, "- --role=" + role + "\n"), 1U);
    EXPECT_EQ(count(its, "claimName: \"runs\""), role == "coordinator" ? 1U : 0U) << "others have disks of their own";
    EXPECT_EQ(count(its, "--own_disk=/own/run"), role == "coordinator" ? 0U : 1U);
    EXPECT_EQ(count(its, "limits:"), role == "worker" || role == "kvstore" ? 1U : 0U);
  }
  EXPECT_EQ(count(document(text, "topics-worker"), "  completions: 3\n  parallelism: 3\n"), 1U);
  EXPECT_EQ(count(document(text, "topics-worker"), "              cpu: 4\n"), 1U);
  job.insecure = true;
  job.options.insert(job.options.end(), {"--insecure=true", "--plugin_dir=/data/apps"});
  EXPECT_EQ(count(text_of(job), "secret"), 0U);
  EXPECT_EQ(count(text_of(job), "--insecure=true"), 4U);
  EXPECT_EQ(count(text_of(job), "--plugin_dir=/data/apps"), 4U);
  EXPECT_EQ(count(text_of(job), "--topics=20"), 1U) << "the others get it from the coordinator";
}

TEST(KubernetesManifestTest, OtherPodsReadTheRunsClaimIfTheInputIsThere) {
  KubernetesJob job = lda();
  job.pods = true;
  job.claims = {{"all", "/data"}};
  job.out = "/data/run";
  const std::string worker = document(text_of(job), "topics-worker");
  EXPECT_EQ(count(worker, "claimName: \"all\"\n            # Of the volume"), 0U);
  EXPECT_EQ(count(worker, "claimName: \"all\"\n            readOnly: true\n"), 1U) << worker;
}

TEST(KubernetesManifestTest, TextsAreThoseOfTheCommandLine) {
  KubernetesJob job = lda();
  job.options = {"--a=it's \"so\": # no", "--b=$(HOME) $$", "--c=\xc3\xa9\\n", "--d=1e3", "--e=", "--f=a\tb"};
  job.out = "/runs/$x";
  const std::string text = text_of(job);
  for (const char* part : {R"(- "--a=it's \"so\": # no")", R"(- "--b=$$(HOME) $$$$")", "- \"--c=\xc3\xa9\\\\n\"",
                           "- --d=1e3\n", "- --e=\n", R"(- "--f=a\tb")", R"(- "--out=/runs/$$x")", R"(- "/runs/$x")"})
    EXPECT_EQ(count(text, part), 1U) << part << " in\n" << text;
  job.options = {"--a=\xff"};
  EXPECT_EQ(kubernetes_manifest(job).status().code(), ExitCode::usage);
}

TEST(KubernetesManifestTest, ARunThatWouldBeLostIsRefused) {
  for (const char* out : {"/elsewhere/run", "/runs", "/runs2/x"}) {
    KubernetesJob job = lda();
    job.out = out;
    EXPECT_EQ(kubernetes_manifest(job).status().code(), ExitCode::usage) << out;
  }
}

TEST(KubernetesManifestTest, ClaimsHaveFolders) {
  const auto claims = mounted_claims("a-1:/data/,b.c:/data/runs");
  ASSERT_TRUE(claims.ok()) << claims.status().what();
  EXPECT_EQ(*claims, (std::vector<MountedClaim>{{"a-1", "/data"}, {"b.c", "/data/runs"}}));
  EXPECT_TRUE(mounted_claims("")->empty());
  for (const char* wrong : {"a", "a:", "a:data", "a:/", ":/data", "A:/data", "a:/data,a:/other", "a:/data,b:/data",
                            "a:/data,,b:/b", "a:/tmp", "a:/keys/mine", "a b:/data"})
    EXPECT_EQ(mounted_claims(wrong).status().code(), ExitCode::usage) << wrong;
}

TEST(KubernetesManifestTest, NamesAndAmounts) {
  for (const char* name : {"a", "rota-lda", "a1"}) EXPECT_TRUE(is_object_name(name)) << name;
  for (const std::string name : {"", "1a", "-a", "a-", "A", "a_b", "a.b"}) EXPECT_FALSE(is_object_name(name)) << name;
  EXPECT_TRUE(is_object_name(std::string(40, 'a')));
  EXPECT_FALSE(is_object_name(std::string(41, 'a')));
  for (const char* amount : {"8Gi", "500M", "1T"}) EXPECT_TRUE(is_memory_amount(amount)) << amount;
  for (const char* amount : {"", "8", "Gi", "8gb", "1.5Gi", "-1Gi", "8Gi "})
    EXPECT_FALSE(is_memory_amount(amount)) << amount;
}

}  // namespace
}  // namespace rota
