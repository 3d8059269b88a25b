#include "cli/web/report.h"

#include <regex>

#include "cli/web/page_files.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

TEST(Report, ItNeedsNothingElse) {
  const std::string page = report_html({R"({"name":"</script><b>"})", R"({"name":"b"})"});
  EXPECT_TRUE(is_report(page.substr(0, 4096)));
  EXPECT_FALSE(is_report("<!doctype html><html><head><title>Mine</title>"));
  EXPECT_NE(report_html({}, true).find("id=\"data\">{\"compare\":true,\"runs\":[]}</script>"), page.npos);
  EXPECT_EQ(page.find("<link rel=\"stylesheet\""), page.npos);
  EXPECT_EQ(page.find(" src=\""), page.npos);
  EXPECT_EQ(page.find("modulepreload"), page.npos);
  EXPECT_NE(page.find(R"({"runs":[{"name":"\u003c/script>\u003cb>"},{"name":"b"}]}</script>)"), page.npos);
  // Modules are parts of one script: what they have in common is not declared twice.
  EXPECT_NE(page.find("const $base = (() => {\n"), page.npos);
  EXPECT_NE(page.find(" } = $base;\n"), page.npos);
  EXPECT_EQ(page.find("\nimport "), page.npos);
  EXPECT_EQ(page.find("\nexport "), page.npos);
  EXPECT_NE(page.find("MIT License"), page.npos) << "of uPlot";
}

// Each script and style as it is in the file has its hash in the policy, or the browser would not run it.
TEST(Report, ThePolicyHasTheHashes) {
  const std::string page = report_html({});
  const std::string policy = page.substr(page.find("Content-Security-Policy"), 2000);
  int found = 0;
  for (const std::string tag : {"<script>", "<script type=\"module\">", "<style>"}) {
    const std::string end = tag == "<style>" ? "</style>" : "</script>";
    for (auto at = page.find(tag); at != page.npos; at = page.find(tag, at + 1), ++found) {
      const auto begin = at + tag.size();
      const std::string hash = policy_hash(page.substr(begin, page.find(end, begin) - begin));
      EXPECT_NE(policy.find(hash), policy.npos) << tag << hash;
    }
  }
  EXPECT_GE(found, 3);
  EXPECT_EQ(policy.find("unsafe"), policy.npos);
}

TEST(Report, HashesAndJson) {
  EXPECT_EQ(policy_hash(""), "'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='");
  EXPECT_EQ(json_in_html("{\"a\":\"<!--<\"}"), "{\"a\":\"\\u003c!--\\u003c\"}");
}

TEST(PageFiles, ThePageIsThere) {
  std::map<std::string_view, std::string_view> files;
  for (const PageFile& file : page_files()) EXPECT_TRUE(files.emplace(file.name, file.text).second) << file.name;
  EXPECT_TRUE(files.contains("index.html"));
  EXPECT_NE(files["uplot.js"].find("uPlot"), std::string_view::npos);
  // What the page asks for is there, and none of it is elsewhere.
  const std::string page(files["index.html"]);
  const std::regex named("(src|href)=\"([^\"#]+)\"");
  for (std::sregex_iterator at(page.begin(), page.end(), named), end; at != end; ++at)
    EXPECT_TRUE((*at)[2] == "data:," || files.contains(std::string((*at)[2]))) << (*at)[2];
}

}  // namespace
}  // namespace rota
