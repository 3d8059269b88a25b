// apps/lda/held_out/early_stop.h -- when the scores of the held-out documents say that training has gone far enough.
//
// The scheduler and every shard hear the same scores and apply this rule each for itself.
#pragma once
#include <cstdint>

#include "rota/bytes.h"

namespace rota::lda {

// The row of the table of scores.
struct HeldOutScore {
  double log_probability = 0;  // of the hidden tokens
  double tokens = 0;           // their number

  // 0 without tokens.
  double log_per_token() const { return tokens > 0 ? log_probability / tokens : 0; }
};

class EarlyStop {
 public:
  // Ends after `patience` scores without a better one; 0: never.
  explicit EarlyStop(std::uint32_t patience) : patience_(patience) {}

  // Takes the next score, and tells whether it is the best so far.
  bool add(const HeldOutScore& score);
  bool over() const { return patience_ > 0 && since_best_ >= patience_; }
  // The best score's logarithm for each token; 0 before the first.
  double best() const { return best_; }
  std::uint32_t scores() const { return scores_; }
  std::uint32_t since_best() const { return since_best_; }

  // Goes on where `other` is.
  void take(const EarlyStop& other) {
    scores_ = other.scores_;
    since_best_ = other.since_best_;
    best_ = other.best_;
  }
  void save(Writer& out) const;
  void restore(Reader& in);

 private:
  std::uint32_t patience_;
  std::uint32_t scores_ = 0, since_best_ = 0;
  double best_ = 0;
};

}  // namespace rota::lda
