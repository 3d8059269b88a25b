#include "apps/kmeans/shared_centres.h"

#include <algorithm>

namespace rota::kmeans {

SharedCentres::SharedCentres(std::uint64_t columns, std::uint32_t clusters) : clusters_(clusters), columns_(columns) {}

void SharedCentres::start(std::uint32_t first, std::span<const Row> rows) {
  const std::scoped_lock lock(mutex_);
  if (started_ > first || rows.empty()) return;
  start_.resize((columns_ + 1) * clusters_);
  for (const Row& row : rows) {
    for (std::size_t e = 0; e < row.columns.size(); ++e) start_[row.columns[e] * clusters_ + started_] = row.values[e];
    start_[columns_ * clusters_ + started_++] = 1;
  }
  newest_.assign(columns_, 0);
  newest_norm_ = 0;
  for (std::size_t e = 0; e < rows.back().columns.size(); ++e) {
    const double x = rows.back().values[e];
    newest_[rows.back().columns[e]] = x;
    newest_norm_ += x * x;
  }
}

// As Centres::distance(): a row that equals the centre is at distance 0 exactly, since all sums are made alike.
double SharedCentres::to_newest(const Row& row) const {
  double apart = 0, covered = 0;
  for (std::size_t e = 0; e < row.columns.size(); ++e) {
    const double c = newest_[row.columns[e]], difference = row.values[e] - c;
    apart += difference * difference;
    covered += c * c;
  }
  return apart + std::max(0.0, newest_norm_ - covered);
}

std::shared_ptr<const Centres> SharedCentres::at(std::uint64_t version, std::span<const double> table) {
  const std::scoped_lock lock(mutex_);
  const std::pair from{version, started_};
  if (centres_ && made_from_ == from) return centres_;
  const std::span<const double> counts = table.last(clusters_);
  const bool committed = std::any_of(counts.begin(), counts.end(), [](double n) { return n > 0; });
  centres_ = std::make_shared<const Centres>(committed || start_.empty() ? table : start_, clusters_);
  made_from_ = from;
  if (committed) start_ = {}, newest_ = {};  // all shards have seen the commit, or the view would not have it
  return centres_;
}

}  // namespace rota::kmeans
