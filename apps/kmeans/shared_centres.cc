#include "apps/kmeans/shared_centres.h"

namespace rota::kmeans {

SharedCentres::SharedCentres(std::uint64_t columns, std::uint32_t clusters) : clusters_(clusters), columns_(columns) {}

void SharedCentres::draw(std::pair<RoundId, std::uint64_t> round_and_version, std::uint32_t first,
                         std::span<const Row> rows) {
  const std::scoped_lock lock(mutex_);
  if (std::exchange(drawn_in_, round_and_version) == round_and_version) return;
  const auto width = static_cast<std::uint32_t>(rows.size());
  const auto table_of = [&] {
    std::vector<double> table((columns_ + 1) * width);
    for (std::uint32_t i = 0; i < width; ++i) {
      for (std::size_t e = 0; e < rows[i].columns.size(); ++e)
        table[rows[i].columns[e] * width + i] = rows[i].values[e];
      table[columns_ * width + i] = 1;
    }
    return table;
  };
  if (first == 0) {
    start_version_ = round_and_version.second;
    started_ = width == clusters_ ? clusters_ : 0;
    start_ = width == clusters_ ? table_of() : std::vector<double>((columns_ + 1) * clusters_);
  }
  if (started_ == clusters_) return;
  drawn_table_ = table_of();
  drawn_ = std::make_unique<const Centres>(drawn_table_, width);
}

void SharedCentres::take(std::uint32_t cluster, std::uint32_t i) {
  const std::scoped_lock lock(mutex_);
  if (cluster != started_) return;
  const std::uint32_t width = drawn_->clusters();
  for (std::uint64_t j = 0; j <= columns_; ++j) start_[j * clusters_ + cluster] = drawn_table_[j * width + i];
  ++started_;
}

std::shared_ptr<const Centres> SharedCentres::at(std::uint64_t version, std::span<const double> table) {
  const std::scoped_lock lock(mutex_);
  if (version != start_version_) start_ = {}, drawn_table_ = {}, drawn_ = {};  // all shards have seen the commit
  const std::pair from{version, !start_.empty()};
  if (centres_ && made_from_ == from) return centres_;
  centres_ = std::make_shared<const Centres>(start_.empty() ? table : start_, clusters_);
  made_from_ = from;
  return centres_;
}

}  // namespace rota::kmeans
