#include "apps/mf/factor_rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace rota::mf {

void FactorRows::start(Random& random) {
  const auto scale = static_cast<float>(1 / std::sqrt(static_cast<double>(rank_)));
  for (std::size_t r = 0; r < rows_; ++r) {
    float* const row = factors_.data() + r * width();
    for (std::uint32_t k = 0; k < rank_; ++k) row[k] = random.uniform_float() * scale;
    float* const tail = tails_.data() + r * tail_;
    std::fill_n(tail, tail_, 1.0F);
    if (tail_ == 4) tail[2] = 0;
  }
}

void FactorRows::encode(Writer& out) const {
  out.reserve(out.view().size() + (rows_ * (rank_ + tail_)) * sizeof(float) + 16);
  out.put_varint(rows_);
  for (std::size_t r = 0; r < rows_; ++r) out.append(factors_.data() + r * width(), rank_ * sizeof(float));
  out.append(tails_.data(), tails_.size() * sizeof(float));
}

void FactorRows::decode(Reader& in) {
  const std::size_t row_bytes = (rank_ + tail_) * sizeof(float);
  if (in.get_count(row_bytes) != rows_) return in.fail();
  for (std::size_t r = 0; r < rows_ && in.ok(); ++r) {
    const auto bytes = in.get_bytes(rank_ * sizeof(float));
    if (in.ok()) std::memcpy(factors_.data() + r * width(), bytes.data(), bytes.size());
  }
  const auto bytes = in.get_bytes(tails_.size() * sizeof(float));
  if (in.ok() && !bytes.empty()) std::memcpy(tails_.data(), bytes.data(), bytes.size());
}

}  // namespace rota::mf
