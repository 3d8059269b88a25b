// tests/threads/scratch_folder.h -- an empty folder of this process alone, gone at the end.
#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

namespace rota::threads {

class ScratchFolder {
 public:
  ScratchFolder() { std::filesystem::create_directories(path_); }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(path_ / name) << text;
    return (path_ / name).string();
  }

 private:
  std::filesystem::path path_ = std::filesystem::temp_directory_path() / ("rota-threads-" + std::to_string(getpid()));
};

}  // namespace rota::threads
