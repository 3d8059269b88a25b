// core/wire/keys.h -- the keys of a job or a cluster: a pair of CURVE's (curve25519) for each role, in a folder.
//
// ROLE.secret is for the processes of that role alone, ROLE.public for all: a machine that only runs workers needs
// worker.secret and the public ones.
#pragma once
#include <filesystem>
#include <map>
#include <memory>
#include <string>

#include "core/base/status.h"
#include "core/wire/node_id.h"

namespace rota {

// What a process of one role has, as text of 40 characters (Z85).
struct Keys {
  Role role = Role::observer;
  std::string secret;
  std::map<Role, std::string> known;  // the public keys of all roles

  const std::string& own() const { return known.at(role); }
};

// Makes a pair for each role in a folder that is new or empty; it and the files in it are for this user alone.
// ExitCode::cannot_write if it is not empty.
Status make_keys(const std::filesystem::path& folder);

// ExitCode::not_authorised if another user could have read or changed them, no_input if one is missing, bad_data if one
// is invalid or they do not belong together.
Result<std::shared_ptr<const Keys>> read_keys(const std::filesystem::path& folder, Role role);

}  // namespace rota
