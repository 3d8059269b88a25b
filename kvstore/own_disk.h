// kvstore/own_disk.h -- the disk of a partition whose machine does not share the run's folder.  What the partition
// writes is there, and the coordinator gets a copy; what it resumes from is there, or comes from the coordinator.
#pragma once
#include <functional>
#include <memory>
#include <optional>

#include "core/checkpoint/copies.h"
#include "rota/types.h"

namespace rota {

class OwnDisk {
 public:
  OwnDisk(std::uint32_t partition, std::shared_ptr<ChunkFiles> files, const CopyLimits& limits);
  OwnDisk(const OwnDisk&) = delete;  // work under way refers to it
  OwnDisk& operator=(const OwnDisk&) = delete;

  // Sees to it that the committed file is there, and calls `there`.
  void get(Epoch epoch, const HashedFile& file, Outbox& out, std::function<Status(Outbox&)> there);
  // ExitCode::bug if it was not asked for.
  Status take(const Chunk& chunk, Outbox& out);

  // This file is durable: the coordinator gets WRITTEN next.  Files older than the one before it are removed: that one
  // is committed, or this one would not have been asked for.
  void wrote(Epoch epoch, const HashedFile& file, Outbox& out);
  // The coordinator asks for a part of it.  ExitCode::bug if it is no part of such a file.
  Status give(const AskChunk& ask, Outbox& out);

 private:
  std::uint32_t partition_;
  std::shared_ptr<ChunkFiles> files_;
  Copies copies_;
  std::function<Status(Outbox&)> there_;
  std::optional<Epoch> newest_;        // that is here
  std::optional<HashedFile> written_;  // which the coordinator may ask for
};

}  // namespace rota
