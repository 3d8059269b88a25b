// tests/unit/io/scratch_files.h -- a folder of input files that a test writes.
#pragma once
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace rota::tests {

class ScratchFiles {
 public:
  ScratchFiles() {
    std::string pattern = (std::filesystem::temp_directory_path() / "rota-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr) ADD_FAILURE() << "no scratch folder";
    folder_ = pattern;
  }
  ScratchFiles(const ScratchFiles&) = delete;
  ~ScratchFiles() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }

  // The path of a file with this content.
  std::string write(const std::string& name, std::string_view content) const {
    const std::filesystem::path path = folder_ / name;
    std::ofstream out(path, std::ios::binary);
    out << content;
    if (!out) ADD_FAILURE() << path << " cannot be written";
    return path.string();
  }
  const std::filesystem::path& folder() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

// A test that writes input files.
class WithFiles : public testing::Test {
 protected:
  const ScratchFiles files;
};

// What a reader refuses, and its message without the file's name.
struct Wrong {
  std::string content, message;
};

inline std::string read_file(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// The message of the E that `call` throws.
template <typename E, typename F>
std::string message_of(F call) {
  try {
    call();
  } catch (const E& error) {
    return error.what();
  } catch (const std::exception& other) {
    return std::string("another error: ") + other.what();
  }
  return "no error";
}

}  // namespace rota::tests
