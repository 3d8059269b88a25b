#include "core/sources/remote_objects.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <filesystem>
#include <future>
#include <iterator>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

#include "core/base/files.h"
#include "core/base/hash.h"
#include "core/sources/aws_settings.h"
#include "core/sources/http_client.h"
#include "core/sources/s3_requests.h"
#include "rota/error.h"

namespace rota {

namespace {

constexpr std::size_t kHead = std::size_t{16} << 10;        // bytes that are kept of each object: its kind, its header
constexpr std::size_t kFirstBlock = std::size_t{64} << 10;  // who reads on gets larger ones
constexpr std::size_t kLargestBlock = std::size_t{8} << 20;
constexpr std::size_t kMostOfList = std::size_t{64} << 20;  // bytes of a page of a thousand names

struct Version {
  std::uint64_t size = 0;
  std::string tag;       // ETag as it is sent, with its marks
  std::string modified;  // of an object without a strong tag

  bool is_told() const { return !tag.empty() || !modified.empty(); }
};

std::string header_of(const GetReply& reply, std::string_view name) {
  const auto found = reply.header.find(name);
  return found == reply.header.end() ? std::string() : found->second;
}

// Servers put the marks around a tag in one place and not in another.
std::string_view bare(std::string_view tag) {
  if (tag.starts_with("W/")) tag.remove_prefix(2);
  if (tag.size() >= 2 && tag.front() == '"' && tag.back() == '"') tag = tag.substr(1, tag.size() - 2);
  return tag;
}

// The number after the '/' of "bytes 0-99/1234".
std::optional<std::uint64_t> whole_size(const GetReply& reply) {
  const std::string range = header_of(reply, "content-range");
  const std::size_t slash = range.find('/');
  std::uint64_t size = 0;
  if (slash == range.npos) return std::nullopt;
  const auto [end, error] = std::from_chars(range.data() + slash + 1, range.data() + range.size(), size);
  return error == std::errc{} && end == range.data() + range.size() ? std::optional(size) : std::nullopt;
}

Version version_of(const GetReply& reply, std::uint64_t size) {
  return {size, header_of(reply, "etag"), header_of(reply, "last-modified")};
}

bool same_version(const Version& one, const Version& other) {
  if (one.size != other.size) return false;
  if (!one.tag.empty() || !other.tag.empty()) return bare(one.tag) == bare(other.tag);
  return one.modified == other.modified;
}

Status changed(const std::string& url) {
  return {ExitCode::bad_data, url + ": the object has changed since this job first looked at it"};
}

Result<GetRequest> request_for(const std::string& url) {
  GetRequest request;
  if (!url.starts_with("s3://")) {
    request.url = url;
    request.certificates = certificate_file();
    return request;
  }
  ROTA_ASSIGN(const auto settings, aws_settings());
  return s3_request(settings, s3_place(url));
}

// What a reply that is none of success means.
Status refusal(const std::string& url, const GetReply& reply) {
  if (!reply.failure.empty())
    return {reply.lasting ? ExitCode::not_authorised : ExitCode::temporary, url + ": " + reply.failure};
  if (may_pass(reply))
    return {ExitCode::temporary, url + ": the server refuses for now (" + std::to_string(reply.status) + ")"};
  if (url.starts_with("s3://")) {
    ROTA_ASSIGN(const auto settings, aws_settings());
    return s3_refusal(reply, settings).in(url);
  }
  if (reply.status == 404 || reply.status == 410) return {ExitCode::no_input, url + ": there is no such object"};
  const std::string what = url + ": the server refuses (" + std::to_string(reply.status) + ")";
  return {
      reply.status == 401 || reply.status == 403 || reply.status == 407 ? ExitCode::not_authorised : ExitCode::no_input,
      what};
}

class RemoteObject;

// A part of an object, in blocks.  While one is used the next one is on its way, as soon as it is clear that the reader
// wants more than a look at the beginning.
class BlockStream final : public HostStream {
 public:
  BlockStream(const RemoteObject& object, std::uint64_t begin, std::uint64_t end)
      : object_(object), at_(begin), end_(end) {}
  std::size_t read(char* to, std::size_t size) override;

 private:
  std::size_t next_size() const { return static_cast<std::size_t>(std::min<std::uint64_t>(block_, end_ - at_)); }

  const RemoteObject& object_;
  std::uint64_t at_, end_;  // that is not yet asked for
  std::size_t block_ = kHead;
  std::string buffer_;
  std::size_t used_ = 0;  // bytes of the buffer
  std::future<Result<std::string>> next_;
};

class RemoteObject final : public RemoteFile {
 public:
  // With the version of a list, that one.
  static Result<std::shared_ptr<const RemoteObject>> open(const std::string& url, std::optional<Version> listed) {
    auto object = std::make_shared<RemoteObject>(url);
    ROTA_TRY(object->look(listed));
    return std::shared_ptr<const RemoteObject>(std::move(object));
  }
  explicit RemoteObject(std::string url) : url_(std::move(url)) {}

  std::uint64_t size() const override { return version_.size; }
  const Version& version() const { return version_; }
  const std::string& url() const { return url_; }

  std::unique_ptr<HostStream> stream(std::uint64_t begin, std::uint64_t end) const override {
    return std::make_unique<BlockStream>(*this, begin, std::min(end, version_.size));
  }

  std::string local_copy() const override {
    const std::lock_guard lock(mutex_);
    if (!copy_.open())
      if (const Status copied = fill_copy(); !copied.ok()) raise(copied);
    return path_of_copy();
  }

  // The bytes [begin, end) of this version.
  Result<std::string> part(std::uint64_t begin, std::uint64_t end) const {
    const std::uint64_t in_head = std::min<std::uint64_t>(end, head_.size());
    std::string bytes;
    if (begin < in_head)
      bytes = head_.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(in_head - begin));
    if (copied_) return part_of_copy(begin, end);
    if (begin + bytes.size() >= end) return bytes;
    ROTA_ASSIGN(GetRequest request, request_for(url_));
    add_conditions(request);
    for (int tried = 1; begin + bytes.size() < end;) {
      request.range = std::to_string(begin + bytes.size()) + "-" + std::to_string(end - 1);
      request.most = static_cast<std::size_t>(end - begin - bytes.size());
      ROTA_ASSIGN(GetReply reply, http_get(request));
      if (reply.status == 206) {
        const auto size = whole_size(reply);
        if (!size || !same_version(version_of(reply, *size), version_)) return changed(url_);
        bytes += reply.body;
        if (!reply.body.empty()) tried = 1;
        if (begin + bytes.size() >= end) break;
        if (reply.failure.empty()) reply.failure = "the server sends less than was asked for";
      } else if (reply.status == 412 || reply.status == 416 || reply.status == 200 || reply.status == 404) {
        // 200: what had parts is now sent as a whole, so it is something else.
        return changed(url_);
      }
      if (!may_pass(reply)) return refusal(url_, reply);
      if (wait_to_try(tried++, reply)) continue;
      const Status last = refusal(url_, reply);
      return Status(last.code(), last.what() + ", at byte " + std::to_string(begin + bytes.size()) + " of " +
                                     std::to_string(version_.size));
    }
    return bytes;
  }

  Result<FileHash> hash() const {
    if (copied_) return hash_file(path_of_copy());
    const std::string what = version_.tag.empty() ? version_.modified : std::string(bare(version_.tag));
    return FileHash{version_.size, hash128("version " + what)};
  }

 private:
  std::string path_of_copy() const { return "/proc/self/fd/" + std::to_string(copy_.get()); }

  void add_conditions(GetRequest& request) const {
    if (!version_.tag.empty() && !version_.tag.starts_with("W/"))
      request.headers.push_back("If-Match: " + version_.tag);
    else if (!version_.modified.empty())
      request.headers.push_back("If-Unmodified-Since: " + version_.modified);
  }

  // Reads the beginning, and takes or compares the version.
  Status look(const std::optional<Version>& listed) {
    if (listed && listed->size == 0) return version_ = *listed, Status();
    if (listed) version_ = *listed;
    ROTA_ASSIGN(GetRequest request, request_for(url_));
    if (listed) add_conditions(request);
    request.range = "0-" + std::to_string(kHead - 1);
    request.most = kHead;
    ROTA_ASSIGN(GetReply reply, http_get_patiently(request));
    if (listed && reply.status == 412) return changed(url_);
    const bool ok = reply.failure.empty() && (reply.status == 200 || reply.status == 206 || reply.status == 416);
    if (!ok) return refusal(url_, reply);
    std::optional<std::uint64_t> size;
    if (reply.status == 206) size = whole_size(reply);
    if (reply.status == 416) size = 0, reply.body.clear();
    if (reply.status == 200 && !reply.stopped) size = reply.body.size();  // all of it is here
    const Version found = version_of(reply, size.value_or(0));
    if (listed && !(size && same_version(found, *listed))) return changed(url_);
    version_ = found;
    if (size && found.is_told()) return head_ = std::move(reply.body), Status();
    return fill_copy();
  }

  Status fill_copy() const {
    const auto folder = std::filesystem::temp_directory_path();
    ROTA_ASSIGN(FileDescriptor file, open_unnamed(folder / "rota-copy"));
    if (version_.size > 0 && version_.is_told()) {  // in parts
      BlockStream blocks(*this, 0, version_.size);
      std::vector<char> block(kFirstBlock);
      while (const std::size_t some = blocks.read(block.data(), block.size()))
        if (const int error = write_all(file.get(), std::as_bytes(std::span(block).first(some))); error != 0)
          return cannot_write(folder, error);
      copy_ = std::move(file);
      return {};
    }
    ROTA_ASSIGN(GetRequest request, request_for(url_));
    int error = 0;
    std::uint64_t size = 0;
    request.sink = [&](std::string_view bytes) {
      error = write_at(file.get(), std::as_bytes(std::span(bytes)), size);
      size += bytes.size();
      return error == 0;
    };
    for (int tried = 1;; ++tried) {
      size = 0;
      ROTA_ASSIGN(const GetReply reply, http_get(request));
      if (error != 0) return cannot_write(folder, error);
      if (reply.failure.empty() && reply.status == 200) break;
      if (!may_pass(reply) || !wait_to_try(tried, reply)) return refusal(url_, reply);
    }
    if (::ftruncate(file.get(), static_cast<::off_t>(size)) != 0) return cannot_write(folder, errno);
    version_.size = size;
    copy_ = std::move(file);
    copied_ = true;
    return {};
  }

  Result<std::string> part_of_copy(std::uint64_t begin, std::uint64_t end) const {
    std::string bytes(static_cast<std::size_t>(end - begin), '\0');
    const auto got = read_at(copy_.get(), std::as_writable_bytes(std::span(bytes)), begin);
    if (got == static_cast<std::ptrdiff_t>(bytes.size())) return bytes;
    return Status(ExitCode::disk, url_ + ": its copy cannot be read: " + std::strerror(errno));
  }

  std::string url_;
  std::string head_;
  mutable std::mutex mutex_;  // guards the copy while it is made
  mutable Version version_;
  mutable FileDescriptor copy_;
  mutable bool copied_ = false;  // the copy is what is read: there are no parts, or no version
};

std::size_t BlockStream::read(char* to, std::size_t size) {
  while (used_ == buffer_.size()) {
    Result<std::string> block = std::string();
    if (next_.valid()) {
      block = next_.get();
    } else {
      if (at_ >= end_) return 0;
      block = object_.part(at_, at_ + next_size());
      at_ += next_size();
    }
    if (!block.ok()) raise(block.status());
    buffer_ = *std::move(block);
    used_ = 0;
    const bool goes_on = block_ > kFirstBlock;
    block_ = std::min(kLargestBlock, 4 * block_);
    if (!goes_on || at_ >= end_) continue;
    const std::uint64_t from = at_;
    at_ += next_size();
    next_ = std::async(std::launch::async, [this, from, until = at_] { return object_.part(from, until); });
  }
  const std::size_t some = std::min(size, buffer_.size() - used_);
  std::memcpy(to, buffer_.data() + used_, some);
  used_ += some;
  return some;
}

// What this process knows of objects.  Never forgotten: the versions are the job's.
class Known {
 public:
  Result<std::vector<std::string>> below(const std::string& url) {
    const std::lock_guard lock(mutex_);
    if (const auto found = lists_.find(url); found != lists_.end()) return found->second;
    ROTA_ASSIGN(auto names, listed(url));
    return lists_[url] = std::move(names);
  }

  Result<std::shared_ptr<const RemoteObject>> open(const std::string& url) {
    Entry* entry = nullptr;
    {
      const std::lock_guard lock(mutex_);
      auto& place = entries_[url];
      if (place == nullptr) place = std::make_unique<Entry>();
      entry = place.get();
    }
    const std::lock_guard lock(entry->mutex);
    if (entry->object == nullptr) {
      ROTA_ASSIGN(entry->object, RemoteObject::open(url, entry->listed));
    }
    return entry->object;
  }

  // That of a list, if it is in one.
  std::optional<Version> listed_version(const std::string& url) {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(url);
    return found == entries_.end() ? std::nullopt : found->second->listed;
  }

 private:
  struct Entry {
    std::mutex mutex;
    std::optional<Version> listed;
    std::shared_ptr<const RemoteObject> object;
  };

  Result<std::vector<std::string>> listed(const std::string& url) {
    ROTA_ASSIGN(const auto settings, aws_settings());
    const S3Place place = s3_place(url);
    std::vector<S3Object> objects;
    for (std::string token; objects.empty() || !token.empty();) {
      GetRequest request = s3_request(settings, {place.bucket, ""}, s3_list_query(place.key, token));
      request.most = kMostOfList;
      ROTA_ASSIGN(const GetReply reply, http_get_patiently(request));
      if (!reply.failure.empty() || reply.status != 200) return refusal(url, reply);
      auto page = s3_page(reply.body);
      if (!page.ok()) return std::move(page).in(url).status();
      std::ranges::move(page->objects, std::back_inserter(objects));
      if (page->next.empty()) break;
      if (page->next == token) return Status(ExitCode::temporary, url + ": the list of objects does not end");
      token = page->next;
    }
    std::ranges::sort(objects, {}, &S3Object::key);
    std::vector<std::string> names;
    for (const S3Object& object : objects) {
      const std::string_view name = std::string_view(object.key).substr(std::min(place.key.size(), object.key.size()));
      if (object.size == 0 || name.empty() || name.front() == '.' || name.front() == '_') continue;
      names.push_back("s3://" + place.bucket + "/" + object.key);
      auto& entry = entries_[names.back()];
      if (entry != nullptr) continue;  // looked at before
      entry = std::make_unique<Entry>();
      if (!object.tag.empty()) entry->listed = Version{object.size, object.tag, ""};
    }
    if (names.empty())
      return Status(ExitCode::no_input, url + ": there are no objects right below it, or they are empty");
    return names;
  }

  std::mutex mutex_;
  std::map<std::string, std::vector<std::string>> lists_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;
};

Known& known() {
  static auto* const all = new Known;
  return *all;
}

bool is_folder(const std::string& url) {
  return url.starts_with("s3://") && (url.ends_with('/') || url.find('/', 5) == url.npos);
}

// Parameters of a query that let who has them read what the URL names.
bool has_secret(std::string_view query) {
  constexpr std::array<std::string_view, 9> kSecrets = {
      "x-amz-signature", "x-amz-credential", "x-amz-security-token", "x-goog-signature", "signature", "sig", "token",
      "access_token",    "api_key"};
  while (!query.empty()) {
    const std::size_t end = std::min(query.find('&'), query.size());
    std::string name(query.substr(0, std::min(query.find('='), end)));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    if (std::ranges::find(kSecrets, name) != kSecrets.end()) return true;
    query.remove_prefix(std::min(end + 1, query.size()));
  }
  return false;
}

}  // namespace

Status check_url(const std::string& url) {
  const std::string scheme = url.substr(0, url.find(':') + 3);
  const std::string rest = url.substr(scheme.size()), host = rest.substr(0, rest.find_first_of("/?#"));
  if (url.starts_with("s3://")) {
    const bool named = host.size() >= 3 && host.find_first_not_of(
                                               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                               "0123456789.-_") == host.npos;
    return named ? Status() : Status(ExitCode::usage, "an input s3://BUCKET/KEY has no name of a bucket");
  }
  if (host.find('@') != host.npos)
    return {ExitCode::usage, "an input " + scheme +
                                 "... has a user or a password in it, which the run's folder would "
                                 "show: leave it out, and serve the data otherwise"};
  const std::size_t query = rest.find('?');
  if (query != rest.npos && has_secret(std::string_view(rest).substr(query + 1)))
    return {ExitCode::usage, "an input " + scheme + host +
                                 "/... has a signature or a token in it, which the run's "
                                 "folder would show: for S3 write s3://BUCKET/KEY, with credentials "
                                 "in the environment"};
  for (const char c : url)
    if (static_cast<unsigned char>(c) <= ' ' || c == '\x7f')
      return {ExitCode::usage,
              "an input " + scheme + host + "/... has a blank or a control character in it: write %20"};
  return host.empty() ? Status(ExitCode::usage, "an input " + scheme + " names no host") : Status();
}

Result<std::vector<std::string>> remote_objects(const std::string& url) {
  ROTA_TRY(check_url(url));
  if (is_folder(url)) return known().below(url.ends_with('/') ? url : url + "/");
  ROTA_TRY(known().open(url).status());
  return std::vector<std::string>{url};
}

Result<std::shared_ptr<const RemoteFile>> open_remote(const std::string& url) {
  ROTA_TRY(check_url(url));
  if (is_folder(url)) return Status(ExitCode::no_input, url + ": names a folder, not an object");
  ROTA_ASSIGN(auto object, known().open(url));
  return std::shared_ptr<const RemoteFile>(std::move(object));
}

Result<FileHash> version_hash(const std::string& url) {
  if (const auto listed = known().listed_version(url))
    return FileHash{listed->size, hash128("version " + std::string(bare(listed->tag)))};
  ROTA_ASSIGN(const auto object, known().open(url));
  return object->hash();
}

void raise(const Status& status) {
  switch (status.code()) {
    case ExitCode::usage:
      throw UsageError(status.what());
    case ExitCode::no_input:
      throw NoInput(status.what());
    case ExitCode::bad_data:
      throw DataError(status.what());
    default:
      throw ReadError(static_cast<int>(status.code()), status.what());
  }
}

}  // namespace rota
