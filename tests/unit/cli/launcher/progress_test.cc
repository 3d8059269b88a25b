#include "cli/launcher/progress.h"

namespace rota {
namespace {

nlohmann::json epoch() {
  return {{"event", "epoch"},
          {"epoch", 3},
          {"epochs", 20},
          {"objective", -3901234.5},
          {"per_item", -8.341},
          {"seconds", 1.2},
          {"items_per_second", 11234567.0},
          {"items_unit", "tokens"},
          {"workers", 2}};
}

TEST(Progress, ALineForEachEpoch) {
  EXPECT_EQ(epoch_line(epoch()),
            "epoch 3/20  objective -3901234.5 (-8.341 per item)  1.20 s  11.2M tokens/s  2 workers  6.8 s left");
  EXPECT_EQ(epoch_line(epoch(), true), "[#.........] 3/20  -8.341/item  1.20 s  11.2M tokens/s  2 workers  6.8 s left");
}

TEST(Progress, WhatARecordDoesNotSayIsLeftOut) {
  nlohmann::json record = epoch();
  for (const char* field : {"epochs", "objective", "per_item", "items_unit"}) record.erase(field);
  EXPECT_EQ(epoch_line(record), "epoch 3  1.20 s  11.2M items/s  2 workers");
  EXPECT_EQ(epoch_line(record, true), "epoch 3  1.20 s  11.2M items/s  2 workers");
  record["valid"] = 0.25;
  record["objective"] = 12;
  EXPECT_EQ(epoch_line(record), "epoch 3  objective 12  valid 0.25  1.20 s  11.2M items/s  2 workers");
}

TEST(Progress, TheLastEpochLeavesNothing) {
  nlohmann::json record = epoch();
  record["epoch"] = 20;
  EXPECT_EQ(epoch_line(record, true), "[##########] 20/20  -8.341/item  1.20 s  11.2M tokens/s  2 workers");
}

TEST(Progress, NumbersAreShort) {
  EXPECT_EQ(short_number(0), "0");
  EXPECT_EQ(short_number(999), "999");
  EXPECT_EQ(short_number(999.7), "1k");
  EXPECT_EQ(short_number(1234567), "1.23M");
  EXPECT_EQ(short_number(-45.678), "-45.7");
  EXPECT_EQ(short_number(2e15), "2e+03T");
}

}  // namespace
}  // namespace rota
