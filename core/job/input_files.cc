#include "core/job/input_files.h"

#include <glob.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <iterator>
#include <ranges>
#include <system_error>

#include "core/base/file_hash.h"
#include "core/job/packed_folder.h"
#include "core/sources/remote_objects.h"
#include "rota/bytes.h"

namespace rota {

namespace fs = std::filesystem;

namespace {

// Of two that read a pipe, each gets a part of it.
constexpr const char* kOnce = "is not a file that can be read more than once";

Status missing(const std::string& name, const std::string& why) {
  return {ExitCode::no_input, "input " + name + ": " + why};
}

Result<std::vector<std::string>> files_in(const std::string& folder) {
  std::vector<std::string> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    std::error_code ignored;
    if (at->path().filename().string().starts_with('.') || at->is_directory(ignored)) continue;
    if (at->exists(ignored) && !at->is_regular_file(ignored)) return missing(at->path().string(), "is no file");
    files.push_back(at->path().string());  // or a link to what is not there, which must not be passed over
  }
  if (error) return missing(folder, error.message());
  if (files.empty()) return missing(folder, "the folder has no files");
  std::ranges::sort(files);
  return files;
}

Result<std::vector<std::string>> files_like(const std::string& pattern) {
  glob_t found = {};
  const int outcome = ::glob(pattern.c_str(), GLOB_ERR, nullptr, &found);  // sorts
  std::vector<std::string> files;
  for (std::size_t i = 0; outcome == 0 && i < found.gl_pathc; ++i) {
    std::error_code ignored;
    if (!fs::is_directory(found.gl_pathv[i], ignored)) files.emplace_back(found.gl_pathv[i]);
  }
  ::globfree(&found);
  if (files.empty()) return missing(pattern, "no file matches");
  // glob() sorts by the user's language; here the order must be the same everywhere.
  std::ranges::sort(files);
  return files;
}

Result<std::vector<std::string>> files_of(const std::string& part) {
  std::error_code error;
  if (is_remote(part)) return remote_objects(part).in("input");
  if (fs::is_directory(part, error)) return files_in(part);
  if (fs::exists(part, error)) return std::vector<std::string>{part};
  if (part.find_first_of("*?[") != part.npos) return files_like(part);
  return missing(part, "no such file");
}

void add_objects_of(const Options& options, std::span<const Option> table, std::vector<std::string>& files) {
  for (const Option& option : table)
    if (option.kind == Option::Kind::path && is_remote(options.text(option.name)))
      files.emplace_back(options.text(option.name));
}

}  // namespace

// A name that contains a comma is taken as it is if there is such a file.
std::vector<std::string> input_parts(std::string_view input) {
  std::error_code ignored;
  if (fs::exists(fs::path(input), ignored)) return {std::string(input)};
  std::vector<std::string> parts;
  for (const auto part : std::views::split(input, ','))
    if (!part.empty()) parts.emplace_back(part.begin(), part.end());
  return parts;
}

Result<std::vector<std::string>> input_files(std::string_view input) {
  std::vector<std::string> files;
  for (const std::string& part : input_parts(input)) {
    ROTA_ASSIGN(auto found, files_of(part));
    for (std::string& file : found) {
      if (is_packed_file(fs::path(file).filename().string()))
        return Status(ExitCode::bad_data, "input " + file +
                                              ": this is data by shard, which only `rota train` and `rota resume` "
                                              "read, by the folder's name alone");
      if (!is_remote(file) && ::access(file.c_str(), R_OK) != 0)
        return missing(file, std::generic_category().message(errno));
      files.push_back(std::move(file));
    }
  }
  if (files.empty()) return Status(ExitCode::no_input, "the input names no file");
  return files;
}

Result<std::vector<std::string>> data_files(std::string_view input) {
  ROTA_ASSIGN(auto files, input_files(input));
  std::error_code ignored;
  for (const std::string& file : files)
    if (!is_remote(file) && !fs::is_regular_file(file, ignored) && file != "/dev/null") return missing(file, kOnce);
  return files;
}

Status check_paths(const Options& options, std::span<const Option> table) {
  for (const Option& option : table) {
    if (option.kind != Option::Kind::path || !options.has(option.name)) continue;
    const std::string name(options.text(option.name));
    if (is_remote(name)) {
      ROTA_TRY(open_remote(name).status().in("--" + std::string(option.name)));
      continue;
    }
    if (std::error_code ignored; fs::is_other(name, ignored))
      return {ExitCode::no_input, "--" + std::string(option.name) + "=" + name + ": " + kOnce};
  }
  return {};
}

Result<Hash128> hash_inputs(std::span<const std::string> files) {
  const auto remote = [](const std::string& name) -> Result<FileHash> { return version_hash(name); };
  return hash_contents(files, is_remote, remote);
}

Result<Hash128> hash_inputs(std::vector<std::string> files, const Options& options, std::span<const Option> table) {
  add_objects_of(options, table, files);
  return hash_inputs(files);
}

Result<std::vector<HashedFile>> object_versions(std::vector<std::string> files, const Options& options,
                                                std::span<const Option> table) {
  add_objects_of(options, table, files);
  std::vector<HashedFile> versions;
  for (std::string& file : files) {
    if (!is_remote(file)) continue;
    ROTA_ASSIGN(const FileHash version, version_hash(file));
    versions.push_back({std::move(file), version.bytes, version.hash});
  }
  return versions;
}

std::vector<std::string> named_inputs(std::string_view input) {
  std::vector<std::string> all;
  for (const std::string& part : input_parts(input)) {
    auto files = is_remote(part) ? Result(std::vector{part}) : input_files(part);
    if (!files.ok()) return {};
    std::ranges::move(*files, std::back_inserter(all));
  }
  return all;
}

std::string absolute_input(std::string_view input) {
  if (input == "-") return "-";
  std::string all;
  for (const std::string& part : input_parts(input)) {
    std::error_code error;
    const fs::path absolute = fs::absolute(part, error);
    if (!all.empty()) all += ',';
    if (is_remote(part)) {
      all += part;
      continue;
    }
    all += error ? part : absolute.lexically_normal().string();
  }
  return all;
}

}  // namespace rota
