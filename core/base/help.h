// core/base/help.h -- what a command's --help shows, made from the declarations of its options: for a terminal, as a
// manual page, and as words for a shell's completion.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "core/base/flags.h"
#include "rota/options.h"

namespace rota {

struct HelpSection {
  std::string title;  // "The network:", or "" right below what the command does
  std::vector<Option> options;
};

struct Help {
  std::string usage;  // "rota train APP --input=PATH --out=DIR [flags]"
  std::string about;  // what the command does, in whole sentences; paragraphs are separated by an empty line
  std::vector<HelpSection> sections;
  std::string end = {};  // shown below the options
};

// A table as a section has it.
inline std::vector<Option> listed(std::span<const Option> table) {
  return {table.begin(), table.end()};
}

// Options without a meaning are left out.
std::string help_text(const Help& help, HelpForm form);

}  // namespace rota
