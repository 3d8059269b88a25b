#include "core/sources/s3_requests.h"

#include <gtest/gtest.h>

#include "core/sources/remote_objects.h"

namespace rota {
namespace {

AwsSettings settings(const std::string& region = "eu-north-1", const std::string& endpoint = "") {
  return {"key", "secret", "", region, endpoint, ""};
}

TEST(S3Requests, WhereAKeyIs) {
  const S3Place place = s3_place("s3://bucket/a b/ü+?&");
  EXPECT_EQ(place.key, "a b/ü+?&");
  EXPECT_EQ(s3_request(settings(), place).url, "https://bucket.s3.eu-north-1.amazonaws.com/a%20b/%C3%BC%2B%3F%26");
  EXPECT_EQ(s3_request(settings("cn-north-1"), {"b.c", "k"}).url, "https://s3.cn-north-1.amazonaws.com.cn/b.c/k");
  EXPECT_EQ(s3_request(settings("x", "http://here:9000"), {"b", ""}, "q").url, "http://here:9000/b/?q");
  EXPECT_EQ(s3_place("s3://bucket").key, "");
  EXPECT_EQ(url_decoded("a+b%2Bc%zz%4"), "a b+c%zz%4");
}

TEST(S3Requests, TheParametersOfAListAreSorted) {
  EXPECT_EQ(s3_list_query("a b/", "1/=+"),
            "continuation-token=1%2F%3D%2B&delimiter=%2F&encoding-type=url&list-type=2&prefix=a%20b%2F");
}

TEST(S3Requests, APageOfAList) {
  const std::string one = "<Contents><Key>a+b%2Bc</Key><ETag>&quot;1&quot;</ETag><Size>7</Size></Contents>";
  const auto page = s3_page("<ListBucketResult><IsTruncated>true</IsTruncated><EncodingType>url</EncodingType>" + one +
                            "<NextContinuationToken>x&amp;y</NextContinuationToken></ListBucketResult>");
  ASSERT_TRUE(page.ok());
  ASSERT_EQ(page->objects.size(), 1U);
  EXPECT_EQ(page->objects[0].key, "a b+c");
  EXPECT_EQ(page->objects[0].tag, "\"1\"");
  EXPECT_EQ(page->objects[0].size, 7U);
  EXPECT_EQ(page->next, "x&y");
  const auto plain = s3_page("<ListBucketResult><Contents><Key>a&amp;b+c</Key><Size>0</Size></Contents>");
  ASSERT_TRUE(plain.ok());
  EXPECT_EQ(plain->objects[0].key, "a&b+c");
  for (const char* wrong :
       {"", "<html>", "<ListBucketResult><Contents><Key>a</Key>", "<ListBucketResult><Contents><Key>a</Key></Contents>",
        "<ListBucketResult><IsTruncated>true</IsTruncated>"})
    EXPECT_EQ(s3_page(wrong).status().code(), ExitCode::temporary) << wrong;
}

TEST(S3Requests, UrlsThatMayNotBeInARunsFolder) {
  for (const char* fine : {"https://a/b?c=d&e", "http://a:80", "s3://bucket", "s3://bucket/a b?X-Amz-Signature=1@"})
    EXPECT_TRUE(check_url(fine).ok()) << fine;
  for (const char* wrong : {"https://me@a/b", "https://me:hidden@a", "https://a/?q=1&SIG=hidden", "https://a/b c",
                            "https://a?X-Amz-Security-Token=hidden", "https:///b", "s3://", "s3:///hidden"}) {
    EXPECT_EQ(check_url(wrong).code(), ExitCode::usage) << wrong;
    EXPECT_EQ(check_url(wrong).what().find("hidden"), std::string::npos) << wrong;
  }
}

}  // namespace
}  // namespace rota
