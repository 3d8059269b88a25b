// apps/kmeans/shard.h -- one shard's rows, and which cluster each is a member of.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "apps/kmeans/centres.h"
#include "apps/kmeans/rows.h"
#include "apps/kmeans/shared_centres.h"
#include "apps/kmeans/talk.h"
#include "rota/bytes.h"
#include "rota/random.h"

namespace rota::kmeans {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();  // the cluster of a row at first

class Shard {
 public:
  // `all` are the centres of the process.
  Shard(ShardId number, Rows rows, std::shared_ptr<SharedCentres> all);

  std::size_t size() const { return rows_.size(); }

  // Candidates for the next `count` starting centres, and the rows that won: those of the clusters `first`, ...
  Talk propose(std::uint32_t count, Random& random) const;
  void start(std::uint32_t first, const Talk& won);

  // All rows by the centres; made once for each object, for all that ask for it.
  const Assignment& assignment(const std::shared_ptr<const Centres>& centres) const;
  // Every row whose nearest centre is not that of its cluster goes over to it; so do those that were relocated.  Calls
  // change(row, from, to) for each, where `from` is kNone if the row was in no cluster yet.
  template <typename Change>
  void move(const std::shared_ptr<const Centres>& centres, Change change) {
    const std::vector<std::uint32_t>& nearest = assignment(centres).cluster;
    for (std::uint32_t r = 0; r < nearest.size(); ++r) {
      const auto relocated = relocated_.find(r);
      const std::uint32_t to = relocated == relocated_.end() ? nearest[r] : relocated->second;
      const std::uint32_t from = std::exchange(cluster_[r], to);
      if (from != to) change(rows_[r], from, to);
    }
  }

  // How many rows are to move, the inertia, and rows for clusters that are empty.
  Talk look(const std::shared_ptr<const Centres>& centres) const;
  // The rows that won go to the empty clusters, the farthest to the first, with the next move().
  void relocate(const Talk& won, const Centres& centres);

  void save(Writer& out) const;
  void restore(Reader& in);

 private:
  ShardId number_;
  Rows rows_;
  std::shared_ptr<SharedCentres> all_;
  std::vector<std::uint32_t> cluster_;                // of each row
  std::vector<double> weight_;                        // of each row in the next draw of a starting centre
  std::map<std::uint32_t, std::uint32_t> relocated_;  // row: cluster
  // Derived, and not saved.
  mutable std::shared_ptr<const Centres> assigned_to_;
  mutable Assignment assignment_;
};

}  // namespace rota::kmeans
