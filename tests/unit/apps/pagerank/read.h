// tests/unit/apps/pagerank/read.h -- graphs from files.
#pragma once
#include <numeric>

#include "apps/pagerank/graph.h"

namespace rota::pagerank {

// Of some shards, or of all.
inline LoadedGraph read(std::vector<std::string> files, std::uint32_t shards, std::vector<ShardId> hosted = {}) {
  Job job;
  job.input = std::move(files);
  job.shards = shards;
  if (hosted.empty()) {
    hosted.resize(shards);
    std::iota(hosted.begin(), hosted.end(), 0U);
  }
  return read_graph(job, {.expected = "two nodes", .words = true}, hosted);
}

}  // namespace rota::pagerank
