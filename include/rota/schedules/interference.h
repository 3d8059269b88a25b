// rota/schedules/interference.h -- which rows must not change at once: the dependency test that a plugin gives to a
// schedule.
#pragma once
#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

#include "rota/types.h"

namespace rota {

// Tracks the busy rows: those of the round that is being built, and those of earlier rounds whose change a push of that
// round does not see.  An implementation can keep an index of them, for example by the data items that they touch, to
// find what a row interferes with without a test of every pair.
class Interference {
 public:
  virtual ~Interference() = default;

  // `key` becomes busy; is no longer busy.
  virtual void enter(Key key) = 0;
  virtual void leave(Key key) = 0;
  // Appends the busy rows that interfere with `key`, each once, in any order.  `key` is not busy.
  virtual void find(Key key, std::vector<Key>& found) = 0;
};

// The simplest one: tests each pair of the row and a busy row.
class PairInterference final : public Interference {
 public:
  explicit PairInterference(std::function<bool(Key, Key)> test) : test_(std::move(test)) {}

  void enter(Key key) override { busy_.push_back(key); }
  void leave(Key key) override { busy_.erase(std::find(busy_.begin(), busy_.end(), key)); }
  void find(Key key, std::vector<Key>& found) override {
    for (const Key other : busy_)
      if (test_(key, other)) found.push_back(other);
  }

 private:
  std::function<bool(Key, Key)> test_;
  std::vector<Key> busy_;
};

}  // namespace rota
