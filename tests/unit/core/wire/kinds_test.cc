#include "core/wire/message.h"

namespace rota {
namespace {

constexpr Role kAll[] = {Role::coordinator, Role::scheduler, Role::worker,
                         Role::kvstore,     Role::partition, Role::observer};

// A store could make another one overwrite its checkpoints, by a SAVE of a committed epoch.
TEST(Kinds, OnlyTheCoordinatorSendsItsDecisions) {
  for (const Kind kind : {Kind::welcome, Kind::refuse, Kind::read_ahead, Kind::facts, Kind::start, Kind::tasks,
                          Kind::expect, Kind::epoch_over, Kind::evaluate, Kind::save, Kind::status})
    for (const Role from : kAll)
      for (const Role to : kAll) EXPECT_EQ(may_send(kind, from, to), from == Role::coordinator) << kind_name(kind);
  for (const Role from : kAll)
    EXPECT_EQ(may_send(Kind::stop, from, Role::worker), from == Role::coordinator) << role_name(from);
}

TEST(Kinds, OthersSendOnlyForTheirRoles) {
  EXPECT_TRUE(may_send(Kind::written, Role::partition, Role::coordinator));
  EXPECT_FALSE(may_send(Kind::written, Role::worker, Role::coordinator));
  EXPECT_FALSE(may_send(Kind::written, Role::kvstore, Role::coordinator)) << "the process that hosts it";
  EXPECT_TRUE(may_send(Kind::deltas, Role::partition, Role::worker));
  EXPECT_FALSE(may_send(Kind::deltas, Role::scheduler, Role::worker));
  EXPECT_TRUE(may_send(Kind::lease, Role::worker, Role::worker));
  EXPECT_FALSE(may_send(Kind::lease, Role::scheduler, Role::worker));
  EXPECT_TRUE(may_send(Kind::put, Role::scheduler, Role::partition));
  EXPECT_FALSE(may_send(Kind::put, Role::partition, Role::partition));
  EXPECT_TRUE(may_send(Kind::rounds, Role::scheduler, Role::coordinator));
  EXPECT_FALSE(may_send(Kind::rounds, Role::worker, Role::coordinator));
}

TEST(Kinds, AnObserverOnlyAsks) {
  for (const auto kind : {Kind::hello, Kind::beat, Kind::fault, Kind::stop, Kind::ready})
    EXPECT_FALSE(may_send(kind, Role::observer, Role::coordinator)) << kind_name(kind);
  EXPECT_TRUE(may_send(Kind::ask_status, Role::observer, Role::coordinator));
}

}  // namespace
}  // namespace rota
