// apps/lda/sampler/guide_table.cc
#include "apps/lda/sampler/guide_table.h"

#include <limits>

namespace rota::lda {

void GuideTable::clear() {
  topics_.clear();
  ends_.clear();
  total_ = 0;
}

void GuideTable::finish() {
  const std::size_t size = ends_.size();
  guide_.resize(size);
  if (size == 0) return;
  scale_ = static_cast<double>(size) / total_;
  // A value with guide g lies in entry i or a later one, if i begins with a smaller guide.
  std::size_t g = 0;
  guide_[g++] = 0;
  for (std::size_t i = 0; i < size; ++i)
    for (const std::size_t end = i + 1 < size ? guide_of(ends_[i]) : size - 1; g <= end; ++g)
      guide_[g] = static_cast<std::uint32_t>(i);
  ends_.back() = std::numeric_limits<double>::infinity();
}

}  // namespace rota::lda
