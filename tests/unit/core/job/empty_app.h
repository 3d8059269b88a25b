// tests/unit/core/job/empty_app.h -- an app without shards, tables and a schedule, for tests that override some of it.
#pragma once

#include "rota/app.h"

namespace rota::tests {

struct EmptyApp : App {
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId>, Random&) override { return {}; }
  std::vector<Table> tables(const Facts&) const override { return {}; }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override { return nullptr; }
};

}  // namespace rota::tests
