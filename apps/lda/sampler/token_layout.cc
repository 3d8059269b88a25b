// apps/lda/sampler/token_layout.cc
#include "apps/lda/sampler/token_layout.h"

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace rota::lda {
namespace {

constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();

}  // namespace

TokenLayout::TokenLayout(const Cut& cut, std::span<const io::WordCount> counts) {
  std::uint32_t words = 0;
  for (const io::WordCount& each : counts) words = std::max(words, each.word + 1);
  std::vector<std::uint32_t> tokens(words, 0);  // of each word, then the place of its next token
  for (const io::WordCount& each : counts) tokens[each.word] += each.count;

  std::uint32_t begin = 0;
  group_begin_.assign(1, 0);
  std::vector<std::uint32_t> place(words, kNowhere);
  const auto add_group = [&](const std::vector<Key>& keys) {
    for (std::size_t row = 0; row < keys.size(); ++row) {
      if (keys[row] >= words || tokens[keys[row]] == 0 || place[keys[row]] != kNowhere) continue;
      place[keys[row]] = begin;
      const std::uint32_t end = begin + tokens[keys[row]];
      words_.push_back({static_cast<std::uint32_t>(row), begin, end});
      begin = end;
    }
    group_begin_.push_back(words_.size());
  };
  for (const auto& keys : cut.slices) add_group(keys);
  add_group(cut.replicated);

  documents_.resize(begin);
  topics_.resize(begin);
  for (const io::WordCount& each : counts) {
    std::uint32_t& at = place[each.word];
    if (at == kNowhere) throw std::logic_error("the cut lacks word " + std::to_string(each.word));
    std::fill_n(documents_.begin() + at, each.count, each.document);
    at += each.count;
  }
}

}  // namespace rota::lda
