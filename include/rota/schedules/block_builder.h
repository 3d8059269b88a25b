// rota/schedules/block_builder.h -- builds a round of rows some of which interfere: these are put into a block, or
// refused.
#pragma once
#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "rota/round.h"
#include "rota/schedules/interference.h"

namespace rota {

// What happens to a row that interferes with another of its round.
enum class OnConflict {
  group,     // both are in one block: they change one after the other (structure-aware scheduling)
  drop,      // the later one is refused (the STRADS paper, section 3.3)
  together,  // nothing is tested, and all rows of a round are one block; when it is full, more are refused
  ignore,    // nothing is tested, and all rows change at once
};

// The blocks of a round are the connected components of its rows under interference: rows of different blocks never
// interfere.  Nor do they interfere with rows of the last `unseen` rounds, whose changes a push of this round does not
// see: a block cannot correct for those, so such a row is always refused.
class BlockBuilder {
 public:
  // `interference` may be null: then nothing interferes.
  BlockBuilder(OnConflict on_conflict, std::uint32_t largest_block, std::uint32_t unseen,
               std::unique_ptr<Interference> interference)
      : on_conflict_(on_conflict),
        largest_block_(std::max<std::uint32_t>(largest_block, 1)),
        unseen_(unseen),
        interference_(on_conflict == OnConflict::group || on_conflict == OnConflict::drop ? std::move(interference)
                                                                                          : nullptr) {}

  // Adds a row to the round.  False if it is refused.  REQUIRES a row that is not in this round, nor in an unseen one.
  bool add(Key key) {
    std::vector<std::size_t> roots;  // of the blocks that `key` would join
    if (interference_ && !find_blocks(key, roots)) return false;
    if (on_conflict_ == OnConflict::together && !block_.empty()) roots.push_back(0);
    std::uint32_t size = 1;
    for (const std::size_t root : roots) size += block_[root].size;
    if (size > largest_block_) return false;
    const std::size_t at = block_.size();
    // A block's root is its first row.
    const std::size_t root = roots.empty() ? at : *std::min_element(roots.begin(), roots.end());
    block_.push_back({key, root, size});
    for (const std::size_t each : roots) block_[each].parent = root;
    block_[root].size = size;
    if (!interference_) return true;
    place_.emplace(key, at);
    interference_->enter(key);
    return true;
  }

  std::size_t size() const { return block_.size(); }

  struct Shape {
    std::uint64_t blocks = 0, grouped = 0, largest = 0;  // grouped: rows that are not alone in their block
  };
  // Ends the round: writes its rows, block by block in the order of their first rows, and within a block in the order
  // in which they were added.
  Shape finish(Round& round) {
    Shape shape;
    std::vector<std::size_t> next(block_.size());  // of a root: where the block's next row goes
    for (std::size_t at = 0, end = 0; at < block_.size(); ++at) {
      if (block_[at].parent != at) continue;
      const std::uint32_t size = block_[at].size;
      next[at] = end;
      end += size;
      round.blocks.push_back(size);
      if (size > 1) shape.grouped += size;
      shape.largest = std::max<std::uint64_t>(shape.largest, size);
    }
    shape.blocks = round.blocks.size();
    if (shape.largest <= 1) round.blocks.clear();
    round.shared.resize(block_.size());
    for (std::size_t at = 0; at < block_.size(); ++at) round.shared[next[root_of(at)]++] = block_[at].key;
    if (interference_) unseen_rounds_.push_back(round.shared);
    block_.clear();
    place_.clear();
    keep_unseen(unseen_);
    return shape;
  }

  // Of the rounds made so far, all but the last few are seen by now.
  void keep_unseen(std::size_t rounds) {
    while (unseen_rounds_.size() > rounds) forget_oldest();
  }

 private:
  struct Row {
    Key key;
    std::size_t parent;  // another row of the block, nearer to its root; its own place if it is the root
    std::uint32_t size;  // of the block, in its root
  };

  // False if `key` interferes with what it cannot be in a block with.
  bool find_blocks(Key key, std::vector<std::size_t>& roots) {
    found_.clear();
    interference_->find(key, found_);
    for (const Key other : found_) {
      const auto place = place_.find(other);
      if (place == place_.end() || on_conflict_ == OnConflict::drop) return false;
      const std::size_t root = root_of(place->second);
      if (std::find(roots.begin(), roots.end(), root) == roots.end()) roots.push_back(root);
    }
    return true;
  }

  std::size_t root_of(std::size_t at) {
    while (block_[at].parent != at) {
      block_[at].parent = block_[block_[at].parent].parent;
      at = block_[at].parent;
    }
    return at;
  }

  void forget_oldest() {
    for (const Key key : unseen_rounds_.front()) interference_->leave(key);
    unseen_rounds_.pop_front();
  }

  OnConflict on_conflict_;
  std::uint32_t largest_block_, unseen_;
  std::unique_ptr<Interference> interference_;
  std::vector<Row> block_;                      // of the round that is being made, in the order added
  std::unordered_map<Key, std::size_t> place_;  // of a row in block_
  std::vector<Key> found_;
  std::deque<std::vector<Key>> unseen_rounds_;  // the oldest first
};

}  // namespace rota
