// cli/folders/result_file.h -- the file that --output names.
#pragma once
#include <filesystem>
#include <fstream>
#include <ostream>

#include "core/base/status.h"

namespace rota {

// Where a chain of links leads, be it to something or not; `file` itself if it is no link.
std::filesystem::path follow_links(const std::filesystem::path& file);

// It appears under its name once it is complete; a link keeps its place, and its target is replaced.  What is
// there and is no file, a pipe or a device, is written into.
class ResultFile {
 public:
  // ExitCode::cannot_write, with the reason, if it cannot be made.
  static Result<ResultFile> open(const std::filesystem::path& file);
  ResultFile(ResultFile&& other) noexcept;
  ResultFile& operator=(ResultFile&&) = delete;
  // If it is not complete, nothing is left of it.
  ~ResultFile();

  std::ostream& out() { return out_; }
  Status complete();

 private:
  ResultFile(std::filesystem::path file, std::filesystem::path unfinished, std::ofstream out)
      : file_(std::move(file)), unfinished_(std::move(unfinished)), out_(std::move(out)) {}

  std::filesystem::path file_, unfinished_;  // the same if it is written into
  std::ofstream out_;
};

}  // namespace rota
