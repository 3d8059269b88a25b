// apps/kmeans/progress.h -- when the job has come to its end.
#pragma once
#include <cstdint>

#include "apps/kmeans/talk.h"
#include "rota/bytes.h"

namespace rota::kmeans {

// The job ends when every row is nearest to the centre of its own cluster, or if there is a tolerance, when an epoch
// has lowered the inertia by less than this share of it; not while there is a row for an empty cluster.
class Progress {
 public:
  explicit Progress(double tolerance) : tolerance_(tolerance) {}

  // What all shards said at the end of an epoch.
  void add(const Talk& said) {
    const bool fell_little = inertia_ >= 0 && inertia_ - said.inertia < tolerance_ * inertia_;
    converged_ = said.candidates.empty() && (said.moved == 0 || (tolerance_ > 0 && fell_little));
    to_move_ = said.moved;
    inertia_ = said.inertia;
  }
  bool converged() const { return converged_; }
  std::uint64_t to_move() const { return to_move_; }

  void save(Writer& out) const { out.put(inertia_); }
  void restore(Reader& in) { inertia_ = in.get<double>(); }

 private:
  double tolerance_;
  double inertia_ = -1;  // behind the last epoch; below 0 if there was none
  std::uint64_t to_move_ = 0;
  bool converged_ = false;
};

}  // namespace rota::kmeans
