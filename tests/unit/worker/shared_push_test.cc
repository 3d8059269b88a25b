#include "core/rounds/views.h"
#include "tests/unit/core/wire/round_messages.h"
#include "worker/shared_rounds.h"

namespace rota {
namespace {

using tests::rows_of;
using tests::text_of;

class Playing final : public SharedPush {
 public:
  explicit Playing(std::function<void(const SharedTask&)> play) : play_(std::move(play)) {}
  std::uint64_t items() const override { return 1; }
  std::uint64_t push(const SharedTask& task, Random&) override {
    play_(task);
    return 7;
  }

 private:
  std::function<void(const SharedTask&)> play_;
};

Table table(bool dense, bool single_partition = false) {
  Table table{"rows", Table::Kind::shared, 10, 1, 2, 0, single_partition};
  table.dense = dense;
  return table;
}

Status run(RoundPush& work, std::function<void(const SharedTask&)> play) {
  Playing push(std::move(play));
  return work.run("app", "round 3, shard 1", 1, push);
}

TEST(RoundPush, ShowsCopiesOfRowsAndHasTheirParts) {
  const Table apart = table(false);
  RoundPush work{.task = Task(),
                 .rows = rows_of(3, {8, 2}),
                 .table = apart,
                 .values = std::make_shared<const std::vector<double>>(std::initializer_list<double>{80, 20})};
  const Status status = run(work, [](const SharedTask& task) {
    for (const Entry& entry : task.entries) entry.part[1] = entry.value[0];
    for (const Entry& entry : task.entries) EXPECT_EQ(task.parts[entry.key].data(), entry.part.data());
    EXPECT_THROW(task.parts[0], std::out_of_range) << "the round does not name it";
  });
  ASSERT_TRUE(status.ok()) << status.what();
  EXPECT_EQ(work.parts, (std::vector<double>{0, 80, 0, 20}));
  EXPECT_EQ(work.offsets, (std::vector<std::size_t>{0, 2, 4}));
  EXPECT_EQ(work.items, 7U);
}

TEST(RoundPush, RowsOfADenseTableAreThoseOfItsView) {
  const Table dense = table(true);
  Views views({dense});
  views.restore(tests::deltas_of(0, {2}, {20}));
  RoundPush work{.task = Task(), .rows = rows_of(3, {8, 2}), .table = dense, .view = &views.tables()[0]};
  ASSERT_TRUE(run(work, [&](const SharedTask& task) {
                EXPECT_EQ(task.entries[0].value[0], 0);
                EXPECT_EQ(task.entries[1].value.data(), views.tables()[0].row(2).data());
              }).ok());
}

TEST(RoundPush, AnOpenRoundHasThePartsThatWereAskedFor) {
  const Table dense = table(true);
  ScratchPool pool;
  SharedRows rows = rows_of(3, {});
  rows.open = true;
  RoundPush work{.task = Task(), .rows = rows, .table = dense, .scratch = &pool};
  ASSERT_TRUE(run(work, [](const SharedTask& task) {
                EXPECT_TRUE(task.entries.empty());
                task.note.append("x", 1);
                task.parts[9][0] = 1;
                task.parts[3][1] = 2;
              }).ok());
  EXPECT_EQ(work.open_parts.runs(), (std::vector<KeyRun>{{3, 1}, {9, 1}}));
  EXPECT_EQ(work.open_parts.joined(), (std::vector<double>{0, 2, 1, 0}));
  EXPECT_EQ(text_of(work.note), "x");
}

TEST(RoundPush, ErrorsOfPluginsAreNamed) {
  const Table dense = table(true), together = table(false, true);
  const auto why = [&](const Table& of, std::function<void(const SharedTask&)> play) {
    RoundPush work{.task = Task(), .rows = rows_of(3, {}), .table = of};
    ScratchPool pool;
    if (of.dense) work.scratch = &pool;
    const Status status = run(work, std::move(play));
    EXPECT_EQ(status.code(), ExitCode::failed);
    return status.what();
  };
  EXPECT_NE(why(dense, [](const SharedTask& task) { task.parts[10]; }).find("a part of row 10 of a table of 10 rows"),
            std::string::npos);
  EXPECT_EQ(why(dense, [](const SharedTask& task) { task.parts[1][0] = std::numeric_limits<double>::infinity(); }),
            "plugin app, Push::push, round 3, shard 1: a part is not a finite number");
  EXPECT_EQ(why(dense, [](const SharedTask& task) { task.note.put_text("x"); }),
            "plugin app, Push::push, round 3, shard 1: a note, and the table spans partitions");
  RoundPush work{.task = Task(), .rows = rows_of(3, {}), .table = together};
  ASSERT_TRUE(run(work, [](const SharedTask& task) { task.note.append("x", 1); }).ok());
  EXPECT_EQ(text_of(work.note), "x");
}

}  // namespace
}  // namespace rota
