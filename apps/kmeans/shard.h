// apps/kmeans/shard.h -- one shard's rows, and the cluster of each.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "apps/kmeans/centres.h"
#include "apps/kmeans/progress.h"
#include "apps/kmeans/rows.h"
#include "apps/kmeans/shared_centres.h"
#include "apps/kmeans/talk.h"
#include "rota/bytes.h"
#include "rota/random.h"

namespace rota::kmeans {

inline constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();  // the initial cluster of a row

// The saved state of a shard.  Numbers are of each of its rows, in their order.
struct ShardState {
  std::vector<std::uint32_t> nearest;  // centre, and the squared distance to it
  std::vector<double> distance;
  std::vector<std::uint32_t> cluster, best;                        // the latter may be empty
  std::vector<std::pair<std::uint32_t, std::uint32_t>> relocated;  // row, cluster
  double inertia = 0, best_inertia = 0;

  void fields(auto& list) {
    list(nearest, distance, cluster, best, relocated, inertia, best_inertia);
    list.check(nearest.size() == cluster.size() && distance.size() == cluster.size());
  }
};

class Shard {
 public:
  // `all` are the centres of the process.
  Shard(ShardId number, Rows rows, std::shared_ptr<SharedCentres> all);

  std::size_t size() const { return rows_.size(); }

  // A start: proposes rows for the cluster `first`, `count` of them; receives those that were drawn; reports how good a
  // centre each of them is; and receives the one that becomes it.  A start that draws all centres at once ends with
  // drawn().  When a start begins, the clusters of the previous one are kept if it has the smallest inertia so far.
  Talk propose(std::uint32_t first, std::uint32_t count, Random& random);
  void drawn(std::pair<RoundId, std::uint64_t> round_and_version, std::uint32_t first, const Talk& won);
  Talk weigh() const;
  void choose(std::uint32_t cluster, const Talk& weighed);

  // The assignment of all rows to the centres; computed once for each object of centres.
  const Assignment& assignment(const std::shared_ptr<const Centres>& centres) const;
  // Every row whose nearest centre is not that of its cluster moves to it; so do those that were relocated.  Calls
  // change(row, from, to) for each; with Step::start and Step::sum for every row, whose `from` is then kNone.  With
  // Step::recall, all rows return to the clusters that were kept.
  template <typename Change>
  void move(Step step, const std::shared_ptr<const Centres>& centres, Change change) {
    const std::vector<std::uint32_t>& target = step == Step::recall ? best_ : assignment(centres).cluster;
    for (std::uint32_t r = 0; r < target.size(); ++r) {
      const auto relocated = relocated_.find(r);
      const std::uint32_t to = relocated == relocated_.end() || step == Step::recall ? target[r] : relocated->second;
      const std::uint32_t from = std::exchange(cluster_[r], to);
      if (step != Step::change) change(rows_[r], kNone, to);
      if (step == Step::change && from != to) change(rows_[r], from, to);
    }
  }

  // The number of rows to move, the inertia, and rows for clusters that are empty.
  Talk look(const std::shared_ptr<const Centres>& centres) const;
  // The winning rows move to the empty clusters, the farthest to the first, with the next move().
  void relocate(const Talk& won, const Centres& centres);

  // With each row's nearest centre and its distance, for readers of the model.
  void save(Writer& out, const std::shared_ptr<const Centres>& centres) const;
  void restore(Reader& in);

 private:
  ShardId number_;
  Rows rows_;
  std::shared_ptr<SharedCentres> all_;
  std::vector<std::uint32_t> cluster_;                // of each row
  std::vector<double> weight_;                        // of each row in the next draw of a starting centre
  std::map<std::uint32_t, std::uint32_t> relocated_;  // row: cluster
  // Of all rows, after the last epoch of this start, and of the best one before it.
  double inertia_ = std::numeric_limits<double>::infinity(), best_inertia_ = inertia_;
  std::vector<std::uint32_t> best_;  // the clusters of that
  // Derived, and not restored.
  mutable std::shared_ptr<const Centres> assigned_to_;
  mutable Assignment assignment_;
};

}  // namespace rota::kmeans
