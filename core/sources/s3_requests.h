// core/sources/s3_requests.h -- the requests to S3 that reading needs, and what its replies say.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"
#include "core/sources/aws_settings.h"
#include "core/sources/http_client.h"

namespace rota {

struct S3Place {
  std::string bucket, key;  // the key as it is, with nothing encoded
};
// Of "s3://BUCKET/KEY".
S3Place s3_place(std::string_view url);

// All bytes but letters, digits, "-._~" and those of `kept`, as %XX.
std::string url_encoded(std::string_view text, std::string_view kept = "");
std::string url_decoded(std::string_view text);  // '+' is a blank

// A signed GET of a key, or of what `query`, which is encoded and sorted, asks of the bucket.
GetRequest s3_request(const AwsSettings& settings, const S3Place& place, const std::string& query = "");

struct S3Object {
  std::string key, tag;  // the tag with its quotation marks, as If-Match has it
  std::uint64_t size = 0;
};
// A reply to the request for a list of objects (ListObjectsV2).
struct S3Page {
  std::vector<S3Object> objects;
  std::string next;  // the token of the page that follows; "": none does
};
std::string s3_list_query(const std::string& prefix, const std::string& token);
Result<S3Page> s3_page(const std::string& xml);

// What a refusal means for the user, who may be named what to set.  REQUIRES: the reply is none of success.
Status s3_refusal(const GetReply& reply, const AwsSettings& settings);

}  // namespace rota
