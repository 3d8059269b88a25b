// cli/remote/hosts.h -- the machines that a job is spread over, as --hosts names them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/status.h"

namespace rota {

inline constexpr std::uint16_t kSshPort = 22;

struct Machine {
  std::string user;          // "": whom ssh takes
  std::string name;          // a name that ssh knows, or an address; of IPv6 without its brackets
  std::size_t slots = 1;     // how much of the job it takes, beside the others
  std::string address = {};  // how it is reached over tcp; "": by its name
  int group = -1;            // of a heterogeneous job of Slurm

  const std::string& host() const { return address.empty() ? name : address; }
  std::string target() const { return user.empty() ? name : user + "@" + name; }  // as ssh wants it
};

// "a,b:4,user@[fd00::1]:2", or a file of such, one a line, with # before comments.  Text with a '/' in it,
// or that names a file, is a file.
//
// Anything but a plain name or address is refused, so that no host is ever taken for an option or for words of a shell.
// ExitCode::usage, with "file:line: what"; no_input if there is no such file.
Result<std::vector<Machine>> read_hosts(std::string_view text);

// Arguments of ssh, or a program in its place, that run `rota WORDS...` on the machine.  ssh passes its last argument
// to a shell there, so each of its words is of printable ASCII, and within quotes that it cannot end; the path of
// `rota` is absolute.  ExitCode::usage for any other word.
Result<std::vector<std::string>> ssh_arguments(const Machine& machine, std::string_view rota,
                                               const std::vector<std::string>& words);

// The machine of the index-th of `count` processes.  They are dealt evenly over all slots in their order, so that
// neighbours are on one machine: a slice goes from a shard to its neighbour, and crosses fewer cables that way.
std::size_t machine_of(const std::vector<Machine>& machines, std::size_t index, std::size_t count);
std::size_t slots_of(const std::vector<Machine>& machines);

}  // namespace rota
