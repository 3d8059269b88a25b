// core/base/rate_limit.h -- a burst, and then a fixed rate: limits log lines that an unknown peer could cause.
#pragma once
#include <algorithm>
#include <cstdint>

#include "core/base/clock.h"

namespace rota {

class RateLimit {
 public:
  // `most` at once; one more after every `span`.
  RateLimit(std::uint64_t most, Nanoseconds span) : most_(most), span_(span), left_(most) {}

  bool allows(Nanoseconds now) {
    const auto spans = static_cast<std::uint64_t>(std::max<Nanoseconds>(0, now - since_) / span_);
    since_ = left_ + spans >= most_ ? now : since_ + static_cast<Nanoseconds>(spans) * span_;
    left_ = std::min(most_, left_ + spans);
    if (left_ == 0) return false;
    --left_;
    return true;
  }

 private:
  std::uint64_t most_;
  Nanoseconds span_;
  std::uint64_t left_;
  Nanoseconds since_ = 0;
};

}  // namespace rota
