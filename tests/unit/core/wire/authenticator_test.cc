// Which clients are accepted over tcp with keys, and the errors of the
// others.
#include "core/wire/authenticator.h"

#include "core/base/clock.h"
#include "core/wire/zmq_transport.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota::authenticator {
namespace {

constexpr std::size_t kBytesMax = std::size_t{1} << 20;
constexpr NodeId kWorker{Role::worker, 0};
constexpr Nanoseconds kLongest = 20 * kSecond;  // after which a wait fails
constexpr const char* kNothing = "no message arrived";

class AuthenticatorTest : public TemporaryFolder {
 protected:
  AuthenticatorTest() {
    for (const char* name : {"keys", "others"}) EXPECT_TRUE(make_keys(folder / name).ok());
    server = open(keys_of(Role::coordinator));
  }
  std::shared_ptr<const Keys> keys_of(Role role, const char* name = "keys") {
    return read_keys(folder / name, role).value();
  }
  static std::unique_ptr<ZmqTransport> open(std::shared_ptr<const Keys> keys) {
    const Listening at{.ipc = {}, .numbers = {"127.0.0.1"}, .port = 0, .advertised = {"127.0.0.1", 0}};
    return ZmqTransport::open(at, kBytesMax, std::move(keys)).value();
  }
  static Frames hello() { return {Bytes::from({std::byte{1}}), Bytes::from({std::byte{2}})}; }

  // Where the first message of a client with these keys came from; nothing, and why, if the client is rejected.
  std::optional<Origin> heard_of(ZmqTransport& client, NodeId server_is, std::string& why) {
    bool sent = false;
    const Nanoseconds end = now_ns() + kLongest;
    while (why.empty()) {
      if (now_ns() > end) why = kNothing;
      sent = sent || client.send(server_is, server->endpoint(), hello());
      server->wait(5);
      if (server->receive()) return server->origin();
      for (auto& [peer, reason] : client.wait(5).refused) why = peer == server_is ? reason : "another";
    }
    return std::nullopt;
  }
  // Why a client with these keys is rejected.  If one side closes the connection before the client has read the
  // server's greeting, ZeroMQ reports nothing and does not retry: then another client asks.
  std::string why_not(const std::shared_ptr<const Keys>& keys) {
    std::string why = kNothing;
    for (int tries = 0; tries < 5 && why == kNothing; ++tries) {
      why.clear();
      const auto client = open(keys);
      EXPECT_FALSE(heard_of(*client, kCoordinator, why).has_value());
    }
    return why;
  }
  // A message of an accepted client arrives after all that were sent before it.
  void expect_nothing_before_a_friend() {
    const auto client = open(keys_of(Role::worker));
    std::string why;
    const auto origin = heard_of(*client, kCoordinator, why);
    ASSERT_TRUE(origin.has_value()) << why;
    EXPECT_EQ(origin->key, Role::worker);
    EXPECT_FALSE(server->receive().has_value());
    EXPECT_EQ(server->dropped(), 0U);
  }

  std::unique_ptr<ZmqTransport> server;
};

TEST_F(AuthenticatorTest, EveryRoleIsAccepted) {
  for (const Role role : {Role::scheduler, Role::worker, Role::kvstore, Role::observer}) {
    const auto client = open(keys_of(role));
    std::string why;
    const auto origin = heard_of(*client, kCoordinator, why);
    ASSERT_TRUE(origin.has_value()) << why;
    EXPECT_EQ(origin->key, role);
  }
  EXPECT_EQ(server->rejected_connections().count, 0U);
}

TEST_F(AuthenticatorTest, AnAnswerGoesBackByTheSameConnection) {
  const auto client = ZmqTransport::open({}, kBytesMax, keys_of(Role::observer)).value();
  std::string why;
  const auto origin = heard_of(*client, kCoordinator, why);
  ASSERT_TRUE(origin.has_value()) << why;
  const Bytes text = Bytes::from(std::vector<std::byte>(100000, std::byte{7}));
  EXPECT_TRUE(server->send({Role::observer, 0}, origin->reply, {text}));
  std::optional<Frames> answer;
  while (!(answer = client->receive())) client->wait(5);
  ASSERT_EQ(answer->size(), 1U);
  EXPECT_EQ(answer->front().size(), text.size());
  EXPECT_FALSE(client->origin().key.has_value());
  EXPECT_TRUE(server->send({Role::observer, 0}, std::string(kReplyScheme) + "gone", {text}))
      << "the connection is closed";
}

TEST_F(AuthenticatorTest, AnUnknownKeyIsRejected) {
  // It has the coordinator's public key, and a key pair of its own.
  auto stranger = std::make_shared<Keys>(*keys_of(Role::worker, "others"));
  stranger->known[Role::coordinator] = keys_of(Role::worker)->known.at(Role::coordinator);
  const auto client = open(stranger);
  std::string why;
  EXPECT_FALSE(heard_of(*client, kCoordinator, why).has_value());
  EXPECT_EQ(why, "it does not know this key");
  EXPECT_GE(server->rejected_connections().count, 1U);
  EXPECT_EQ(server->rejected_connections().last, "an unknown key from 127.0.0.1");
  expect_nothing_before_a_friend();
}

TEST_F(AuthenticatorTest, ObserversConnectOnlyToTheCoordinator) {
  server = open(keys_of(Role::worker));
  const auto client = open(keys_of(Role::observer));
  std::string why;
  EXPECT_FALSE(heard_of(*client, kWorker, why).has_value());
  EXPECT_EQ(why, "it does not know this key");
}

TEST_F(AuthenticatorTest, AClientWithoutAKeyIsRejected) {
  EXPECT_EQ(why_not(nullptr), "only one side has keys");
  while (server->rejected_connections().count == 0) server->wait(5);
  EXPECT_EQ(server->rejected_connections().last, "somebody without a key");
  expect_nothing_before_a_friend();
}

TEST_F(AuthenticatorTest, NoMessageIsSentToAServerWithoutKeys) {
  server = open(nullptr);
  EXPECT_EQ(why_not(keys_of(Role::worker)), "only one side has keys");
}

}  // namespace
}  // namespace rota::authenticator
