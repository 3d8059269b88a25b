#include "base/run_folder.h"

#include <array>

namespace rota {

namespace {

constexpr std::array<std::string_view, 5> kRoles = {"coordinator", "scheduler", "worker", "kvstore", "observer"};

bool take(std::string_view& text, std::string_view start) {
  if (!text.starts_with(start)) return false;
  text.remove_prefix(start.size());
  return true;
}

bool take_digits(std::string_view& text) {
  const auto end = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(end);
  return end > 0;
}

// "worker-0"
bool take_process(std::string_view& text) {
  for (const std::string_view role : kRoles)
    if (std::string_view rest = text; take(rest, role) && take(rest, "-") && take_digits(rest))
      return text = rest, true;
  return false;
}

}  // namespace

bool RunFolder::is_of_epoch(std::string_view name) {
  // Its unfinished form has six letters more (write_atomically).
  if (take(name, kCommitRecord)) return name.empty() || (name.starts_with('.') && name.size() == 7);
  if (!take(name, "partition-") || !take_digits(name) || !take(name, ".sst")) return false;
  return name.empty() || name == ".unfinished";
}

bool RunFolder::is_of_log(std::string_view name) {
  return take_process(name) && (name == ".log" || name == ".doing");
}

bool RunFolder::is_socket(std::string_view name) {
  if (name == "coordinator") return true;
  if (!take_process(name)) return false;
  return name.empty() || (take(name, "-") && take_digits(name) && name.empty());
}

}  // namespace rota
