#include "cli/remote/agent_messages.h"
#include "core/base/json_text.h"
#include "tests/unit/core/base/temporary_folder.h"

namespace rota {
namespace {

RoleStart some_start() {
  return {{"worker", 3, {}, "tcp://10.0.0.1:7000", {"--v=1"}, true, ""},
          "/runs/\xff one",
          "--app=lda\n--input=\xfe\n",
          {{"worker.secret", "s"}, {"coordinator.public", "p"}},
          "0123456789abcdef fedcba9876543210"};
}

TEST(RoleStart, ComesOutAsItWentIn) {
  const RoleStart start = some_start();
  const auto message = nlohmann::json::parse(json_text(json_of(start)));
  const auto again = role_start_of(message);
  ASSERT_TRUE(again.ok()) << again.status().what();
  EXPECT_EQ(again->process.name(), "worker-3");
  EXPECT_TRUE(again->process.resume);
  EXPECT_EQ(again->process.coordinator, start.process.coordinator);
  EXPECT_EQ(again->run, start.run);
  EXPECT_EQ(again->flags, start.flags);
  EXPECT_EQ(again->keys, start.keys);
  EXPECT_EQ(again->process.log_flags, start.process.log_flags);
  EXPECT_EQ(again->place, start.place);
}

TEST(RoleStart, IsRefusedWithAnythingElse) {
  const auto refused = [](const char* field, const nlohmann::json& value) {
    auto message = json_of(some_start());
    message[field] = value;
    const auto start = role_start_of(message);
    return !start.ok() && start.status().code() == ExitCode::bad_data;
  };
  EXPECT_TRUE(refused("role", "coordinator")) << "it runs only where `rota train` does, with its secret";
  const std::vector<std::pair<const char*, nlohmann::json>> wrong = {{"role", "../../bin/sh"},
                                                                     {"role", 7},
                                                                     {"index", -1},
                                                                     {"index", 1e300},
                                                                     {"index", nullptr},
                                                                     {"resume", "yes"},
                                                                     {"joins", "new"},
                                                                     {"coordinator", ""},
                                                                     {"coordinator", std::string("a\0b", 3)},
                                                                     {"run", "runs/one"},
                                                                     {"flags", 7},
                                                                     {"keys", nullptr},
                                                                     {"place", ""},
                                                                     {"place", "../../../../../x 0123456789abcdef"},
                                                                     {"place", nullptr}};
  for (const auto& [field, value] : wrong) EXPECT_TRUE(refused(field, value)) << field << " " << value;
  for (const char* file :
       {"coordinator.secret", "scheduler.secret", "../worker.secret", "x.public", "/etc/worker.public"})
    EXPECT_TRUE(refused("keys", {{file, "s"}})) << file;
  EXPECT_TRUE(refused("keys", {{"worker.secret", 7}}));
  EXPECT_TRUE(refused("log_flags", {"v=1"}));
  EXPECT_TRUE(refused("log_flags", "--v=1"));
  for (const char* field : {"role", "index", "resume", "joins", "coordinator", "run", "flags", "keys", "log_flags"}) {
    auto message = json_of(some_start());
    message.erase(field);
    EXPECT_FALSE(role_start_of(message).ok()) << field;
  }
}

using KeysOfARole = TemporaryFolder;

TEST_F(KeysOfARole, AreItsOwnSecretAndWhatIsPublic) {
  for (const char* role : {"coordinator", "scheduler", "worker", "kvstore", "observer"})
    for (const char* kind : {"secret", "public"}) write(std::string(role) + "." + kind, std::string(role) + kind);
  write("notes.public", "none");
  const auto keys = keys_of("worker", folder);
  ASSERT_TRUE(keys.ok()) << keys.status().what();
  EXPECT_EQ(keys->size(), 6u);
  EXPECT_EQ(keys->at("worker.secret"), "workersecret");
  EXPECT_EQ(keys->at("coordinator.public"), "coordinatorpublic");
  EXPECT_FALSE(keys->contains("coordinator.secret"));
  const auto none = keys_of("worker", {});
  ASSERT_TRUE(none.ok());
  EXPECT_TRUE(none->empty());
  EXPECT_EQ(keys_of("worker", folder / "nothing").status().code(), ExitCode::no_input);
}

}  // namespace
}  // namespace rota
