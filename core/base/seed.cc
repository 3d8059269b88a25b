#include "core/base/seed.h"

#include <Random123/philox.h>

namespace rota {

Random random_for(std::uint64_t seed, Stream stream, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  const r123::Philox4x64::ctr_type counter = {{a, b, c, 0}};
  const r123::Philox4x64::key_type key = {{seed, static_cast<std::uint64_t>(stream)}};
  const auto words = r123::Philox4x64()(counter, key);
  return Random({words[0], words[1], words[2], words[3]});
}

}  // namespace rota
