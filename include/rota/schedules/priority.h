// rota/schedules/priority.h -- the schedule of the STRADS paper: rows that changed most are drawn most often, and rows
// that interfere do not change at once.
//
// A row is drawn with probability in proportion to |its last change|^2 + eta (Lee et al., NIPS 2014, section 3.3), or,
// for a share of the draws, uniformly, so that no row starves while a few change much.  Rows in flight - chosen,
// without feedback yet - are not drawn.  More candidates are drawn than needed, since some will be refused
// (rota/schedules/block_builder.h).  A draw and a feedback cost O(log rows), and a test the cost of the plugin's
// Interference: no round looks at all rows.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "rota/numerics/weighted_draw.h"
#include "rota/schedule.h"
#include "rota/schedules/block_builder.h"
#include "rota/schedules/interference.h"

namespace rota {

class PrioritySchedule : public Schedule {
 public:
  struct Config {
    TableId table = 0;
    Key first = 0, end = 0;       // the rows to choose from
    std::uint32_t batch = 1;      // rows wanted in a round; bounded, so that `pipeline` rounds of them fit in the range
    std::uint32_t rounds = 0;     // in an epoch; 0: as many as make a draw for every row
    std::uint32_t staleness = 0;  // of the job: a push does not see the changes of that number of rounds
    std::uint32_t pipeline = 0;   // rounds in flight at most; 0: staleness + 2
    double eta = 1e-8;            // in the units of a squared change
    double uniform_share = 0.1;   // of the draws
    bool in_turn = false;         // that share is not drawn, but takes the rows one after the other
    double oversampling = 2;      // the most candidates drawn for each row wanted, >= 1
    OnConflict on_conflict = OnConflict::group;
    std::uint32_t largest_block = 256;
  };

  // `interference` may be null: no rows interfere.
  PrioritySchedule(const Config& config, std::unique_ptr<Interference> interference)
      : config_(config),
        keys_(config.end - config.first),
        blocks_(config.on_conflict, config.largest_block, config.staleness, std::move(interference)),
        weight_(keys_),
        taken_(keys_),
        free_(keys_) {
    if (config_.pipeline == 0) config_.pipeline = config_.staleness + 2;
    set_batch(config.batch);
    set_weights(std::vector<double>(keys_));
  }

  // A row becomes free at its feedback, which must not come before pushes see its change: at least staleness + 1.  Set
  // Config::pipeline to the user's wish too, because it bounds the batch.
  std::uint32_t pipeline(std::uint32_t wish) const override {
    return std::max(wish > 0 ? wish : config_.pipeline, config_.staleness + 1);
  }

  // The round is smaller than the batch if too few candidates are free or fit together.  It has at least one row if one
  // is free that does not interfere with unseen rounds.
  Round next(Random& random) override {
    Round round;
    round.table = config_.table;
    refused_.clear();
    const std::size_t wanted = std::min<std::size_t>(batch_, free_);
    auto tries = static_cast<std::size_t>(std::ceil(static_cast<double>(wanted) * config_.oversampling));
    for (; blocks_.size() < wanted && free_ > 0 && tries > 0; --tries) {
      const std::size_t at = candidate(random);
      const double weight = weight_.weight(at);
      take(at);
      if (!blocks_.add(config_.first + at)) refused_.push_back({at, weight});
    }
    for (const auto& [at, weight] : refused_) {
      free(at, weight);
      if (config_.in_turn) waiting_.push_back(at);
    }
    const BlockBuilder::Shape shape = blocks_.finish(round);
    count(round, shape);
    round.ends_epoch = ++round_ >= rounds();
    if (round.ends_epoch) round_ = 0;
    ++in_flight_;
    return round;
  }

  void feedback(const Commit& commit) override {
    for (std::size_t i = 0; i < commit.deltas.size(); ++i) {
      double square = 0;
      for (const double change : commit.deltas[i].change) square += change * change;
      free(commit.deltas[i].key - config_.first, weight_of(square));
    }
    blocks_.keep_unseen(--in_flight_);  // a round with feedback is seen: see pipeline()
  }

  // Sets the squared last change of every row of the range, in O(rows).
  void set_weights(std::span<const double> squares) {
    std::vector<double> weights(squares.begin(), squares.end());
    for (double& weight : weights) weight = weight_of(weight);
    for (std::size_t at = 0; at < keys_; ++at)
      if (taken_[at]) weights[at] = 0;
    weight_.set_all(weights);
  }
  void set_eta(double eta) { config_.eta = eta; }
  void set_batch(std::uint32_t batch) {
    batch_ = std::max<std::size_t>(std::min<std::size_t>(batch, keys_ / config_.pipeline), 1);
  }

  std::vector<Figure> figures() override {
    const double rounds = std::max(counts_.rounds, 1.0);
    std::vector<Figure> figures = {{"rounds", counts_.rounds},
                                   {"drawn", counts_.drawn},
                                   {"kept", counts_.kept},
                                   {"grouped", counts_.grouped},
                                   {"rejected", counts_.rejected},
                                   {"blocks", counts_.blocks},
                                   {"largest_block", counts_.largest},
                                   {"staleness", counts_.in_flight / rounds}};
    counts_ = {};
    return figures;
  }

  void state(Archive& list) override {
    std::vector<double> weights(weight_.weights().begin(), weight_.weights().end());
    std::vector<std::size_t> waiting(waiting_.begin(), waiting_.end());
    list(config_.eta, weights, turn_, waiting);
    const auto is_weight = [](double weight) { return weight >= 0 && weight <= kMostWeight; };
    const auto is_key = [&](std::size_t at) { return at < std::max<std::size_t>(keys_, 1); };
    list.check(weights.size() == keys_ && is_weight(config_.eta) && std::ranges::all_of(weights, is_weight) &&
               is_key(turn_) && std::ranges::all_of(waiting, is_key));
    if (!list.reads() || !list.ok()) return;
    weight_.set_all(weights);
    waiting_.assign(waiting.begin(), waiting.end());
  }

 private:
  // Keeps sums finite even if a plugin diverges.
  static constexpr double kMostWeight = 1e200;

  struct Refused {
    std::size_t at;
    double weight;
  };
  struct Counts {
    double rounds = 0, drawn = 0, kept = 0, grouped = 0, rejected = 0, blocks = 0, largest = 0, in_flight = 0;
  };

  std::uint64_t rounds() const { return config_.rounds > 0 ? config_.rounds : (keys_ + batch_ - 1) / batch_; }

  double weight_of(double square) const {
    const double weight = square + config_.eta;
    return weight < kMostWeight ? weight : kMostWeight;  // and if it is not a number
  }

  // A free row.  REQUIRES that there is one.
  std::size_t candidate(Random& random) {
    const bool uniform = random.uniform() < config_.uniform_share;
    if (!uniform && weight_.total() > 0) return weight_.draw(random.uniform());
    while (!waiting_.empty()) {
      const std::size_t at = waiting_.front();
      waiting_.pop_front();
      if (!taken_[at]) return at;
    }
    std::size_t at = config_.in_turn ? turn_ : random.below(keys_);
    while (taken_[at]) at = after(at);  // at most as many steps as rows are taken
    if (config_.in_turn) turn_ = after(at);
    return at;
  }

  std::size_t after(std::size_t at) const { return at + 1 < keys_ ? at + 1 : 0; }

  void take(std::size_t at) {
    weight_.set(at, 0);
    taken_[at] = true;
    --free_;
  }
  void free(std::size_t at, double weight) {
    weight_.set(at, weight);
    taken_[at] = false;
    ++free_;
  }

  void count(const Round& round, const BlockBuilder::Shape& shape) {
    counts_.rounds += 1;
    counts_.kept += static_cast<double>(round.shared.size());
    counts_.rejected += static_cast<double>(refused_.size());
    counts_.drawn += static_cast<double>(round.shared.size() + refused_.size());
    counts_.grouped += static_cast<double>(shape.grouped);
    counts_.blocks += static_cast<double>(shape.blocks);
    counts_.largest = std::max(counts_.largest, static_cast<double>(shape.largest));
    counts_.in_flight += static_cast<double>(in_flight_);
  }

  Config config_;
  std::size_t keys_, batch_ = 1;
  BlockBuilder blocks_;
  WeightedDraw weight_;      // of the free rows; 0 for the others
  std::vector<bool> taken_;  // in flight, or a candidate of the round that is being made
  std::size_t free_;         // rows that are not taken
  std::vector<Refused> refused_;
  std::uint64_t in_flight_ = 0;      // rounds
  std::size_t turn_ = 0;             // whose turn it is
  std::deque<std::size_t> waiting_;  // rows that were refused in their turn: they come first
  std::uint64_t round_ = 0;          // of the epoch
  Counts counts_;
};

}  // namespace rota
