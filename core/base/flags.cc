#include "core/base/flags.h"

#include <gflags/gflags.h>
#include <glog/logging.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <set>
#include <sstream>

#include "core/base/files.h"
#include "rota/memory_input.h"

namespace rota {

namespace {

constexpr std::size_t kFlagfileBytesMax = 1 << 20;
constexpr int kFlagfilesInside = 8;

Status usage(std::string what) {
  return {ExitCode::usage, std::move(what)};
}

// Flags that gflags has and no table declares: glog's.  gflags' own are not taken.
bool find_log_flag(const std::string& name, gflags::CommandLineFlagInfo& info) {
  return gflags::GetCommandLineFlagInfo(name.c_str(), &info) && info.filename.find("gflags") == info.filename.npos;
}

bool is_log_flag(const std::string& name) {
  gflags::CommandLineFlagInfo info;
  return find_log_flag(name, info);
}

class Walk {
 public:
  Walk(const FlagTables& tables, CommandLine& line) : tables_(tables), line_(line) {
    for (const auto table : {tables.job, tables.own, tables.plugin})
      for (const Option& option : table) {
        const bool truth = option.kind == Option::Kind::flag;
        known_.emplace(option.name, &option);
        values_[std::string(option.name)] = truth && option.default_value.empty() ? "false" : option.default_value;
      }
  }

  // The first error is kept while the rest is looked through for --help.
  Status run(const std::vector<std::string>& words) {
    take_all(words, {}, 0);
    for (const auto& [name, option] : known_)
      if (auto& value = values_[name]; option->kind == Option::Kind::path && !value.empty() &&
                                       !is_memory_name(value))  // data by shard may have been packed from there
        value = absolute_path(value);
    line_.options = Options(std::move(values_));
    return line_.wish == CommandLine::Wish::run ? first_error_ : Status();
  }

 private:
  void take_all(const std::vector<std::string>& words, const std::string& file, int depth) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const std::string& word = words[i];
      if (word == "--" && file.empty()) {
        line_.positional.insert(line_.positional.end(), words.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                                words.end());
        return;
      }
      if (!word.starts_with('-') || word == "-") {
        if (file.empty())
          line_.positional.push_back(word);
        else
          fail(usage(file + ": '" + word + "' is not a flag"));
        continue;
      }
      const std::string* next = file.empty() && i + 1 < words.size() ? &words[i + 1] : nullptr;
      bool took_next = false;
      fail(take(word, next, took_next, depth));
      if (took_next) ++i;
    }
  }

  // One flag; `took_next`: its value was the next argument.
  Status take(const std::string& word, const std::string* next, bool& took_next, int depth) {
    // Only a file can have one.
    if (const auto end = word.find('\0'); end != word.npos)
      return usage(word.substr(0, end) + ": a zero byte in a flag");
    const std::string body = word.substr(word.starts_with("--") ? 2 : 1);
    const auto equals = body.find('=');
    std::string name = body.substr(0, equals);
    std::ranges::replace(name, '-', '_');
    std::optional<std::string> value;
    if (equals != body.npos) value = body.substr(equals + 1);

    if (name == "help" || name == "h" || name == "version") {
      line_.wish = name == "version" ? CommandLine::Wish::version : CommandLine::Wish::help;
      if (value == "manual") line_.form = HelpForm::manual;
      if (value == "words") line_.form = HelpForm::words;
      return {};
    }
    const auto found = known_.find(name);
    const bool takes_no_word = found != known_.end() ? found->second->kind == Option::Kind::flag : is_truth_flag(name);
    if (!value && takes_no_word) value = "true";
    if (!value && name.starts_with("no") && is_truth_flag(name.substr(2))) {
      name.erase(0, 2);
      value = "false";
    }
    const bool known = known_.contains(name) || name == "flagfile" || is_log_flag(name);
    if (!known && !tables_.any_plugin_option) return unknown(name);
    if (!value && next != nullptr && (known || !next->starts_with('-'))) {
      value = *next;
      took_next = true;
    }
    if (!value && !known) value = "true";
    if (!value) return usage("--" + name + " needs a value: --" + name + "=VALUE");
    if (value->find('\n') != value->npos) return usage("--" + name + ": a value must be one line");
    if (name == "flagfile") return take_file(*value, depth);
    if (depth == 0)
      if (const auto earlier = on_line_.emplace(name, *value); !earlier.second && earlier.first->second != *value)
        line_.repeated.push_back(name);
    return set(name, *value);
  }

  Status set(const std::string& name, const std::string& value) {
    if (const auto found = known_.find(name); found != known_.end()) {
      ROTA_ASSIGN(values_[name], checked_value(*found->second, value));
    } else if (is_log_flag(name)) {
      if (gflags::SetCommandLineOption(name.c_str(), value.c_str()).empty())
        return usage("--" + name + "=" + value + ": not a value for this flag of the log");
      line_.log_flags.push_back("--" + name + "=" + value);
      return {};
    } else {
      values_[name] = value;
    }
    line_.given[name] = value;
    return {};
  }

  Status take_file(const std::string& file, int depth) {
    if (depth == kFlagfilesInside) return usage("--flagfile=" + file + ": files in files in files");
    line_.flagfiles.push_back(file);
    ROTA_ASSIGN(auto text, read_whole_file(file, kFlagfileBytesMax).in("--flagfile"));
    std::vector<std::string> lines;
    // Some editors of Windows begin a text with a byte order mark, which is invisible.
    std::istringstream in(text.starts_with("\xef\xbb\xbf") ? text.substr(3) : text);
    for (std::string line; std::getline(in, line);) {
      const auto first = line.find_first_not_of(" \t\r");
      if (first == line.npos || line[first] == '#') continue;
      line.erase(0, first);
      if (line.ends_with('\r')) line.pop_back();
      lines.push_back(std::move(line));
    }
    take_all(lines, file, depth + 1);
    return {};
  }

  bool is_truth_flag(const std::string& name) const {
    if (const auto found = known_.find(name); found != known_.end()) return found->second->kind == Option::Kind::flag;
    gflags::CommandLineFlagInfo info;
    return find_log_flag(name, info) && info.type == "bool";
  }

  Status unknown(const std::string& name) const {
    std::vector<std::string> names{"help", "version", "flagfile"};
    for (const auto& entry : known_) names.push_back(entry.first);
    return usage("unknown flag --" + name + "; the nearest is --" + nearest_name(name, names));
  }

  void fail(Status status) {
    if (first_error_.ok()) first_error_ = std::move(status);
  }

  const FlagTables& tables_;
  CommandLine& line_;
  std::map<std::string, const Option*, std::less<>> known_;
  std::map<std::string, std::string, std::less<>> values_;   // of all options: the last, or the default
  std::map<std::string, std::string, std::less<>> on_line_;  // as the command line itself has them first
  Status first_error_;
};

// Levenshtein's distance, with two neighbours changing places counted as one.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(b.size() + 1), next(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < a.size(); ++i) {
    next[0] = i + 1;
    for (std::size_t j = 0; j < b.size(); ++j) {
      next[j + 1] = std::min({next[j] + 1, row[j + 1] + 1, row[j] + (a[i] == b[j] ? 0 : 1)});
      if (i > 0 && j > 0 && a[i] == b[j - 1] && a[i - 1] == b[j])
        next[j + 1] = std::min(next[j + 1], before[j - 1] + 1);
    }
    before.swap(row);
    row.swap(next);
  }
  return row[b.size()];
}

bool good_name(std::string_view name) {
  const auto good = [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name[0] >= 'a' && name[0] <= 'z' && std::ranges::all_of(name, good);
}

}  // namespace

std::vector<const char*> argv_of(const std::vector<std::string>& words) {
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  return argv;
}

Result<CommandLine> parse_flags(int argc, const char* const* argv, const FlagTables& tables) {
  // Also makes the linker keep glog, so that a program that logs nothing itself accepts its flags.
  google::SetStderrLogging(google::GLOG_WARNING);
  CommandLine line;
  Walk walk(tables, line);
  std::vector<std::string> words;
  for (int i = 1; i < argc; ++i) words.emplace_back(argv[i]);
  ROTA_TRY(walk.run(words));
  return line;
}

Status check_declarations(std::span<const Option> plugin, std::span<const Option> taken) {
  std::set<std::string_view> names{"help", "version", "flagfile"};
  for (const Option& option : taken) names.insert(option.name);
  for (const Option& option : plugin) {
    const std::string name(option.name);
    if (!good_name(option.name)) return {ExitCode::failed, "option '" + name + "': not a name for an option"};
    const bool in_use = !names.insert(option.name).second || is_log_flag(name);
    if (in_use) return {ExitCode::failed, "option " + name + ": the name is taken"};
    if (!option.default_value.empty())
      if (auto checked = checked_value(option, option.default_value); !checked.ok())
        return {ExitCode::failed, "option " + name + ": wrong default: " + checked.status().what()};
  }
  return {};
}

std::string nearest_name(std::string_view name, const std::vector<std::string>& known) {
  const auto nearer = [&](const std::string& a, const std::string& b) { return distance(name, a) < distance(name, b); };
  const auto nearest = std::ranges::min_element(known, nearer);
  return nearest == known.end() ? "" : *nearest;
}

Status check_carried(const std::map<std::string, std::string, std::less<>>& values) {
  for (const auto& [name, value] : values)
    if (value.find('\n') != value.npos || value.ends_with('\r'))
      return usage("--" + name + "=" + value +
                   ": with a line break, or a carriage return at its end, it cannot be written into a file of flags");
  return {};
}

std::string flagfile_text(const std::map<std::string, std::string, std::less<>>& values) {
  std::string text;
  for (const auto& [name, value] : values)
    if (!value.empty()) text += "--" + name + "=" + value + "\n";
  return text;
}

Status write_flagfile(const std::filesystem::path& file,
                      const std::map<std::string, std::string, std::less<>>& values) {
  ROTA_TRY(check_carried(values));
  return write_atomically(file, std::string_view(flagfile_text(values)));
}

}  // namespace rota
