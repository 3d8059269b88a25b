// core/http/http_server.h -- a small HTTP server, to look at runs with: GET and HEAD, nothing that changes anything.
//
// Against pages of other sites: the Host header must name this server, so that no foreign name can be made to mean it.
// At an address that is not of this machine alone, each path begins with a secret, the token.  No cookies.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/status.h"

namespace rota {

struct HttpRequest {
  std::string path;                                        // decoded, without the token; begins with '/'
  std::vector<std::pair<std::string, std::string>> query;  // decoded
  std::string last_event_id;                               // of an event stream that continues

  // The first value of that name; "" if it is not there.
  std::string value(std::string_view name) const;
};

struct HttpAnswer {
  int status = 200;
  std::string type = "text/plain; charset=utf-8";
  std::string body;
  std::vector<std::pair<std::string, std::string>> headers;
  // A body in parts, instead of `body`: each is sent at once, until there is none or the client is gone, which is seen
  // only when a part, "" too, is there.  May wait some seconds; HttpServer::stop() waits for it.
  std::function<std::optional<std::string>()> next_part;
};

struct HttpOptions {
  std::string host = "127.0.0.1";  // an address or a name of this machine
  std::uint16_t port = 0;          // 0: a free one
  // At an address that is not a loopback one, each path begins with "/TOKEN".
  bool needs_token = true;
  bool needs_token_on_loopback = false;  // too: other users of the machine can connect
  std::string token = "";                // a random one
  bool any_host_header = false;          // for clients that are no browsers
  unsigned threads = 64;                 // at most, and as many requests at a time
  unsigned streams = 48;                 // at most, answers in parts at a time: others are told to try again later
};

class HttpServer {
 public:
  // Called by several threads at once.
  using Handler = std::function<HttpAnswer(const HttpRequest& request)>;

  // Answers from now on, on threads of its own.  ExitCode::usage if it cannot listen there, temporary if there is no
  // thread or descriptor for it.
  static Result<std::unique_ptr<HttpServer>> start(const HttpOptions& options, Handler handler);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  // Ends all connections, and returns when no handler runs any longer.
  void stop();

  std::uint16_t port() const;
  // "http://127.0.0.1:8123/", or with the token "http://node1:8123/TOKEN/".
  const std::string& url() const;

 private:
  struct Impl;
  explicit HttpServer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// The host in a Host header: without the port, in small letters; "" if it is not valid.
std::string host_of_header(std::string_view header);

// As gzip.
std::string gzip(std::string_view text);

}  // namespace rota
