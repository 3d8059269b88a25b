// apps/lda/sampler/sampler_choice.h -- which documents' tokens are drawn exactly, and which by Metropolis-Hastings
// steps.
#pragma once
#include <cstdint>
#include <limits>

namespace rota::lda {

enum class Sampler : std::uint8_t { automatic, exact, mh };

// The documents that are drawn by Metropolis-Hastings steps: those with at least this number of tokens, if there is at
// least this number of topics.  It depends on a document's length alone, so it is the same for every number of workers.
struct MhRule {
  std::uint32_t least_topics, least_length;

  bool covers(std::uint32_t topics, std::uint32_t length) const {
    return topics >= least_topics && length >= least_length;
  }
};

inline constexpr MhRule kNeverMh{std::numeric_limits<std::uint32_t>::max(), std::numeric_limits<std::uint32_t>::max()};
inline constexpr MhRule kAlwaysMh{0, 0};
// Measured (README.md has the table): up to 65,535 topics and on documents of 100 to 20,000 tokens the exact sampler
// takes at most as much time to a likelihood.
inline constexpr MhRule kMeasuredMh = kNeverMh;

constexpr MhRule mh_rule(Sampler sampler) {
  return sampler == Sampler::mh ? kAlwaysMh : sampler == Sampler::exact ? kNeverMh : kMeasuredMh;
}

}  // namespace rota::lda
