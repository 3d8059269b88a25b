// cli/remote/role_start.h -- what an agent needs to start a process of a job.
#pragma once
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/remote/place.h"
#include "core/base/status.h"

namespace rota {

struct RoleStart {
  std::string role;  // "scheduler", "worker" or "kvstore"
  std::int64_t index = 0;
  bool resume = false;
  std::string coordinator;                  // its address
  std::filesystem::path run;                // --out
  std::string flags;                        // what stands in the job's flags.txt
  std::map<std::string, std::string> keys;  // files of the folder of keys that this role reads; none: no keys
  std::vector<std::string> log_flags;
  bool spare = false;  // a worker that stands by
  Place place = {};    // of `run`, as the launcher has marked it

  std::string name() const { return role + "-" + std::to_string(index); }
};

// The files of a folder of keys that a process of the role needs: its own secret, no other, and what is public.
Result<std::map<std::string, std::string>> keys_of(const std::string& role, const std::filesystem::path& folder);

// As a part of a message.  ExitCode::bad_data if a launcher could not have sent it.
nlohmann::json json_of(const RoleStart& start);
Result<RoleStart> role_start_of(const nlohmann::json& message);

}  // namespace rota
