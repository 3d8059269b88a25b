#include "core/base/trust.h"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <vector>

namespace rota {

namespace fs = std::filesystem;

namespace {

constexpr const char* kThisProgram = "/proc/self/exe";

Status refused(const fs::path& path, const std::string& why) {
  return {ExitCode::not_authorised, path.string() + " " + why};
}

std::string mode_of(const struct stat& facts) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "%03o", facts.st_mode & 07777U);
  return text.data();
}

// Many systems give each user a group, and let it write whatever the user makes.  In a container it may have no name;
// then it has the number of the user (Kubernetes: runAsUser and fsGroup).
bool is_private_group(gid_t group, uid_t owner) {
  std::vector<char> user_text(16384), group_text(65536);
  passwd user = {};
  passwd* found_user = nullptr;
  struct group entry = {};
  struct group* found_group = nullptr;
  // Without a file of names the answer is ENOENT.
  const auto answered = [](int error) { return error == 0 || error == ENOENT; };
  if (!answered(::getpwuid_r(owner, &user, user_text.data(), user_text.size(), &found_user))) return false;
  if (!answered(::getgrgid_r(group, &entry, group_text.data(), group_text.size(), &found_group))) return false;
  if (found_group == nullptr) return group == owner;
  if (found_user == nullptr) return false;
  const std::string name = user.pw_name;
  if (user.pw_gid != group || name != entry.gr_name) return false;
  for (char** member = entry.gr_mem; *member != nullptr; ++member)
    if (name != *member) return false;
  return true;
}

// Of the owner, or of this user, who is trusted with any file.
bool is_private_group(const struct stat& facts) {
  return is_private_group(facts.st_gid, facts.st_uid) || is_private_group(facts.st_gid, ::geteuid());
}

bool is_trusted(uid_t owner, const fs::path& program) {
  struct stat facts = {};
  const bool known = ::stat(program.c_str(), &facts) == 0;
  return owner == 0 || owner == ::geteuid() || (known && owner == facts.st_uid);
}

Status check_facts(const fs::path& path, const struct stat& facts, const fs::path& program, bool on_the_way) {
  if (!is_trusted(facts.st_uid, program))
    return refused(path, "belongs to user " + std::to_string(facts.st_uid) +
                             ", who is neither you, nor root, nor the owner of this program");
  if (on_the_way && (facts.st_mode & S_ISVTX) != 0) return {};
  if ((facts.st_mode & S_IWOTH) != 0)
    return refused(path, "can be changed by everybody (mode " + mode_of(facts) + "): chmod o-w");
  if ((facts.st_mode & S_IWGRP) != 0 && !is_private_group(facts))
    return refused(path, "can be changed by its group (mode " + mode_of(facts) + "): chmod g-w");
  return {};
}

Status facts_of(const fs::path& path, struct stat& facts) {
  if (::lstat(path.c_str(), &facts) == 0) return {};
  return {ExitCode::no_input, path.string() + ": " + std::generic_category().message(errno)};
}

// As check_trusted(); a sticky folder counts as one on the way, if `sticky_too`.
Status check_path(const fs::path& path, const fs::path& program, bool sticky_too) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return {ExitCode::no_input, path.string() + ": " + error.message()};
  std::error_code unknown;
  const fs::path runs = fs::canonical(program, unknown);
  struct stat facts = {};
  ROTA_TRY(facts_of(real, facts));
  ROTA_TRY(check_facts(real, facts, runs, sticky_too));
  for (fs::path above = real; above.has_relative_path();) {
    above = above.parent_path();
    const bool has_program = std::ranges::mismatch(above, runs).in1 == above.end();
    if (!unknown && has_program) break;  // and so have all others
    ROTA_TRY(facts_of(above, facts));
    ROTA_TRY(check_facts(above, facts, runs, true));
  }
  return {};
}

// Root has provided the secret for this user: as a volume of a Secret, whose files are links into a folder beside them,
// and whose own folder is sticky.
Status check_provided(const fs::path& path) {
  std::error_code error;
  const fs::path real = fs::canonical(path, error);
  if (error) return {ExitCode::no_input, path.string() + ": " + error.message()};
  struct stat facts = {};
  ROTA_TRY(facts_of(real, facts));
  const bool folder = S_ISDIR(facts.st_mode);
  if (facts.st_uid != 0)
    return refused(path, "leads to a file of user " + std::to_string(facts.st_uid) + ", and the link is root's");
  if (!folder && (facts.st_mode & 0007) != 0)
    return refused(path, "is open to others (mode " + mode_of(facts) + "): chmod o=");
  if (!folder && (facts.st_mode & 0070) != 0 && !is_private_group(facts.st_gid, ::geteuid()))
    return refused(path, "is open to group " + std::to_string(facts.st_gid) + ", which is not yours alone (mode " +
                             mode_of(facts) + "); your user's number is " + std::to_string(::geteuid()));
  return check_path(real, kThisProgram, folder);
}

}  // namespace

Status check_trusted(const fs::path& path, const fs::path& program) {
  return check_path(path, program, false);
}

Status check_own(const fs::path& path) {
  struct stat facts = {};
  if (::stat(path.c_str(), &facts) != 0)
    return {ExitCode::no_input, path.string() + ": " + std::generic_category().message(errno)};
  if (facts.st_uid != ::geteuid())
    return refused(
        path, "belongs to user " + std::to_string(facts.st_uid) + ", and you are user " + std::to_string(::geteuid()));
  return check_trusted(path);
}

Status check_secret(const fs::path& path) {
  struct stat facts = {};
  ROTA_TRY(facts_of(path, facts));
  if (facts.st_uid == 0 && ::geteuid() != 0) return check_provided(path);
  if (S_ISLNK(facts.st_mode)) return refused(path, "is a link, and keys are not taken through links");
  if ((facts.st_mode & 0077) != 0) return refused(path, "is open to others (mode " + mode_of(facts) + "): chmod go=");
  return check_own(path);
}

}  // namespace rota
