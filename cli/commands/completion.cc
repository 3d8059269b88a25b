// rota completion bash|zsh: the script that a shell loads to complete commands, apps and flags.
//
// The script asks `rota completion words WORD...` for the words that may follow those already typed, so that it always
// offers what the installed programs and apps have.
#include <algorithm>
#include <cstdio>

#include "cli/commands/commands.h"
#include "core/job/plugin_host.h"

namespace rota {
namespace {

// '=' divides words in bash, so the word that is completed is taken from the line itself.
constexpr char kBash[] = R"shell(# bash completion for rota
_rota() {
  local line=${COMP_LINE:0:COMP_POINT} cur before words
  cur=${line##*[[:blank:]]}
  before=${line%"$cur"}
  read -r -a words <<< "$before"
  COMPREPLY=($(compgen -W "$("${words[0]}" completion words "${words[@]:1}" 2>/dev/null)" -- "$cur"))
  if [[ $cur == --*=* ]]; then COMPREPLY=("${COMPREPLY[@]#"${cur%%=*}="}"); fi
  if [[ ${#COMPREPLY[@]} == 1 && ${COMPREPLY[0]} == *= ]]; then compopt -o nospace; fi
}
complete -o default -F _rota rota
)shell";

constexpr char kZsh[] = R"shell(#compdef rota
# zsh completion for rota
_rota() {
  local -a found values
  found=("${(@f)$("${words[1]}" completion words "${(@)words[2,CURRENT-1]}" 2>/dev/null)}")
  values=("${(@M)found:#*=}")
  found=("${(@)found:#*=}")
  compadd -S '' -- "${values[@]}"
  compadd -- "${found[@]}"
  _files
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then _rota "$@"; else compdef _rota rota; fi
)shell";

void print(const std::vector<std::string>& words) {
  for (const std::string& word : words) std::printf("%s\n", word.c_str());
}

// `before`: the words after `rota`, without the one that is being typed.
void print_words(const std::vector<std::string>& before) {
  std::vector<std::string> arguments;
  for (const std::string& word : before)
    if (!word.starts_with('-')) arguments.push_back(word);
  const std::string command = arguments.empty() ? "" : arguments.front();
  const std::vector<std::string> apps = available_apps(), commands = command_names();
  if (arguments.empty()) return print(commands), print(apps);
  if (arguments.size() == 1) {
    if (command == "man" || command == "help") return print(commands);
    if (command == "completion") return print({"bash", "zsh"});
    if (command == "train" || command == "shard" || command == "export") return print(apps);
    if (std::ranges::find(commands, command) == commands.end() || command == "show") return print(apps_with(command));
  }
  // Of a command that does not exist there is nothing to offer.
  (void)help_of({arguments.begin(), arguments.begin() + std::min<std::ptrdiff_t>(std::ssize(arguments), 2)},
                HelpForm::words)
      .ok();
}

}  // namespace

Status completion_command(int argc, const char* const* argv) {
  // What is being typed is not checked.
  if (argc > 1 && std::string_view(argv[1]) == "words") return print_words({argv + 2, argv + argc}), Status();
  return run_command(argc, argv,
                     {"completion bash|zsh",
                      "Writes the script that makes a shell complete commands, apps and flags.  For this shell:\n"
                      "source <(rota completion bash)",
                      "which shell? rota completion bash|zsh"},
                     [](const CommandLine& line) -> Status {
                       const std::string& shell = line.positional.front();
                       if (shell != "bash" && shell != "zsh")
                         return {ExitCode::usage, "no completion for '" + shell + "': there are bash and zsh"};
                       return std::fputs(shell == "bash" ? kBash : kZsh, stdout), Status();
                     });
}

}  // namespace rota
