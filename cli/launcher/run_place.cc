#include "cli/launcher/run_place.h"

#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "cli/folders/private_folder.h"
#include "core/base/files.h"
#include "core/base/flags.h"
#include "core/base/json_text.h"
#include "core/runtime/observe.h"

namespace rota {

namespace fs = std::filesystem;

Result<RunPlace> ask_place(const std::string& address, int timeout_ms, const fs::path& keys, bool assigns_worker) {
  ROTA_ASSIGN(auto answer, ask_status(address, timeout_ms, keys, assigns_worker));
  const auto json = nlohmann::json::parse(answer, nullptr, false);
  if (!json.is_object() || !json.contains("next_worker"))
    return Status(ExitCode::wrong_version, address + ": the coordinator assigns no worker number");
  const auto out = exact_text_of(json.value("out", nlohmann::json()));
  RunPlace place{{out.value_or("")}, static_cast<std::uint32_t>(number_in(json, "next_worker")), {}};
  const auto flags = json.find("flags");
  if (flags == json.end() || !flags->is_object()) return place;
  for (const auto& [name, value] : flags->items())
    if (auto text = exact_text_of(value)) place.flags[name] = *std::move(text);
  return place;
}

Status move_to(const fs::path& folder, RunPlace& place) {
  if (place.flags.empty()) return {ExitCode::wrong_version, "the coordinator does not send the flags of the run"};
  ROTA_TRY(make_closed_folder(folder));
  place.run = {folder};
  std::error_code error;
  if (!fs::exists(place.run.flags(), error)) {
    if (!fs::is_empty(folder, error) || error)
      return {ExitCode::cannot_write, folder.string() + ": it contains files that are not of this run"};
    return write_flagfile(place.run.flags(), place.flags);
  }
  const std::string flags = flagfile_text(place.flags);
  const auto before = read_whole_file(place.run.flags(), flags.size() + 1);
  if (!before.ok() || *before != flags) return {ExitCode::cannot_write, folder.string() + ": it is of another run"};
  return {};
}

}  // namespace rota
