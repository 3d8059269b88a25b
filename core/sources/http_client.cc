#include "core/sources/http_client.h"

#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <chrono>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string_view>
#include <thread>

#include "core/base/version.h"
#include "core/sources/library.h"

namespace rota {

namespace {

constexpr long kMostRedirects = 5;
constexpr std::size_t kMostOfError = std::size_t{1} << 16;  // bytes of the page that says what is wrong
constexpr auto kFirstPause = std::chrono::milliseconds(250);
constexpr auto kLongestPause = std::chrono::seconds(8), kLongestAsked = std::chrono::seconds(30);

// The functions of libcurl that are used.
struct Curl {
  decltype(&::curl_global_init) global_init;
  decltype(&::curl_easy_init) easy_init;
  decltype(&::curl_easy_cleanup) easy_cleanup;
  decltype(&::curl_easy_reset) easy_reset;
  decltype(&::curl_easy_setopt) setopt;
  decltype(&::curl_easy_perform) perform;
  decltype(&::curl_easy_getinfo) getinfo;
  decltype(&::curl_easy_strerror) text_of;
  decltype(&::curl_slist_append) append;
  decltype(&::curl_slist_free_all) free_all;

  static Result<Curl> open() {
    constexpr const char* kWhatToDo = ": https, http and s3 inputs need libcurl 7.75 or later (Debian: libcurl4)";
    auto library = Library::open("libcurl.so.4");
    if (!library.ok()) return Status(ExitCode::no_input, library.status().what() + kWhatToDo);
    Curl curl{};
    const bool all =
        library->find("curl_global_init", curl.global_init) && library->find("curl_easy_init", curl.easy_init) &&
        library->find("curl_easy_cleanup", curl.easy_cleanup) && library->find("curl_easy_reset", curl.easy_reset) &&
        library->find("curl_easy_setopt", curl.setopt) && library->find("curl_easy_perform", curl.perform) &&
        library->find("curl_easy_getinfo", curl.getinfo) && library->find("curl_easy_strerror", curl.text_of) &&
        library->find("curl_slist_append", curl.append) && library->find("curl_slist_free_all", curl.free_all);
    if (!all || curl.global_init(CURL_GLOBAL_DEFAULT) != CURLE_OK)
      return Status(ExitCode::no_input, std::string("libcurl.so.4 cannot be used") + kWhatToDo);
    return curl;
  }
};

const Result<Curl>& curl() {
  static const auto* const opened = new Result<Curl>(Curl::open());
  return *opened;
}

// Handles that are not in use keep their connections for the next request.
class Handles {
 public:
  CURL* take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return curl()->easy_init();
    CURL* const handle = idle_.back();
    idle_.pop_back();
    return handle;
  }
  void give_back(CURL* handle) {
    curl()->easy_reset(handle);
    const std::lock_guard lock(mutex_);
    idle_.push_back(handle);
  }

 private:
  std::mutex mutex_;
  std::vector<CURL*> idle_;
};

Handles& handles() {
  static auto* const all = new Handles;
  return *all;
}

struct Transfer {
  const GetRequest& request;
  CURL* handle;
  GetReply reply = {};
};

std::size_t take_body(const char* data, std::size_t, std::size_t size, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  long status = 0;
  curl()->getinfo(transfer.handle, CURLINFO_RESPONSE_CODE, &status);
  const bool success = status >= 200 && status < 300;
  if (success && transfer.request.sink) {
    transfer.reply.stopped = !transfer.request.sink({data, size});
    return transfer.reply.stopped ? 0 : size;
  }
  const std::size_t most = success ? transfer.request.most : kMostOfError;
  const std::size_t some = std::min(size, most - transfer.reply.body.size());
  transfer.reply.body.append(data, some);
  transfer.reply.stopped = some < size;
  return some;  // fewer than there are end the transfer
}

std::size_t take_header(const char* data, std::size_t, std::size_t size, void* user) {
  auto& reply = static_cast<Transfer*>(user)->reply;
  std::string_view line(data, size);
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r' || line.back() == ' ')) line.remove_suffix(1);
  if (line.starts_with("HTTP/")) {  // of another reply, after a redirect
    reply.header.clear();
    reply.body.clear();
  }
  const std::size_t colon = line.find(':');
  if (colon == line.npos) return size;
  std::string name(line.substr(0, colon));
  std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  line.remove_prefix(colon + 1);
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  reply.header[name] = line;
  return size;
}

template <typename T>
Status number_from_environment(const char* name, T least, T most, T& number) {
  const char* const text = std::getenv(name);
  if (text == nullptr || *text == '\0') return {};
  const std::string_view all = text;
  const auto [end, error] = std::from_chars(all.data(), all.data() + all.size(), number);
  if (error == std::errc{} && end == all.data() + all.size() && number >= least && number <= most) return {};
  return {ExitCode::usage,
          std::string(name) + ": must be a whole number, " + std::to_string(least) + " .. " + std::to_string(most)};
}

bool is_lasting(CURLcode code) {
  return code == CURLE_PEER_FAILED_VERIFICATION || code == CURLE_SSL_CACERT_BADFILE || code == CURLE_URL_MALFORMAT ||
         code == CURLE_UNSUPPORTED_PROTOCOL || code == CURLE_TOO_MANY_REDIRECTS || code == CURLE_UNKNOWN_OPTION;
}

}  // namespace

Result<Patience> patience() {
  Patience all;
  ROTA_TRY(number_from_environment("ROTA_INPUT_TIMEOUT", 1L, 3600L, all.seconds));
  ROTA_TRY(number_from_environment("ROTA_INPUT_TRIES", 1, 100, all.tries));
  return all;
}

Result<GetReply> http_get(const GetRequest& request) {
  const Result<Curl>& library = curl();
  if (!library.ok()) return library.status();
  ROTA_ASSIGN(const Patience limits, patience());
  CURL* const handle = handles().take();
  if (handle == nullptr) return Status(ExitCode::failed, "libcurl: out of memory");
  Transfer transfer{request, handle};
  ::curl_slist* headers = nullptr;
  for (const std::string& header : request.headers) headers = library->append(headers, header.c_str());
  CURLcode wrong = CURLE_OK;
  const auto set = [&](CURLoption option, auto value) {
    if (const CURLcode code = library->setopt(handle, option, value); code != CURLE_OK) wrong = code;
  };
  set(CURLOPT_URL, request.url.c_str());
  set(CURLOPT_USERAGENT, (std::string("rota/") + kVersion).c_str());
  set(CURLOPT_HTTPHEADER, headers);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_CONNECTTIMEOUT, limits.seconds);
  set(CURLOPT_LOW_SPEED_LIMIT, 1L);
  set(CURLOPT_LOW_SPEED_TIME, limits.seconds);
  set(CURLOPT_WRITEFUNCTION, &take_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
  set(CURLOPT_HEADERFUNCTION, &take_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
  set(CURLOPT_PROTOCOLS_STR, "http,https");
  // What began encrypted and authenticated stays so.
  set(CURLOPT_REDIR_PROTOCOLS_STR, request.url.starts_with("https:") ? "https" : "http,https");
  set(CURLOPT_MAXREDIRS, kMostRedirects);
  set(CURLOPT_FOLLOWLOCATION, request.credentials.empty() ? 1L : 0L);
  if (!request.range.empty()) set(CURLOPT_RANGE, request.range.c_str());
  if (!request.certificates.empty()) set(CURLOPT_CAINFO, request.certificates.c_str());
  const std::string signing = "aws:amz:" + request.region + ":s3";
  if (!request.credentials.empty()) {
    set(CURLOPT_PATH_AS_IS, 1L);  // ".." may be in the key of an object
    set(CURLOPT_AWS_SIGV4, signing.c_str());
    set(CURLOPT_USERPWD, request.credentials.c_str());
  }
  const CURLcode code = wrong != CURLE_OK ? wrong : library->perform(handle);
  library->getinfo(handle, CURLINFO_RESPONSE_CODE, &transfer.reply.status);
  library->free_all(headers);
  handles().give_back(handle);
  if (code != CURLE_OK && !transfer.reply.stopped) {
    transfer.reply.failure = library->text_of(code);
    transfer.reply.lasting = is_lasting(code);
  }
  return std::move(transfer.reply);
}

bool may_pass(const GetReply& reply) {
  if (!reply.failure.empty()) return !reply.lasting;
  return reply.status == 408 || reply.status == 429 || (reply.status >= 500 && reply.status != 501);
}

bool wait_to_try(int tried, const GetReply& last) {
  const auto limits = patience();
  if (!limits.ok() || tried >= limits->tries) return false;
  auto pause = std::min<std::chrono::milliseconds>(kFirstPause * (1 << std::min(tried - 1, 10)), kLongestPause);
  long asked = 0;
  if (const auto found = last.header.find("retry-after"); found != last.header.end()) {
    const std::string& text = found->second;
    if (std::from_chars(text.data(), text.data() + text.size(), asked).ec == std::errc{} && asked > 0)
      pause = std::max(
          pause, std::min<std::chrono::milliseconds>(std::chrono::seconds(std::min(asked, 3600L)), kLongestAsked));
  }
  std::this_thread::sleep_for(pause);
  return true;
}

Result<GetReply> http_get_patiently(const GetRequest& request) {
  for (int tried = 1;; ++tried) {
    ROTA_ASSIGN(auto reply, http_get(request));
    if (!may_pass(reply) || !wait_to_try(tried, reply)) return reply;
  }
}

}  // namespace rota
