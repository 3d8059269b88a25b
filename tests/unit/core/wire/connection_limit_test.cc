#include "core/wire/connection_limit.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>

#include "core/base/files.h"

namespace rota {
namespace {

class ConnectionLimitTest : public testing::Test {
 protected:
  ConnectionLimitTest() {
    EXPECT_EQ(::getrlimit(RLIMIT_NOFILE, &before_), 0);
    const struct rlimit few = {128, before_.rlim_max};
    EXPECT_EQ(::setrlimit(RLIMIT_NOFILE, &few), 0);
    listening_ = FileDescriptor(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    at_.sin_family = AF_INET;
    at_.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at_;
    EXPECT_EQ(::bind(listening_.get(), reinterpret_cast<sockaddr*>(&at_), size), 0);
    EXPECT_EQ(::listen(listening_.get(), 100), 0);
    EXPECT_EQ(::getsockname(listening_.get(), reinterpret_cast<sockaddr*>(&at_), &size), 0);
  }
  ~ConnectionLimitTest() override { ::setrlimit(RLIMIT_NOFILE, &before_); }

  // Connects one more client, and accepts it as ZeroMQ would.  False: it was not accepted.
  bool connect(const std::string& says = "") {
    clients.emplace_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    EXPECT_EQ(::connect(clients.back().get(), reinterpret_cast<sockaddr*>(&at_), sizeof at_), 0);
    EXPECT_EQ(::send(clients.back().get(), says.data(), says.size(), 0), static_cast<ssize_t>(says.size()));
    FileDescriptor accepted(::accept4(listening_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    const int why = errno;
    if (accepted.open()) return accepted_.push_back(std::move(accepted)), true;
    EXPECT_EQ(why, EAGAIN);
    return false;
  }
  bool is_closed(std::size_t client) {
    char byte = 0;
    return ::recv(clients[client].get(), &byte, 1, MSG_DONTWAIT) == 0;
  }

  std::vector<FileDescriptor> clients;

 private:
  struct rlimit before_ = {};
  FileDescriptor listening_;
  sockaddr_in at_ = {};
  std::vector<FileDescriptor> accepted_;
};

// A thousand silent connections took all descriptors, and a commit record could not be written.
TEST_F(ConnectionLimitTest, AQuarterOfTheDescriptorsIsReserved) {
  EXPECT_EQ(accepted_below(), 96);
  const std::uint64_t before = without_room();
  while (connect()) ASSERT_LT(clients.size(), 100U);
  EXPECT_TRUE(is_closed(clients.size() - 1)) << "and not left in the backlog, which would wake ZeroMQ again";
  EXPECT_FALSE(is_closed(0));
  EXPECT_EQ(without_room() - before, 1U);
  std::vector<FileDescriptor> files;
  for (int i = 0; i < 25; ++i) files.emplace_back(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  EXPECT_TRUE(files.back().open());
}

TEST_F(ConnectionLimitTest, ASilentConnectionMakesRoom) {
  close_silent_strangers(false);
  ASSERT_TRUE(connect(std::string(600, 'x'))) << "as long as a handshake";
  ASSERT_TRUE(connect("GET / HTTP/1.1"));
  ::usleep(1'100'000);
  while (connect()) ASSERT_LT(clients.size(), 100U);
  EXPECT_FALSE(is_closed(1)) << "without keys, a silent connection may be a peer's";
  close_silent_strangers(true);
  EXPECT_FALSE(connect());
  EXPECT_FALSE(is_closed(0));
  EXPECT_TRUE(is_closed(1));
  EXPECT_FALSE(is_closed(2)) << "it may be in the middle of its handshake";
}

}  // namespace
}  // namespace rota
