// bench/lda_balance.cc -- how evenly the work of an LDA epoch is distributed over shards, by the cut of a real corpus.
//
// usage: lda_balance DOCWORD VOCAB [N]
//
// For 8 to 64 shards, with stop words (the English list, and the N most frequent words) kept and removed, it prints, of
// the tokens that a shard visits:
// epoch       the largest shard's over the mean: an epoch waits for the largest step        the largest cell's (shard,
// slice) over the mean of its step, mean over steps: an epoch would wait for it if all shards ran in lock step; slices
// that travel ahead (f = 2 for each shard) hide part of it replicated  the words of which every shard has a copy, and
// their share of the tokens
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <iterator>
#include <numeric>
#include <vector>

#include "io/stop_words.h"
#include "rota/io/corpus.h"
#include "rota/schedules/rotation.h"

namespace {

using rota::io::WordCount;

constexpr std::uint32_t kSlicesPerShard = 2;  // the default of --slices_per_shard

double largest_over_mean(const std::vector<std::uint64_t>& work) {
  std::uint64_t sum = 0, largest = 0;
  for (const std::uint64_t each : work) sum += each, largest = std::max(largest, each);
  return sum == 0 ? 1 : static_cast<double>(largest) * static_cast<double>(work.size()) / static_cast<double>(sum);
}

void print_row(const char* stop_words, const std::vector<WordCount>& counts, std::uint64_t words,
               std::uint32_t shards) {
  rota::Census census(words);
  std::uint64_t tokens = 0, replicated_tokens = 0;
  for (const WordCount& each : counts) census[each.word] += each.count, tokens += each.count;
  const std::uint32_t slices = kSlicesPerShard * shards;
  const rota::Cut cut = rota::balanced_cut(census, slices, true);
  constexpr std::uint32_t kReplicated = ~0U;
  std::vector<std::uint32_t> slice_of(words, kReplicated);
  for (std::uint32_t b = 0; b < slices; ++b)
    for (const rota::Key word : cut.slices[b]) slice_of[word] = b;

  std::vector<std::uint64_t> shard_work(shards);
  std::vector<std::vector<std::uint64_t>> step_work(slices, std::vector<std::uint64_t>(shards));
  for (const WordCount& each : counts) {
    const std::uint32_t shard = each.document % shards, slice = slice_of[each.word];
    shard_work[shard] += each.count;
    if (slice == kReplicated)
      replicated_tokens += each.count;
    else
      step_work[(slice + slices - kSlicesPerShard * shard) % slices][shard] += each.count;
  }
  double steps = 0;
  for (const auto& work : step_work) steps += largest_over_mean(work) / slices;
  std::printf("| %u | %s | %.3f | %.3f | %zu words, %.1f %% |\n", shards, stop_words, largest_over_mean(shard_work),
              steps, cut.replicated.size(),
              100.0 * static_cast<double>(replicated_tokens) / static_cast<double>(tokens));
}

void run(const char* docword, const char* vocab, std::size_t frequent) {
  rota::io::Vocabulary vocabulary = rota::io::Vocabulary::read(vocab);
  std::vector<WordCount> all, without;
  const rota::io::CorpusSize size = rota::io::read_corpus(
      {docword}, {{.format = "uci"}}, vocabulary,
      [&](std::span<const WordCount> batch) { all.insert(all.end(), batch.begin(), batch.end()); });
  rota::Census census(size.words);
  for (const WordCount& each : all) census[each.word] += each.count;
  std::vector<std::uint32_t> order(size.words);
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](auto a, auto b) { return census[a] > census[b]; });
  std::vector<bool> left_out(size.words);
  for (std::size_t i = 0; i < std::min<std::size_t>(frequent, order.size()); ++i) left_out[order[i]] = true;
  const auto english = rota::io::stop_words("english");
  for (std::uint32_t w = 0; w < size.words; ++w)
    if (english.contains(vocabulary.word(w))) left_out[w] = true;
  std::copy_if(all.begin(), all.end(), std::back_inserter(without),
               [&](const WordCount& each) { return !left_out[each.word]; });
  std::printf("| shards | stop words | epoch | step | replicated |\n|---|---|---|---|---|\n");
  for (const std::uint32_t shards : {8, 16, 32, 64}) {
    print_row("kept", all, size.words, shards);
    print_row("removed", without, size.words, shards);
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3 && argc != 4) {
    std::fprintf(stderr, "usage: %s DOCWORD VOCAB [N]\n", argv[0]);
    return 2;
  }
  try {
    run(argv[1], argv[2], argc == 4 ? std::strtoul(argv[3], nullptr, 10) : 0);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
