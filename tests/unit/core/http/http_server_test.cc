#include "core/http/http_server.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <chrono>
#include <thread>

#include "core/base/files.h"

namespace rota {
namespace {

// What the server answers to these bytes, until it closes the connection; the test fails after 20 s.
std::string talk(const HttpServer& server, const std::string& bytes, bool ends = false) {
  const FileDescriptor fd(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(server.port());
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const timeval most{20, 0};
  ::setsockopt(fd.get(), SOL_SOCKET, SO_RCVTIMEO, &most, sizeof most);
  EXPECT_EQ(::connect(fd.get(), reinterpret_cast<sockaddr*>(&to), sizeof to), 0);
  EXPECT_EQ(write_all(fd.get(), std::as_bytes(std::span(bytes))), 0);
  if (ends) return "";
  std::string answer(1 << 20, '\0');
  std::size_t size = 0;
  for (ssize_t n; (n = ::recv(fd.get(), answer.data() + size, answer.size() - size, 0)) != 0; size += std::size_t(n)) {
    if (n > 0) continue;
    EXPECT_EQ(errno, ECONNRESET) << "no answer";
    break;
  }
  answer.resize(size);
  return answer;
}

std::string get(const HttpServer& server, const std::string& path, const std::string& headers = "Host: localhost\r\n") {
  return talk(server, "GET " + path + " HTTP/1.1\r\n" + headers + "\r\n");
}

std::string body(const std::string& answer) {
  return answer.substr(std::min(answer.find("\r\n\r\n") + 4, answer.size()));
}

std::unique_ptr<HttpServer> start(const HttpOptions& options, HttpServer::Handler handler) {
  auto server = HttpServer::start(options, std::move(handler));
  EXPECT_TRUE(server.ok()) << server.status().what();
  return server.ok() ? *std::move(server) : nullptr;
}

HttpAnswer echo(const HttpRequest& request) {
  return {200, "text/plain", request.path + "|" + request.value("name") + "|" + request.value("none"), {}, {}};
}

TEST(HttpServer, PathsAndQueriesAreDecoded) {
  const auto server = start({}, echo);
  EXPECT_EQ(server->url(), "http://127.0.0.1:" + std::to_string(server->port()) + "/");
  const std::string answer = get(*server, "/a%20b?x=1&name=%C3%A9%2F..%2F+z");
  EXPECT_TRUE(answer.starts_with("HTTP/1.1 200 ")) << answer;
  EXPECT_EQ(body(answer), "/a b|é/../ z|");
  for (const char* header : {"\r\nX-Content-Type-Options: nosniff\r\n", "\r\nReferrer-Policy: no-referrer\r\n",
                             "\r\nContent-Security-Policy: default-src 'none'", "\r\nConnection: close\r\n"})
    EXPECT_NE(answer.find(header), answer.npos) << header << answer;
}

TEST(HttpServer, OnlyGetAndHead) {
  const auto server = start({}, echo);
  for (const char* method : {"POST", "PUT", "DELETE", "OPTIONS", "PATCH"}) {
    const std::string answer = talk(*server, method + std::string(" / HTTP/1.1\r\nHost: localhost\r\nContent-Length: 3"
                                                                  "\r\n\r\nabc"));
    EXPECT_TRUE(answer.starts_with("HTTP/1.1 405 ")) << method << answer;
  }
  const std::string head = talk(*server, "HEAD /some/path HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_TRUE(head.starts_with("HTTP/1.1 200 ")) << head;
  EXPECT_NE(head.find("Content-Length: 12\r\n"), head.npos) << head;
  EXPECT_EQ(body(head), "");
}

// By a foreign name that was made to mean this machine, a page could read what the server shows.
TEST(HttpServer, OtherNamesAreRefused) {
  const auto server = start({}, echo);
  for (const char* host : {"localhost", "LOCALHOST:99", "127.0.0.1", "127.0.0.1:8000", "[::1]:80"})
    EXPECT_TRUE(get(*server, "/", "Host: " + std::string(host) + "\r\n").starts_with("HTTP/1.1 200 ")) << host;
  for (const char* host : {"evil.example", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1", "[::2]"})
    EXPECT_TRUE(get(*server, "/", "Host: " + std::string(host) + "\r\n").starts_with("HTTP/1.1 421 ")) << host;
  for (const char* headers : {"", "Host:\r\n", "Host: localhost\r\nHost: evil.example\r\n", "Host: localhost:x\r\n"})
    EXPECT_TRUE(get(*server, "/", headers).starts_with("HTTP/1.1 400 ")) << headers;
}

TEST(HttpServer, AnAddressForOthersNeedsTheToken) {
  const auto server = start({.host = "0.0.0.0"}, echo);
  const std::string token = server->url().substr(server->url().size() - 33, 32);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), token.npos) << server->url();
  const std::string host = "Host: 127.0.0.1\r\n";
  for (const std::string& path : {std::string("/"), "/" + token.substr(1) + "/", "//" + token + "/", "/x" + token})
    EXPECT_TRUE(get(*server, path, host).starts_with("HTTP/1.1 403 ")) << path;
  EXPECT_EQ(body(get(*server, "/" + token + "/api/x?name=1", host)), "/api/x|1|");
  EXPECT_NE(get(*server, "/" + token, host).find("\r\nLocation: /" + token + "/\r\n"), std::string::npos);
  const auto local = start({.needs_token_on_loopback = true}, echo);
  EXPECT_TRUE(get(*local, "/").starts_with("HTTP/1.1 403 "));
  EXPECT_EQ(body(get(*local, local->url().substr(local->url().find('/', 7)))), "/||");
  const auto open = start({.host = "0.0.0.0", .needs_token = false, .any_host_header = true}, echo);
  EXPECT_EQ(body(get(*open, "/metrics", "Host: node7.cluster\r\n")), "/metrics||");
}

TEST(HttpServer, LargeAnswersAreCompressedForThoseWhoAccept) {
  const std::string text(100'000, 'x');
  const auto server = start({}, [&](const HttpRequest&) { return HttpAnswer{200, "text/plain", text, {}, {}}; });
  EXPECT_EQ(body(get(*server, "/")), text);
  const std::string answer = get(*server, "/", "Host: localhost\r\nAccept-Encoding: gzip, br\r\n");
  ASSERT_NE(answer.find("\r\nContent-Encoding: gzip\r\n"), answer.npos) << answer.substr(0, 500);
  std::string packed = body(answer), unpacked(text.size() + 1, '\0');
  EXPECT_LT(packed.size(), 1000U);
  z_stream stream{};
  ASSERT_EQ(::inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(unpacked.data());
  stream.avail_out = static_cast<uInt>(unpacked.size());
  EXPECT_EQ(::inflate(&stream, Z_FINISH), Z_STREAM_END);
  ::inflateEnd(&stream);
  unpacked.resize(stream.total_out);
  EXPECT_EQ(unpacked, text);
}

TEST(HttpServer, PartsAreSentAsTheyCome) {
  const auto server = start({}, [](const HttpRequest&) {
    HttpAnswer answer{200, "text/event-stream", "", {}, {}};
    answer.next_part = [i = 0]() mutable -> std::optional<std::string> {
      return i++ < 3 ? std::optional("part " + std::to_string(i)) : std::nullopt;
    };
    return answer;
  });
  EXPECT_EQ(body(get(*server, "/")), "6\r\npart 1\r\n6\r\npart 2\r\n6\r\npart 3\r\n0\r\n\r\n");
}

// A part for a watcher that has left was awaited for ever, and its thread with it.
TEST(HttpServer, StreamsAreLimitedAndEndWithTheirClients) {
  std::atomic<int> parts = 0;
  const auto handler = [&](const HttpRequest& request) {
    HttpAnswer answer{200, "text/event-stream", request.path, {}, {}};
    if (request.path == "/stream")
      answer.next_part = [&]() -> std::optional<std::string> {
        ++parts;
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        return "x";
      };
    return answer;
  };
  const auto server = start({.threads = 4, .streams = 2}, handler);
  std::vector<std::thread> watchers;
  for (int i = 0; i < 2; ++i) watchers.emplace_back([&] { EXPECT_NE(get(*server, "/stream"), ""); });
  while (parts < 20) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(get(*server, "/stream").starts_with("HTTP/1.1 503 "));
  for (int i = 0; i < 20; ++i) EXPECT_EQ(body(get(*server, "/other")), "/other") << "threads are left for others";
  server->stop();
  for (std::thread& watcher : watchers) watcher.join();

  const auto again = start({.threads = 4, .streams = 1}, handler);
  talk(*again, "GET /stream HTTP/1.1\r\nHost: localhost\r\n\r\n", true);
  bool is_free = false;
  for (int i = 0; i < 200 && !is_free; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
    const int before = parts;
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    is_free = parts == before;
  }
  EXPECT_TRUE(is_free);
}

TEST(HttpServer, WhatIsTooLongOrNoRequestIsDropped) {
  const auto server = start({}, echo);
  std::string many = "GET / HTTP/1.1\r\nHost: localhost\r\n";
  for (int i = 0; i < 20'000; ++i) many += "X" + std::to_string(i) + ": y\r\n";
  EXPECT_EQ(talk(*server, many + "\r\n").find(" 200 "), std::string::npos);
  EXPECT_EQ(get(*server, "/" + std::string(9000, 'a')).find(" 200 "), std::string::npos);
  EXPECT_EQ(talk(*server, "\x16\x03\x01\r\n\r\n").find(" 200 "), std::string::npos);
  EXPECT_EQ(body(get(*server, "/still")), "/still||");
}

TEST(HttpServer, APortThatIsInUseIsNamed) {
  const auto server = start({}, echo);
  const auto second = HttpServer::start({.port = server->port()}, echo);
  EXPECT_EQ(second.status().code(), ExitCode::usage);
  EXPECT_NE(second.status().what().find("the port is in use"), std::string::npos) << second.status().what();
  EXPECT_EQ(HttpServer::start({.host = "192.0.2.1"}, echo).status().code(), ExitCode::usage);
  EXPECT_EQ(HttpServer::start({.host = "no such host"}, echo).status().code(), ExitCode::usage);
}

TEST(HttpServer, HostsOfHeaders) {
  EXPECT_EQ(host_of_header("Node1:80"), "node1");
  EXPECT_EQ(host_of_header("[::1]:80"), "::1");
  EXPECT_EQ(host_of_header("[::1]"), "::1");
  for (const char* header : {"", "a:", "a:x", "a:1:2", "[::1", "[::1]x", ":80", "a:1234567"})
    EXPECT_EQ(host_of_header(header), "") << header;
}

}  // namespace
}  // namespace rota
