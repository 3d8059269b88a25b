#include "core/base/help.h"

#include <algorithm>
#include <cctype>
#include <string_view>

#include "core/base/version.h"

namespace rota {
namespace {

// "--topics=N", and the same for each word of a choice.
std::string label(const Option& option) {
  const std::string name = "--" + std::string(option.name);
  switch (option.kind) {
    case Option::Kind::flag:
      return name;
    case Option::Kind::choice:
      return name + "=" + std::string(option.unit);
    case Option::Kind::path:
      return name + "=PATH";
    case Option::Kind::text:
      return name + "=TEXT";
    default:
      return name + "=N";
  }
}

// "default 100; unit: topics; 2 .. 65535; for --loss=bpr", or "".
std::string details(const Option& option) {
  std::string all;
  const auto add = [&](const std::string& detail) { all += (all.empty() ? "" : "; ") + detail; };
  if (!option.default_value.empty()) add("default " + std::string(option.default_value));
  if (!option.unit.empty() && option.kind != Option::Kind::choice) add("unit: " + std::string(option.unit));
  if (const std::string bounds = shown_bounds(option); !bounds.empty()) add(bounds);
  if (!option.needs.text.empty()) add("for " + std::string(option.needs.text));
  return all;
}

std::string for_terminal(const Help& help) {
  std::string text = "usage: " + help.usage + "\n\n" + help.about + "\n";
  for (const HelpSection& section : help.sections) {
    if (!section.title.empty()) text += "\n" + section.title + "\n";
    for (const Option& option : section.options) {
      if (option.meaning.empty()) continue;
      const std::string more = details(option);
      text += "  " + label(option) + (more.empty() ? "" : "  (" + more + ")") + "\n      ";
      text += std::string(option.meaning) + "\n";
    }
  }
  return text + (help.end.empty() ? "" : "\n" + help.end + "\n");
}

// Text of a manual page (man(7)): nothing in it is a request or an escape of roff, and a hyphen is one that can be
// copied.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n'))
      out += std::string("\\&") + c;
    else
      out += c;
  }
  return out;
}

// The words before the first argument or option, joined: "rota-train-lda".
std::string page_name(const std::string& usage) {
  std::string name;
  for (std::size_t at = 0; at < usage.size();) {
    const std::size_t end = std::min(usage.find(' ', at), usage.size());
    const std::string_view word(usage.data() + at, end - at);
    const auto plain = [](unsigned char c) {
      return std::islower(c) != 0 || std::isdigit(c) != 0 || c == '-' || c == '_';
    };
    if (word.empty() || word[0] == '-' || !std::ranges::all_of(word, plain)) break;
    name += (name.empty() ? "" : "-") + std::string(word);
    at = end + 1;
  }
  return name;
}

std::string manual_page(const Help& help) {
  const std::string name = page_name(help.usage);
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const std::string first = help.about.substr(0, std::min(help.about.find_first_of(".\n:"), help.about.size()));
  // `.ad l`: lists of an option's words are too long for lines of one length.
  std::string page = ".TH " + roff(title) + " 1 \"\" \"rota " + kVersion + "\" \"User Commands\"\n.ad l\n.SH NAME\n" +
                     roff(name) + " \\- " + roff(first) + "\n.SH SYNOPSIS\n" + roff(help.usage) + "\n.SH DESCRIPTION\n";
  std::string about = help.about;
  for (std::size_t at; (at = about.find("\n\n")) != about.npos;) {
    page += roff(about.substr(0, at)) + "\n.PP\n";
    about.erase(0, at + 2);
  }
  page += roff(about) + "\n";
  for (const HelpSection& section : help.sections) {
    std::string heading = section.title.empty() ? "OPTIONS" : section.title;
    if (heading.back() == ':') heading.pop_back();
    page += ".SH " + roff(heading) + "\n";
    for (const Option& option : section.options) {
      if (option.meaning.empty()) continue;
      const std::string more = details(option);
      page += ".TP\n.B " + roff(label(option)) + "\n" + roff(option.meaning) + "\n";
      if (!more.empty()) page += "(" + roff(more) + ")\n";
    }
  }
  if (!help.end.empty()) page += ".SH NOTES\n" + roff(help.end) + "\n";
  return page;
}

// One word a line.  One that ends in '=' is followed by a value.
std::string words(const Help& help) {
  std::string all;
  for (const HelpSection& section : help.sections)
    for (const Option& option : section.options) {
      if (option.meaning.empty()) continue;
      const std::string name = "--" + std::string(option.name);
      if (option.kind == Option::Kind::flag)
        all += name + "\n" + (option.default_value == "true" ? "--no" + std::string(option.name) + "\n" : "");
      else if (option.kind != Option::Kind::choice)
        all += name + "=\n";
      else
        for (std::size_t at = 0; at <= option.unit.size();) {
          const std::size_t end = std::min(option.unit.find('|', at), option.unit.size());
          all += name + "=" + std::string(option.unit.substr(at, end - at)) + "\n";
          at = end + 1;
        }
    }
  return all;
}

}  // namespace

std::string help_text(const Help& help, HelpForm form) {
  return form == HelpForm::manual ? manual_page(help) : form == HelpForm::words ? words(help) : for_terminal(help);
}

}  // namespace rota
