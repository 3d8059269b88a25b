// core/rounds/gather.h -- collects the parts of rounds until all shards' are in.
#pragma once
#include <map>
#include <optional>
#include <vector>

#include "core/base/status.h"
#include "core/base/tree.h"
#include "core/rounds/sparse_rows.h"
#include "core/wire/message.h"

namespace rota {

class Gather {
 public:
  // Parts may overtake EXPECT of their round; those of at most this many rounds wait for it.
  static constexpr std::size_t kEarlyRoundsMost = 4096;

  explicit Gather(std::uint32_t shards) : shards_(shards) {}

  // A round that is to be committed, and how many numbers its rows' parts have; of an open round, how many a row's part
  // has, and of which keys rows may be.  Rounds come in ascending order.
  Status expect(const Expect& expect, std::size_t numbers, const KeyRange& range = {});
  // An error, the sender's fault, if the parts overlap others, have another size, are of other rows, or of a round long
  // done.
  Status add(const Parts& parts);

  struct Whole {
    Expect expect;
    std::vector<double> sum;   // row after row
    SparseRows open;           // of an open round, in place of it: of the rows that shards had parts for
    std::vector<Bytes> notes;  // by shard
  };
  // The earliest expected round, if it is whole; rounds are given out in their order.
  std::optional<Whole> take();

 private:
  struct Open {
    std::optional<Expect> expect;
    std::optional<std::size_t> bytes;  // of every part; known with the first of them, or once expected
    TreeSum sum;
    std::vector<Bytes> notes;
    // An open round has these in place of `sum`; `bytes` is that of a row's part, known with the first row.
    std::optional<bool> is_open;  // known with the first part, or once expected
    SparseTreeSum sparse;
    KeyRange range;  // which rows may be there; before it is expected, which there are
  };
  Status add_open(Open& one, const Parts& parts);
  Status add_notes(Open& one, const Parts& parts);
  Open& open(RoundId round) {
    return open_
        .try_emplace(round, Open{{}, {}, TreeSum(shards_), std::vector<Bytes>(shards_), {}, SparseTreeSum(shards_), {}})
        .first->second;
  }

  std::uint32_t shards_;
  RoundId taken_ = 0;
  std::map<RoundId, Open> open_;
};

}  // namespace rota
