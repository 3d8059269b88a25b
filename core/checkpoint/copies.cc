#include "core/checkpoint/copies.h"

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

template <typename Work, typename End>
void Copies::start(Outbox& out, Work work, End end) {
  ++works_;
  out.start_io([this, files = files_, work = std::move(work), end = std::move(end)]() -> Continuation {
    return [this, outcome = work(*files), end](Outbox& later) -> Status {
      --works_;
      return end(outcome, later);
    };
  });
}

void Copies::begin_waiting(Outbox& out) {
  while (!waiting_.empty() && copying_.size() < limits_.files) {
    auto [from, file] = std::move(waiting_.front());
    waiting_.pop_front();
    FileCopy& copy = copying_.emplace(from, FileCopy(std::move(file), limits_)).first->second;
    ask(from, copy, out);
    if (copy.complete()) finish(from, copy.file(), out);  // of a file without bytes
  }
}

void Copies::ask(NodeId from, FileCopy& copy, Outbox& out) {
  for (AskChunk& chunk : copy.asks()) out.send(from, std::move(chunk));
}

bool Copies::add(NodeId from, const Chunk& chunk, Outbox& out) {
  const auto found = copying_.find(from);
  if (found == copying_.end() || !found->second.take(chunk)) return false;
  start(
      out, [chunk](ChunkFiles& files) { return files.write(chunk.file, chunk.at, chunk.bytes); },
      [this, from, chunk](const Status& status, Outbox& later) {
        if (!status.ok()) return done_(status, later);
        FileCopy& copy = copying_.at(from);
        copy.stored(chunk);
        ask(from, copy, later);
        if (copy.complete()) finish(from, copy.file(), later);
        return Status();
      });
  return true;
}

void Copies::finish(NodeId from, const HashedFile& file, Outbox& out) {
  start(
      out, [file](ChunkFiles& files) { return files.finish(file); },
      [this, from](const Status& status, Outbox& later) {
        copying_.erase(from);
        begin_waiting(later);
        return done_(status, later);
      });
}

void Copies::give(NodeId to, const AskChunk& ask, Outbox& out) {
  start(
      out, [ask](ChunkFiles& files) { return files.read(ask.file, ask.at, ask.bytes); },
      [this, to, ask](const Result<Bytes>& bytes, Outbox& later) {
        if (!bytes.ok()) return done_(bytes.status(), later);
        later.send(to, Chunk{ask.file, ask.at, *bytes});
        return Status();
      });
}

}  // namespace rota
