#include "coordinator/copies.h"

namespace rota {

void Copies::begin(std::uint32_t partition, HashedFile file, Outbox& out) {
  waiting_.emplace_back(partition, std::move(file));
  begin_waiting(out);
}

void Copies::begin_waiting(Outbox& out) {
  while (!waiting_.empty() && copying_.size() < limits_.files) {
    auto [partition, file] = std::move(waiting_.front());
    waiting_.pop_front();
    FileCopy& copy = copying_.emplace(partition, FileCopy(std::move(file), limits_)).first->second;
    ask(partition, copy, out);
    if (copy.complete()) finish(partition, copy.file(), out);  // of a file without bytes
  }
}

void Copies::ask(std::uint32_t partition, FileCopy& copy, Outbox& out) {
  for (AskChunk& chunk : copy.asks()) out.send({Role::partition, partition}, std::move(chunk));
}

bool Copies::add(std::uint32_t partition, const Chunk& chunk, Outbox& out) {
  const auto found = copying_.find(partition);
  if (found == copying_.end() || !found->second.take(chunk)) return false;
  ++works_;
  out.start_io([this, files = files_, partition, chunk]() -> Continuation {
    const Status status = files->write(chunk.file, chunk.at, chunk.bytes);
    return [this, partition, chunk, status](Outbox& later) -> Status {
      --works_;
      if (!status.ok()) return done_(status, later), Status();
      FileCopy& copy = copying_.at(partition);
      copy.stored(chunk);
      ask(partition, copy, later);
      if (copy.complete()) finish(partition, copy.file(), later);
      return {};
    };
  });
  return true;
}

void Copies::finish(std::uint32_t partition, const HashedFile& file, Outbox& out) {
  ++works_;
  out.start_io([this, files = files_, partition, file]() -> Continuation {
    const Status status = files->finish(file);
    return [this, partition, status](Outbox& later) -> Status {
      --works_;
      copying_.erase(partition);
      begin_waiting(later);
      done_(status, later);
      return {};
    };
  });
}

void Copies::give(NodeId to, const AskChunk& ask, Outbox& out) {
  ++works_;
  out.start_io([this, files = files_, to, ask]() -> Continuation {
    auto bytes = files->read(ask.file, ask.at, ask.bytes);
    return [this, to, ask, bytes = std::move(bytes)](Outbox& later) -> Status {
      --works_;
      if (!bytes.ok())
        done_(bytes.status(), later);
      else
        later.send(to, Chunk{ask.file, ask.at, *bytes});
      return {};
    };
  });
}

}  // namespace rota
