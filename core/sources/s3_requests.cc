#include "core/sources/s3_requests.h"

#include <charconv>
#include <utility>

namespace rota {

namespace {

// The text of the first element of this name; "" if there is none.  S3's replies have neither attributes in what is
// asked for here, nor elements of that name inside of it.
std::string_view element(std::string_view xml, std::string_view name) {
  const std::string open = "<" + std::string(name) + ">", close = "</" + std::string(name) + ">";
  const std::size_t begin = xml.find(open);
  const std::size_t end = begin == xml.npos ? xml.npos : xml.find(close, begin);
  return end == xml.npos ? std::string_view() : xml.substr(begin + open.size(), end - begin - open.size());
}

std::string without_entities(std::string_view text) {
  constexpr std::pair<std::string_view, char> kEntities[] = {
      {"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}, {"&#34;", '"'}, {"&#39;", '\''}};
  std::string plain;
  while (!text.empty()) {
    bool found = false;
    for (const auto& [name, character] : kEntities) {
      if (!text.starts_with(name)) continue;
      plain += character;
      text.remove_prefix(name.size());
      found = true;
      break;
    }
    if (found) continue;
    plain += text.front();
    text.remove_prefix(1);
  }
  return plain;
}

}  // namespace

S3Place s3_place(std::string_view url) {
  url.remove_prefix(std::string_view("s3://").size());
  const std::size_t slash = std::min(url.find('/'), url.size());
  return {std::string(url.substr(0, slash)), std::string(url.substr(std::min(slash + 1, url.size())))};
}

std::string url_encoded(std::string_view text, std::string_view kept) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
                       c == '.' || c == '_' || c == '~' || kept.find(c) != kept.npos;
    if (plain) {
      encoded += c;
    } else {
      const auto byte = static_cast<unsigned char>(c);
      encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
  }
  return encoded;
}

std::string url_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() && std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

GetRequest s3_request(const AwsSettings& settings, const S3Place& place, const std::string& query) {
  GetRequest request;
  const std::string key = url_encoded(place.key, "/");
  // The certificate of Amazon's hosts has no name for a bucket with a dot.
  const bool in_path = !settings.endpoint.empty() || place.bucket.find('.') != place.bucket.npos;
  const std::string amazon =
      "s3." + settings.region + (settings.region.starts_with("cn-") ? ".amazonaws.com.cn" : ".amazonaws.com");
  if (in_path)
    request.url =
        (settings.endpoint.empty() ? "https://" + amazon : settings.endpoint) + "/" + place.bucket + "/" + key;
  else
    request.url = "https://" + place.bucket + "." + amazon + "/" + key;
  if (!query.empty()) request.url += "?" + query;
  request.credentials = settings.key + ":" + settings.secret;
  request.region = settings.region;
  request.certificates = settings.certificates;
  // libcurl 7.88 signs this header, but does not send it itself, and S3 requires it.
  request.headers.push_back("x-amz-content-sha256: UNSIGNED-PAYLOAD");
  if (!settings.token.empty()) request.headers.push_back("x-amz-security-token: " + settings.token);
  return request;
}

// The signature is of the parameters in the order of their names, and libcurl 7.88 signs them as they are.
std::string s3_list_query(const std::string& prefix, const std::string& token) {
  return (token.empty() ? "" : "continuation-token=" + url_encoded(token) + "&") +
         "delimiter=%2F&encoding-type=url&list-type=2&prefix=" + url_encoded(prefix);
}

Result<S3Page> s3_page(const std::string& xml) {
  S3Page page;
  if (xml.find("<ListBucketResult") == xml.npos)
    return Status(ExitCode::temporary, "the server's reply is no list of objects");
  const bool encoded = element(xml, "EncodingType") == "url";
  for (std::size_t at = 0; (at = xml.find("<Contents>", at)) != xml.npos;) {
    const std::size_t end = xml.find("</Contents>", at);
    if (end == xml.npos) return Status(ExitCode::temporary, "the list of objects ends early");
    const std::string_view one = std::string_view(xml).substr(at, end - at);
    S3Object object;
    object.key = without_entities(element(one, "Key"));
    if (encoded) object.key = url_decoded(object.key);
    object.tag = without_entities(element(one, "ETag"));
    const std::string_view size = element(one, "Size");
    if (std::from_chars(size.data(), size.data() + size.size(), object.size).ec != std::errc{})
      return Status(ExitCode::temporary, "the list of objects has no size of " + object.key);
    page.objects.push_back(std::move(object));
    at = end;
  }
  if (element(xml, "IsTruncated") == "true") {
    page.next = without_entities(element(xml, "NextContinuationToken"));
    if (page.next.empty()) return Status(ExitCode::temporary, "the list of objects is cut off without a way on");
  }
  return page;
}

Status s3_refusal(const GetReply& reply, const AwsSettings& settings) {
  const std::string code(element(reply.body, "Code"));
  std::string region(element(reply.body, "Region"));
  if (const auto found = reply.header.find("x-amz-bucket-region"); found != reply.header.end()) region = found->second;
  const std::string what =
      "the server refuses (" + std::to_string(reply.status) + (code.empty() ? "" : " " + code) + ")";
  if (code == "NoSuchBucket") return {ExitCode::no_input, "there is no such bucket"};
  if (reply.status == 404) return {ExitCode::no_input, "there is no such object"};
  if (!region.empty() && region != settings.region &&
      (reply.status == 301 || reply.status == 307 || reply.status == 400))
    return {ExitCode::usage, "the bucket is in the region " + region + ": set AWS_REGION=" + region};
  if (code == "ExpiredToken") return {ExitCode::not_authorised, what + ": the credentials have expired: renew them"};
  if (code == "SignatureDoesNotMatch")
    return {ExitCode::not_authorised, what +
                                          ": the secret does not fit the key: check AWS_SECRET_ACCESS_KEY, or the "
                                          "profile (AWS_PROFILE)"};
  if (code == "InvalidAccessKeyId")
    return {ExitCode::not_authorised, what +
                                          ": it does not know the key: check AWS_ACCESS_KEY_ID, or the profile "
                                          "(AWS_PROFILE)"};
  if (code == "RequestTimeTooSkewed") return {ExitCode::not_authorised, what + ": the clock of this machine is wrong"};
  if (reply.status == 401 || reply.status == 403 || code == "InvalidToken")
    return {ExitCode::not_authorised, what + ": the credentials do not allow to read it"};
  return {ExitCode::no_input, what};
}

}  // namespace rota
