// rota/numerics/item_order.h -- the items of a shard in random order.
#pragma once
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "rota/random.h"
#include "rota/types.h"

namespace rota {

// 0 .. count-1 in random order (Fisher and Yates); std::shuffle gives another one with another standard library.
inline std::vector<std::size_t> random_order(std::size_t count, Random& random) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = count; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

// An order of its own in each epoch, in equal shares for the epoch's rounds.  An epoch begins with a new order, so
// there is nothing to save.
class ItemOrder {
 public:
  ItemOrder(std::size_t items, std::size_t rounds) : items_(items), rounds_(rounds) {}

  // Those of the next round; `random` is that of the push.
  std::span<const std::size_t> next(Epoch epoch, Random& random) {
    if (epoch != epoch_) {
      epoch_ = epoch;
      round_ = 0;
      order_ = random_order(items_, random);
    }
    const std::size_t begin = items_ * round_ / rounds_, end = items_ * (round_ + 1) / rounds_;
    ++round_;
    return std::span(order_).subspan(begin, end - begin);
  }

 private:
  std::size_t items_, rounds_;
  std::vector<std::size_t> order_;
  Epoch epoch_ = 0;        // of the order
  std::size_t round_ = 0;  // of the epoch
};

}  // namespace rota
