#include "core/http/http_server.h"

#include <arpa/inet.h>
#include <httplib.h>
#include <netdb.h>
#include <poll.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <cstring>
#include <deque>
#include <mutex>
#include <new>
#include <set>
#include <system_error>
#include <thread>

#include "core/base/clock.h"
#include "core/base/files.h"
#include "core/base/loopback.h"

namespace rota {

namespace {

constexpr Nanoseconds kRequestMost = 10 * kSecond;  // to send one
constexpr Nanoseconds kPartMost = 30 * kSecond;     // to take some bytes of an answer
constexpr std::size_t kRequestBytesMost = std::size_t{64} << 10;
constexpr std::size_t kBytesToCompress = 1024;
constexpr const char* kRetrySeconds = "5";

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& c : small) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return small;
}

bool is_address(const std::string& host) {
  unsigned char bytes[16];
  return ::inet_pton(AF_INET, host.c_str(), bytes) == 1 || ::inet_pton(AF_INET6, host.c_str(), bytes) == 1;
}

bool is_any_address(const std::string& address) {
  return address == "0.0.0.0" || address == "::";
}

std::string machine_name() {
  char name[256] = {};
  return ::gethostname(name, sizeof name - 1) == 0 ? in_small_letters(name) : "";
}

Result<std::string> address_of(const std::string& host) {
  addrinfo hints{};
  hints.ai_family = AF_UNSPEC;
  hints.ai_socktype = SOCK_STREAM;
  addrinfo* found = nullptr;
  const int error = ::getaddrinfo(host.c_str(), nullptr, &hints, &found);
  char text[NI_MAXHOST] = {};
  const bool ok = error == 0 &&
                  ::getnameinfo(found->ai_addr, found->ai_addrlen, text, sizeof text, nullptr, 0, NI_NUMERICHOST) == 0;
  if (found) ::freeaddrinfo(found);
  if (ok) return std::string(text);
  return Status(ExitCode::usage, "cannot listen at '" + host + "': " + ::gai_strerror(error));
}

std::string random_token() {
  unsigned char bytes[16];
  std::size_t done = 0;
  while (done < sizeof bytes) {
    const ssize_t n = ::getrandom(bytes + done, sizeof bytes - done, 0);
    if (n > 0) done += static_cast<std::size_t>(n);
  }
  std::string token;
  for (const unsigned char byte : bytes) {
    constexpr char kDigits[] = "0123456789abcdef";
    token += {kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return token;
}

// In a time that does not tell where they differ.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char differ = 0;
  for (std::size_t i = 0; i < a.size(); ++i) differ |= static_cast<unsigned char>(a[i] ^ b[i]);
  return differ == 0;
}

// One connection, with limits of time and size that hold for the request as a whole.
class Connection final : public httplib::Stream {
 public:
  explicit Connection(int fd) : fd_(fd), until_(now_ns() + kRequestMost) {}

  bool is_readable() const override { return wait(POLLIN, 0); }
  // Not if the other side has gone.
  bool is_writable() const override {
    pollfd poll_fd{fd_, POLLOUT | POLLRDHUP, 0};
    return ::poll(&poll_fd, 1, 0) >= 0 && (poll_fd.revents & (POLLRDHUP | POLLHUP | POLLERR)) == 0;
  }
  ssize_t read(char* to, size_t size) override {
    if (begin_ == end_ && !fill()) return -1;
    const std::size_t n = std::min(size, end_ - begin_);
    std::memcpy(to, block_ + begin_, n);
    begin_ += n;
    return static_cast<ssize_t>(n);
  }
  ssize_t write(const char* from, size_t size) override {
    while (wait(POLLOUT, kPartMost)) {
      const ssize_t n = ::send(fd_, from, size, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (n >= 0 || (errno != EINTR && errno != EAGAIN)) return n;
    }
    return -1;
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return fd_; }

 private:
  bool wait(short what, Nanoseconds most) const {
    pollfd poll_fd{fd_, what, 0};
    return ::poll(&poll_fd, 1, static_cast<int>(std::max<Nanoseconds>(0, most) / kMillisecond)) > 0 &&
           (poll_fd.revents & what) != 0;
  }
  bool fill() {
    if (!wait(POLLIN, until_ - now_ns())) return false;
    const ssize_t n = ::recv(fd_, block_, sizeof block_, MSG_DONTWAIT);
    if (n <= 0 || (bytes_ += static_cast<std::size_t>(n)) > kRequestBytesMost) return false;
    begin_ = 0;
    end_ = static_cast<std::size_t>(n);
    return true;
  }

  int fd_;
  Nanoseconds until_;
  char block_[4096];
  std::size_t begin_ = 0, end_ = 0, bytes_ = 0;
};

// Threads that start when they are needed.  The library's own pool starts all at once, and ends the process if the
// system has none left.
class Threads final : public httplib::TaskQueue {
 public:
  explicit Threads(unsigned most) : most_(most) {}

  // Waits while all threads are busy: further connections stay with the system.
  void enqueue(std::function<void()> job) override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return jobs_.empty() || ending_; });
    if (idle_ == 0 && threads_.size() < most_) add_thread();
    if (threads_.empty()) return lock.unlock(), job();
    jobs_.push_back(std::move(job));
    changed_.notify_all();
  }
  void shutdown() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
      changed_.notify_all();
    }
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
  }

 private:
  void add_thread() {
    try {
      threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {  // those that are there do it all
    }
  }
  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      ++idle_;
      changed_.wait(lock, [&] { return !jobs_.empty() || ending_; });
      --idle_;
      if (jobs_.empty()) return;
      const auto job = std::move(jobs_.front());
      jobs_.pop_front();
      changed_.notify_all();
      lock.unlock();
      job();
      lock.lock();
    }
  }

  const unsigned most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::function<void()>> jobs_;
  std::vector<std::thread> threads_;
  std::size_t idle_ = 0;
  bool ending_ = false;
};

}  // namespace

struct HttpServer::Impl final : public httplib::Server {
  HttpOptions options;
  HttpServer::Handler handler;
  std::string own_name;  // the host that was asked for
  bool is_local = false;
  std::uint16_t port = 0;
  std::string url;
  std::thread listener;
  std::atomic<bool> has_ended = false;  // the listener
  std::atomic<unsigned> streams = 0;
  std::mutex mutex;
  std::set<int> sockets;  // that are open
  bool ending = false;

  // One request a connection: what a client leaves unread or sends besides means nothing, and no thread waits for it.
  bool process_and_close_socket(socket_t fd) override {
    {
      const std::lock_guard lock(mutex);
      sockets.insert(fd);
      if (ending) ::shutdown(fd, SHUT_RDWR);
    }
    Connection connection(fd);
    bool closed = false;
    const bool ok = process_request(connection, true, closed, nullptr);
    const std::lock_guard lock(mutex);
    sockets.erase(fd);
    ::shutdown(fd, SHUT_RDWR);
    ::close(fd);
    return ok;
  }

  Status listen_at(const std::string& address);
  Status start_listener();
  void answer(const httplib::Request& request, httplib::Response& response);
  HttpAnswer answer_of(const httplib::Request& request);
  bool is_own_name(const std::string& host) const;
  void send(const httplib::Request& request, HttpAnswer answer, httplib::Response& response);
  void send_parts(HttpAnswer& answer, httplib::Response& response);
};

bool HttpServer::Impl::is_own_name(const std::string& host) const {
  if (options.any_host_header || host == own_name || host == "localhost" || (is_address(host) && is_loopback(host)))
    return true;
  if (is_local) return false;
  // Other names of this machine are unknown here.
  const std::string machine = machine_name();
  return is_address(host) || (!machine.empty() && (host == machine || host.starts_with(machine + ".")));
}

HttpAnswer HttpServer::Impl::answer_of(const httplib::Request& request) {
  if (request.method != "GET" && request.method != "HEAD")
    return {405, "text/plain; charset=utf-8", "only GET and HEAD\n", {{"Allow", "GET, HEAD"}}, {}};
  if (request.has_header("Range")) return {416, "text/plain; charset=utf-8", "no ranges\n", {}, {}};
  const std::string host = host_of_header(request.get_header_value("Host"));
  if (request.get_header_value_count("Host") != 1 || host.empty())
    return {400, "text/plain; charset=utf-8", "a valid Host header is missing\n", {}, {}};
  if (!is_own_name(host))
    return {
        421, "text/plain; charset=utf-8", "this server has another name; use the address that it printed\n", {}, {}};
  HttpRequest its{
      request.path, {request.params.begin(), request.params.end()}, request.get_header_value("Last-Event-ID")};
  if (!options.token.empty()) {
    const std::size_t end = std::min(its.path.find('/', 1), its.path.size());
    if (end == 0 || !same_secret(std::string_view(its.path).substr(1, end - 1), options.token))
      return {403, "text/plain; charset=utf-8", "the address needs the token that was printed with it\n", {}, {}};
    its.path.erase(0, end);
    // Relative addresses of a page need the folder.
    if (its.path.empty()) return {301, "text/plain; charset=utf-8", "", {{"Location", "/" + options.token + "/"}}, {}};
  }
  return handler(its);
}

void HttpServer::Impl::answer(const httplib::Request& request, httplib::Response& response) {
  try {
    send(request, answer_of(request), response);
  } catch (const std::bad_alloc&) {
    send(request, {503, "text/plain; charset=utf-8", "no memory\n", {{"Retry-After", kRetrySeconds}}, {}}, response);
  }
}

void HttpServer::Impl::send(const httplib::Request& request, HttpAnswer answer, httplib::Response& response) {
  response.status = answer.status;
  for (const auto& [name, value] : answer.headers) response.set_header(name, value);
  const auto set_default = [&](const char* name, const char* value) {
    if (!response.has_header(name)) response.set_header(name, value);
  };
  set_default("Cache-Control", "no-store");
  set_default("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'");
  set_default("Cross-Origin-Resource-Policy", "same-origin");
  set_default("Referrer-Policy", "no-referrer");
  set_default("X-Content-Type-Options", "nosniff");
  if (answer.next_part) return send_parts(answer, response);
  const std::string accepted = request.get_header_value("Accept-Encoding");
  if (answer.body.size() >= kBytesToCompress && accepted.find("gzip") != accepted.npos &&
      accepted.find("gzip;q=0") == accepted.npos) {
    answer.body = gzip(answer.body);
    response.set_header("Content-Encoding", "gzip");
    response.set_header("Vary", "Accept-Encoding");
  }
  if (answer.body.empty()) return response.set_content("", answer.type);
  // Given as a body the library would compress it with Brotli at its slowest.
  const std::size_t size = answer.body.size();
  response.set_content_provider(
      size, answer.type, [body = std::move(answer.body)](std::size_t from, std::size_t bytes, httplib::DataSink& sink) {
        return sink.write(body.data() + from, bytes);
      });
}

void HttpServer::Impl::send_parts(HttpAnswer& answer, httplib::Response& response) {
  if (++streams > options.streams) {
    --streams;
    response.status = 503;
    response.set_header("Retry-After", kRetrySeconds);
    return response.set_content("too many watchers\n", "text/plain; charset=utf-8");
  }
  response.set_chunked_content_provider(
      answer.type,
      [next = std::move(answer.next_part)](std::size_t, httplib::DataSink& sink) {
        if (!sink.is_writable()) return false;
        const auto part = next();
        if (!part) return sink.done(), true;
        return part->empty() || sink.write(part->data(), part->size());
      },
      [this](bool) { --streams; });
}

HttpServer::HttpServer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

HttpServer::~HttpServer() {
  stop();
}

Status HttpServer::Impl::listen_at(const std::string& address) {
  errno = 0;
  const int bound = options.port == 0                     ? bind_to_any_port(address)
                    : bind_to_port(address, options.port) ? options.port
                                                          : -1;
  if (bound < 0) {
    const int error = errno;
    const std::string why = error == EADDRINUSE      ? "the port is in use; port 0 finds a free one"
                            : error == EADDRNOTAVAIL ? "it is no address of this machine"
                            : error != 0             ? reason_of(error)
                                                     : "the system refuses it";
    return {code_of_open(error, ExitCode::usage),
            "cannot listen at " + options.host + ":" + std::to_string(options.port) + ": " + why};
  }
  port = static_cast<std::uint16_t>(bound);
  std::string name = is_any_address(address) && !machine_name().empty() ? machine_name() : options.host;
  if (name.find(':') != name.npos) name = "[" + name + "]";
  url = "http://" + name + ":" + std::to_string(port) + "/";
  if (!options.token.empty()) url += options.token + "/";
  return {};
}

Status HttpServer::Impl::start_listener() {
  // Signals go to the threads of the program: accept() of the library ends for ever when one interrupts it.
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  Status started;
  try {
    listener = std::thread([this] {
      listen_after_bind();
      has_ended = true;
    });
  } catch (const std::system_error& error) {
    started = Status(ExitCode::temporary, std::string("cannot start a thread: ") + error.what());
  }
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return started;
}

Result<std::unique_ptr<HttpServer>> HttpServer::start(const HttpOptions& options, Handler handler) {
  ROTA_ASSIGN(const std::string address, address_of(options.host));
  auto server = std::unique_ptr<HttpServer>(new HttpServer(std::make_unique<Impl>()));
  Impl& impl = *server->impl_;
  impl.options = options;
  impl.handler = std::move(handler);
  impl.own_name = in_small_letters(options.host);
  impl.is_local = is_loopback(address);
  if (impl.is_local ? !options.needs_token_on_loopback : !options.needs_token) {
    impl.options.token.clear();
  } else if (options.token.empty()) {
    impl.options.token = random_token();
  }
  impl.set_socket_options([](socket_t fd) {
    // Not SO_REUSEPORT, the library's default: two servers would share a port.
    const int yes = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  impl.set_tcp_nodelay(true);
  impl.set_payload_max_length(0);
  impl.set_expect_100_continue_handler([](const auto&, auto&) { return 417; });
  impl.set_pre_routing_handler([&impl](const httplib::Request& request, httplib::Response& response) {
    impl.answer(request, response);
    return httplib::Server::HandlerResponse::Handled;
  });
  impl.new_task_queue = [most = options.threads] { return new Threads(most); };
  ROTA_TRY(impl.listen_at(address));
  ROTA_TRY(impl.start_listener());
  return server;
}

void HttpServer::stop() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->ending = true;
    for (const int fd : impl_->sockets) ::shutdown(fd, SHUT_RDWR);
  }
  if (!impl_->listener.joinable()) return;
  // stop() means nothing before the thread listens.
  while (!impl_->is_running() && !impl_->has_ended) std::this_thread::yield();
  impl_->httplib::Server::stop();
  impl_->listener.join();
}

std::uint16_t HttpServer::port() const {
  return impl_->port;
}

const std::string& HttpServer::url() const {
  return impl_->url;
}

std::string HttpRequest::value(std::string_view name) const {
  const auto found = std::ranges::find(query, name, [](const auto& pair) { return std::string_view(pair.first); });
  return found == query.end() ? "" : found->second;
}

std::string host_of_header(std::string_view header) {
  const bool is_v6 = header.starts_with('[');
  const std::size_t end = is_v6 ? header.find(']') : std::min(header.find(':'), header.size());
  if (end == header.npos) return "";
  const std::string_view port = header.substr(is_v6 ? end + 1 : end);
  const bool has_port = port.empty() || (port[0] == ':' && port.size() > 1 && port.size() <= 6 &&
                                         port.find_first_not_of("0123456789", 1) == port.npos);
  return has_port ? in_small_letters(header.substr(is_v6 ? 1 : 0, is_v6 ? end - 1 : end)) : "";
}

std::string gzip(std::string_view text) {
  constexpr int kGzip = 15 + 16, kMemory = 8;
  z_stream stream{};
  if (::deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, kMemory, Z_DEFAULT_STRATEGY) != Z_OK)
    throw std::bad_alloc();
  std::string packed(::deflateBound(&stream, text.size()), '\0');
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  const int result = ::deflate(&stream, Z_FINISH);
  ROTA_CHECK(result == Z_STREAM_END);
  packed.resize(stream.total_out);
  ::deflateEnd(&stream);
  return packed;
}

}  // namespace rota
