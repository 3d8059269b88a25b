// apps/sgd/pull.h -- combines the shards' weights.
#pragma once
#include <cstdint>
#include <span>

#include "apps/sgd/settings.h"
#include "rota/pull.h"

namespace rota::sgd {

// before + change; 0 if the result is within the rounding of the numbers of that many shards.
double moved(double before, double change, double shards);

// The move of a row of the table by the shards' parts: see SgdPull.  `seen` is kSeenAfter of the round.
class RowMove {
 public:
  RowMove(const Settings& settings, std::uint32_t outputs) : settings_(settings), outputs_(outputs) {}

  // `sum` is that of the parts; its last number, above 0, is the number of shards.
  void operator()(Key key, std::span<double> row, std::span<const double> sum, double seen) const;

 private:
  Settings settings_;
  std::uint32_t outputs_;
};

// Every number of a feature's row moves by the mean of the moves of the shards that have the feature.  A weight of FTRL
// is computed from its z and n.
class SgdPull final : public Pull {
 public:
  SgdPull(const Settings& settings, std::uint32_t outputs) : settings_(settings), outputs_(outputs) {}

  void pull(const PullTask& task) override;
  void evaluate(TableId, Key key, std::span<const double> value, Terms terms) const override;

 private:
  Settings settings_;
  std::uint32_t outputs_;
};

}  // namespace rota::sgd
