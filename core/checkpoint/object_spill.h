// core/checkpoint/object_spill.h -- objects of a checkpoint that is not whole yet, on disk: a partition keeps in memory
// only what is little.
//
// The file has no name, so that nothing is left of it, however the process ends; and it need not survive anything: what
// counts is the file that is made of it.
#pragma once
#include <cstdint>
#include <filesystem>
#include <vector>

#include "core/base/files.h"
#include "core/base/status.h"
#include "core/wire/message.h"

namespace rota {

// Used on the thread for files.
class ObjectSpill {
 public:
  // `file` is that of the checkpoint: this one is made beside it.  Its folder is made if need be.
  explicit ObjectSpill(std::filesystem::path file) : file_(std::move(file)) {}

  Status add(const Put& put);
  std::size_t size() const { return places_.size(); }
  ObjectHash object(std::size_t i) const { return places_[i].what; }
  // ExitCode::disk, too, if it is not what was added.
  Result<Put> read(std::size_t i) const;

 private:
  struct Place {
    Epoch epoch;
    ObjectHash what;
    std::uint64_t at, bytes;
  };
  Status open();

  std::filesystem::path file_;
  FileDescriptor fd_;
  std::uint64_t end_ = 0;
  std::vector<Place> places_;
};

}  // namespace rota
