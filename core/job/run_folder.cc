#include "core/job/run_folder.h"

#include <charconv>
#include <regex>

#include "core/base/files.h"

namespace rota {

namespace {

constexpr std::size_t kNameMost = 255;  // of the system

bool has_form(std::string_view name, const std::string& form) {
  return name.size() <= kNameMost && std::regex_match(name.begin(), name.end(), std::regex(form));
}

// A role, and what the form says.
bool has_role(std::string_view name, const std::string& form) {
  return has_form(name, "(coordinator|scheduler|worker|kvstore|observer)" + form);
}

}  // namespace

std::optional<std::string> RunFolder::read_address() const {
  constexpr std::size_t kBytesMost = 4096;
  const auto text = read_whole_file(address(), kBytesMost);
  return text.ok() ? std::optional(text->substr(0, text->find('\n'))) : std::nullopt;
}

std::uint64_t RunFolder::era_of(std::string_view name) {
  constexpr std::string_view kEra = ".era-";
  const auto at = std::min(name.find(kEra), name.size());
  std::uint64_t era = 0;
  if (name.starts_with("partition-") && at < name.size())
    std::from_chars(name.data() + at + kEra.size(), name.data() + name.size(), era);
  return era;
}

bool RunFolder::is_partition_of(std::string_view file, std::uint32_t epoch, std::uint32_t partition) {
  const std::string folder = RunFolder{}.checkpoint(epoch).filename().string() + "/";
  if (!file.starts_with(folder)) return false;
  file.remove_prefix(folder.size());
  return file == partition_file(partition) || file == partition_file(partition, era_of(file));
}

bool RunFolder::is_of_epoch(std::string_view name) {
  name = finished_name(name);
  return name == kCommitRecord || has_form(name, R"(partition-\d+(\.era-\d+)?\.sst(\.unfinished)?)");
}

bool RunFolder::is_of_log(std::string_view name) {
  return has_form(name, R"(agent-\d+\.log)") || has_role(name, R"(-\d+\.(log|doing|doing\.before))");
}

bool RunFolder::is_of_keys(std::string_view name) {
  return has_role(name, R"(\.(secret|public))");
}

}  // namespace rota
