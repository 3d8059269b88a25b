#include "apps/lda/priors/count_histogram.h"

#include <limits>

namespace rota::lda {

void CountHistogram::encode(Writer& out) const {
  std::uint64_t different = 0;
  for_each([&](std::uint32_t, std::uint64_t) { ++different; });
  out.put_varint(different);
  std::uint32_t before = 0;
  for_each([&](std::uint32_t count, std::uint64_t times) {
    out.put_varint(count - before);
    out.put_varint(times);
    before = count;
  });
}

void CountHistogram::decode(Reader& in) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint32_t>::max();
  const std::size_t different = in.get_count(2);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < different && in.ok(); ++i) {
    const std::uint64_t step = in.get_bounded(kMost - count);
    const std::uint64_t times = in.get_bounded(kMost);
    if (step == 0 || times == 0) in.fail();
    if (!in.ok()) break;
    count += step;
    add(static_cast<std::uint32_t>(count), times);
  }
}

}  // namespace rota::lda
