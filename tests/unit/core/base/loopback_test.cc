#include "core/base/loopback.h"

namespace rota {
namespace {

TEST(Loopback, IsRecognisedByItsText) {
  for (const char* host : {"127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1", "localhost", "a.localhost"})
    EXPECT_TRUE(is_loopback(host)) << host;
  for (const char* host : {"*", "node1", "10.0.0.1", "::", "fe80::1", "128.0.0.1", "mylocalhost", "1271.0.0.1"})
    EXPECT_FALSE(is_loopback(host)) << host;
}

}  // namespace
}  // namespace rota
