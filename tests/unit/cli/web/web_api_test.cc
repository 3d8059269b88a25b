#include "cli/web/web_api.h"

#include "tests/unit/cli/web/run_files.h"

namespace rota {
namespace {

class WebApiTest : public RunFiles {
 protected:
  WebApiTest() {
    make_run("runs/a", 3);
    write("runs/a/log/worker-0.log", "first line\nsecond line\n");
    list = *RunList::open(folder / "runs", {});
    api = std::make_unique<WebApi>(*list);
  }
  HttpAnswer ask(const std::string& path, std::vector<std::pair<std::string, std::string>> query = {},
                 const std::string& last_event_id = "") {
    return api->answer({path, std::move(query), last_event_id});
  }

  std::unique_ptr<RunList> list;
  std::unique_ptr<WebApi> api;
};

TEST_F(WebApiTest, ThePageAndItsPolicy) {
  const HttpAnswer page = ask("/");
  EXPECT_EQ(page.type, "text/html; charset=utf-8");
  EXPECT_EQ(page.body, ask("/index.html").body);
  ASSERT_EQ(page.headers.size(), 1U);
  EXPECT_EQ(page.headers[0].second.find("unsafe"), std::string::npos);
  EXPECT_EQ(ask("/app.js").type, "text/javascript; charset=utf-8");
  for (const char* path : {"/none.js", "/../flags.txt", "/app.js/", "//app.js", "/api", "/api/", "/api/runs/"})
    EXPECT_EQ(ask(path).status, 404) << path;
}

TEST_F(WebApiTest, Runs) {
  EXPECT_EQ(Json::parse(ask("/api/runs").body)["runs"][0]["name"], "a");
  const Json run = Json::parse(ask("/api/run", {{"name", "a"}, {"points", "2"}}).body);
  EXPECT_EQ(run["metrics"]["records"].size(), 2U);
  EXPECT_EQ(run["metrics"]["lines"], 3);
  EXPECT_EQ(ask("/api/run", {{"name", "b"}}).status, 404);
  EXPECT_EQ(ask("/api/run").status, 404);
  for (const char* points : {"1", "x", "-5", "2x"})
    EXPECT_EQ(ask("/api/run", {{"name", "a"}, {"points", points}}).status, 400) << points;
}

TEST_F(WebApiTest, AStreamGoesOnWhereItWas) {
  HttpAnswer answer = ask("/api/follow", {{"name", "a"}, {"metrics", "1"}, {"events", "5"}});
  EXPECT_EQ(answer.type, "text/event-stream");
  const std::string news = answer.next_part().value_or("");
  EXPECT_EQ(news.find("\"epoch\":1,"), news.npos);
  EXPECT_NE(news.find("\"epoch\":2,"), news.npos);
  answer = ask("/api/follow", {{"name", "a"}, {"metrics", "1"}, {"events", "5"}}, "3:5:0");
  EXPECT_TRUE(answer.next_part().value_or("").starts_with("event: state\n"));
  EXPECT_EQ(ask("/api/follow", {{"name", "a"}, {"metrics", "x"}}).status, 400);
  EXPECT_EQ(ask("/api/follow", {{"name", ".."}}).status, 404);
}

TEST_F(WebApiTest, LogsAreThoseOfTheRunAlone) {
  write("runs/a/log/secret.txt", "x");
  write("runs/a/keys/coordinator.secret", "key");
  std::filesystem::create_symlink(folder / "runs/a/keys/coordinator.secret", folder / "runs/a/log/worker-9.log");
  EXPECT_EQ(ask("/api/logs", {{"name", "a"}}).body, R"({"logs":[{"name":"worker-0.log","bytes":23}]})");
  EXPECT_EQ(ask("/api/log", {{"name", "a"}, {"file", "worker-0.log"}}).body, "first line\nsecond line\n");
  EXPECT_EQ(ask("/api/log", {{"name", "a"}, {"file", "worker-0.log"}, {"tail", "15"}}).body, "second line\n");
  for (const char* file : {"", "secret.txt", "worker-9.log", "worker-1.log", "../flags.txt",
                           "../keys/coordinator.secret", "/etc/passwd", "..", "worker-0.log/../../flags.txt"})
    EXPECT_EQ(ask("/api/log", {{"name", "a"}, {"file", file}}).status, 404) << file;
  make_run("runs/b", 1);
  std::filesystem::create_directory_symlink(folder / "runs/a/log", folder / "runs/b/log");
  EXPECT_EQ(ask("/api/logs", {{"name", "b"}}).body, R"({"logs":[]})");
  EXPECT_EQ(ask("/api/log", {{"name", "b"}, {"file", "worker-0.log"}}).status, 404);
}

TEST_F(WebApiTest, TheModelIsWhatItsTextHas) {
  EXPECT_EQ(Json::parse(ask("/api/model", {{"name", "a"}}).body)["tables"].size(), 0U);
  write("runs/a/model/text.list", "x.csv\n");
  write("runs/a/model/x.csv", "n\n1\n");
  EXPECT_EQ(Json::parse(ask("/api/model", {{"name", "a"}}).body)["tables"][0]["rows"], Json::parse("[[1]]"));
}

}  // namespace
}  // namespace rota
