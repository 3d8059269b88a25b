// tests/unit/core/base/temporary_folder.h -- a new folder for each test, removed at its end.
#pragma once
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "core/base/files.h"

namespace rota {

class TemporaryFolder : public testing::Test {
 protected:
  TemporaryFolder() {
    auto made = make_private_folder(std::filesystem::temp_directory_path(), "rota-test-");
    ROTA_CHECK(made.ok());
    folder = *made;
  }
  ~TemporaryFolder() override {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }

  std::string write(const std::string& name, const std::string& text) {
    const auto file = folder / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
    return file.string();
  }
  static std::string read(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  std::filesystem::path folder;
};

}  // namespace rota
