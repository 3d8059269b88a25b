#include "core/checkpoint/file_copy.h"

#include <algorithm>

namespace rota {

bool is_chunk_of(const AskChunk& ask, const HashedFile& file) {
  return ask.file == file.file && ask.bytes > 0 && ask.bytes <= kChunkBytesMost && ask.at <= file.bytes &&
         ask.bytes <= file.bytes - ask.at;
}

std::vector<AskChunk> FileCopy::asks() {
  std::vector<AskChunk> asks;
  while (next_ < file_.bytes && asked_.size() + storing_.size() < limits_.asked) {
    const std::uint64_t bytes = std::min(limits_.chunk, file_.bytes - next_);
    asks.push_back({file_.file, next_, bytes});
    asked_.emplace(next_, bytes);
    next_ += bytes;
  }
  return asks;
}

bool FileCopy::take(const Chunk& chunk) {
  const auto found = asked_.find(chunk.at);
  if (chunk.file != file_.file || found == asked_.end() || found->second != chunk.bytes.size()) return false;
  storing_.insert(asked_.extract(found));
  return true;
}

void FileCopy::stored(const Chunk& chunk) {
  storing_.erase(chunk.at);
}

}  // namespace rota
