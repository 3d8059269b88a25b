#include "kvstore/own_disk.h"

#include <string>
#include <utility>

namespace rota {

OwnDisk::OwnDisk(std::uint32_t partition, std::shared_ptr<ChunkFiles> files, const CopyLimits& limits)
    : partition_(partition),
      files_(std::move(files)),
      copies_(files_, limits,
              [this](const Status& status, Outbox& out) { return status.ok() ? there_(out) : status; }) {}

void OwnDisk::get(Epoch epoch, const HashedFile& file, Outbox& out, std::function<Status(Outbox&)> there) {
  there_ = std::move(there);
  newest_ = epoch;
  out.start_io([this, files = files_, file]() -> Continuation {
    return [this, has = files->has(file), file](Outbox& later) -> Status {
      if (has) return there_(later);
      copies_.begin(kCoordinator, file, later);
      return {};
    };
  });
}

Status OwnDisk::take(const Chunk& chunk, Outbox& out) {
  return copies_.add(kCoordinator, chunk, out) ? Status() : Status(ExitCode::bug, "a CHUNK that was not asked for");
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
  copies_.give(kCoordinator, ask, out);
  return {};
}

}  // namespace rota
