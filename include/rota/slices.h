// rota/slices.h -- the cut of the sliced table, and its slices.
#pragma once
#include <cstdint>
#include <vector>

#include "rota/bytes.h"
#include "rota/types.h"

namespace rota {

// The work that each row of the sliced table costs, over all shards: weight[key].
using Census = std::vector<std::uint64_t>;

// The cut: every key is in one slice, or is replicated.
struct Cut {
  std::vector<std::vector<Key>> slices;  // the keys of each slice, ascending
  std::vector<Key> replicated;           // rows too heavy to rotate, ascending: updated in shared rounds

  friend bool operator==(const Cut&, const Cut&) = default;
};

// The rows of one slice, in the plugin's own layout.  One holder at a time: it moves between the shards of a process as
// an object, and between processes as bytes.
class Slice {
 public:
  virtual ~Slice() = default;

  // Writes the rows.  Equal rows give equal bytes: the model's hash is taken over them.
  virtual void encode(Writer&) const = 0;
  // Fills a slice just made by App::slice.  The bytes may come from anywhere: if they are wrong, decode calls
  // Reader::fail, and the host refuses them.
  virtual void decode(Reader&) = 0;
};

}  // namespace rota
