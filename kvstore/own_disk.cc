#include "kvstore/own_disk.h"

#include <string>
#include <utility>

namespace rota {

void OwnDisk::get(Epoch epoch, const HashedFile& file, Outbox& out, std::function<Status(Outbox&)> there) {
  there_ = std::move(there);
  newest_ = epoch;
  out.start_io([this, files = files_, file]() -> Continuation {
    const bool has = files->has(file);
    return [this, has, file](Outbox& later) -> Status {
      if (has) return there_(later);
      getting_.emplace(file, limits_);
      ask(later);
      if (getting_->complete()) finish(later);  // a file without bytes
      return {};
    };
  });
}

void OwnDisk::ask(Outbox& out) {
  for (AskChunk& chunk : getting_->asks()) out.send(kCoordinator, std::move(chunk));
}

Status OwnDisk::take(const Chunk& chunk, Outbox& out) {
  if (!getting_ || !getting_->take(chunk)) return {ExitCode::bug, "a CHUNK that was not asked for"};
  out.start_io([this, files = files_, chunk]() -> Continuation {
    const Status status = files->write(chunk.file, chunk.at, chunk.bytes);
    return [this, chunk, status](Outbox& later) -> Status {
      ROTA_TRY(status);
      getting_->stored(chunk);
      ask(later);
      if (getting_->complete()) finish(later);
      return {};
    };
  });
  return {};
}

void OwnDisk::finish(Outbox& out) {
  out.start_io([this, files = files_, file = getting_->file()]() -> Continuation {
    const Status status = files->finish(file);
    return [this, status](Outbox& later) -> Status {
      ROTA_TRY(status);
      getting_.reset();
      return there_(later);
    };
  });
}

void OwnDisk::wrote(Epoch epoch, const HashedFile& file, Outbox& out) {
  const std::optional<Epoch> before = std::exchange(newest_, epoch);
  written_ = file;
  if (!before) return;
  out.start_io([files = files_, partition = partition_, before = *before]() -> Continuation {
    files->drop_before(partition, before);
    return [](Outbox&) { return Status(); };
  });
}

Status OwnDisk::give(const AskChunk& ask, Outbox& out) {
  if (!written_ || !is_chunk_of(ask, *written_))
    return {ExitCode::bug, "a part of " + ask.file + " was asked for, which is none of what was written"};
  out.start_io([files = files_, ask]() -> Continuation {
    auto bytes = files->read(ask.file, ask.at, ask.bytes);
    return [ask, bytes = std::move(bytes)](Outbox& later) -> Status {
      if (!bytes.ok()) return bytes.status();
      later.send(kCoordinator, Chunk{ask.file, ask.at, *bytes});
      return {};
    };
  });
  return {};
}

}  // namespace rota
