// core/checkpoint/disk_checkpoints.h -- checkpoints of a run on disk: RUN/checkpoint/epoch-N/partition-P.era-E.sst.
#pragma once
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/hashed_file.h"
#include "core/checkpoint/checkpoint_store.h"

namespace rota {

// In the run's folder.  `era` goes into the names of the files that are written; `files` are those of the epoch to
// resume, by partition, as the commit record names them.
std::shared_ptr<CheckpointStore> disk_checkpoints(const std::filesystem::path& run, std::uint64_t era,
                                                  std::vector<HashedFile> files);

}  // namespace rota
