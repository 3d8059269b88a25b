#include "core/job/tables.h"
#include "rota/exchange/dataflows.h"
#include "tests/unit/core/job/empty_app.h"

namespace rota {
namespace {

class FlowsApp final : public tests::EmptyApp {
 public:
  explicit FlowsApp(std::vector<Dataflow> flows) : flows_(std::move(flows)) {}
  std::vector<Dataflow> dataflows(const Facts&) const override { return flows_; }

 private:
  std::vector<Dataflow> flows_;
};

std::vector<Routes> routes(std::vector<Dataflow> flows, std::uint32_t shards) {
  return routes_of(FlowsApp(std::move(flows)), Facts(), shards);
}

std::string refusal(Dataflow flow, std::uint32_t shards) {
  try {
    routes({all_dataflow(shards), std::move(flow)}, shards);
  } catch (const std::runtime_error& error) {
    return error.what();
  }
  return "";
}

TEST(Routes, SendersAreTheOtherEndsOfReceivers) {
  const auto all = routes({{{{{1, 2}, {}, {1}}, {{}, {0}, {0}}}}, all_dataflow(3)}, 3);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].steps(), 2U);
  EXPECT_EQ(all[0].senders[0], (Routes::OfShards{{}, {0, 2}, {0}}));
  EXPECT_EQ(all[0].senders[1], (Routes::OfShards{{1, 2}, {}, {}}));
  EXPECT_EQ(all[1].senders[0], all[1].receivers[0]);
}

TEST(Routes, AnInvalidDataflowIsRefused) {
  EXPECT_EQ(refusal({}, 2), "dataflow 1 has no step");
  EXPECT_EQ(refusal({{{{1}}}}, 2), "dataflow 1, step 0: receivers for 1 of 2 shards");
  EXPECT_EQ(refusal({{{{}, {}}, {{2}, {}}}}, 2), "dataflow 1, step 1: shard 0 cannot send to 2: receivers must ascend");
  EXPECT_NE(refusal({{{{0}, {}}}}, 2), "") << "to itself";
  EXPECT_NE(refusal({{{{1, 1}, {}}}}, 2), "") << "twice";
  EXPECT_NE(refusal({{{{2, 1}, {}, {}}}}, 3), "") << "in another order";
}

}  // namespace
}  // namespace rota
