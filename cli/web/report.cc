#include "cli/web/report.h"

#include <openssl/evp.h>

#include <algorithm>
#include <optional>
#include <regex>
#include <sstream>

#include "cli/web/page_files.h"
#include "core/base/check.h"

namespace rota {

namespace {

constexpr std::string_view kMark = "<meta name=\"generator\" content=\"rota report\">";

std::string_view text_of(std::string_view name) {
  const auto files = page_files();
  const auto found = std::ranges::find(files, name, &PageFile::name);
  ROTA_CHECK(found != files.end());
  return found->text;
}

// What is between these two in a line; nothing if it has another form.
std::optional<std::string> between(const std::string& line, std::string_view begin, std::string_view end) {
  if (!line.starts_with(begin) || !line.ends_with(end)) return {};
  return line.substr(begin.size(), line.size() - begin.size() - end.size());
}

// "./base.js", "base.js" -> "$base": the object with what a module exports.
std::string object_of(std::string_view module) {
  const std::size_t from = module.rfind('/') + 1;  // 0 if there is none
  return "$" + std::string(module.substr(from, module.rfind('.') - from));
}

// A module as a statement of one script, after those that it imports from: names at its top level stay its own.
// Imports and exports begin their lines, and an import is one line.
std::string as_statement(std::string_view name) {
  static const std::regex import_form("import (\\{.*\\}) from '([^']+)';");
  static const std::regex export_form("export (?:async )?(?:const|let|function|class) (\\w+)");
  std::string script = "const " + object_of(name) + " = (() => {\n", exported;
  std::istringstream lines{std::string(text_of(name))};
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (std::regex_match(line, found, import_form)) {
      const std::string names = std::regex_replace(found[1].str(), std::regex(" as "), ": ");
      line = "const " + names + " = " + object_of(found[2].str()) + ";";
    } else if (std::regex_search(line, found, export_form, std::regex_constants::match_continuous)) {
      exported += (exported.empty() ? "" : ", ") + found[1].str();
      line.erase(0, std::string_view("export ").size());
    }
    script += line + "\n";
  }
  return script + "return { " + exported + " };\n})();\n";
}

}  // namespace

bool is_report(std::string_view beginning) {
  return beginning.find(kMark) != beginning.npos;
}

std::string json_in_html(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  for (const char c : json) c == '<' ? text += "\\u003c" : text += c;
  return text;
}

std::string policy_hash(std::string_view text) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  ROTA_CHECK(::EVP_Digest(text.data(), text.size(), digest, &size, ::EVP_sha256(), nullptr) == 1);
  unsigned char base64[EVP_MAX_MD_SIZE * 2];
  const int length = ::EVP_EncodeBlock(base64, digest, static_cast<int>(size));
  return "'sha256-" + std::string(reinterpret_cast<const char*>(base64), static_cast<std::size_t>(length)) + "'";
}

std::string report_html(const std::vector<std::string>& runs, bool compares) {
  std::string page, modules, scripts, styles;
  const auto put_script = [&](const char* tag, const std::string& text) {
    scripts += " " + policy_hash(text);
    page += tag + text + "</script>\n";
  };
  std::istringstream lines{std::string(text_of("index.html"))};
  std::size_t head = 0;  // where the policy goes, once all hashes are known
  for (std::string line; std::getline(lines, line);) {
    if (const auto style = between(line, "<link rel=\"stylesheet\" href=\"", "\">")) {
      const std::string text(text_of(*style));
      styles += " " + policy_hash(text);
      page += "<style>" + text + "</style>\n";
    } else if (const auto module = between(line, "<link rel=\"modulepreload\" href=\"", "\">")) {
      modules += as_statement(*module);
    } else if (const auto script = between(line, "<script src=\"", "\"></script>")) {
      put_script("<script>", std::string(text_of(*script)));
    } else if (const auto main = between(line, "<script type=\"module\" src=\"", "\"></script>")) {
      page += std::string("<script type=\"application/json\" id=\"data\">{") + (compares ? "\"compare\":true," : "") +
              "\"runs\":[";
      for (const std::string& run : runs) page += (&run == runs.data() ? "" : ",") + json_in_html(run);
      page += "]}</script>\n";
      put_script("<script type=\"module\">", modules + as_statement(*main));
    } else {
      page += line + "\n";
      if (line.starts_with("<meta charset=")) head = page.size();
    }
  }
  ROTA_CHECK(head > 0 && !scripts.empty());
  page.insert(head, std::string(kMark) +
                        "\n<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; script-src" +
                        scripts + "; style-src" + styles + "; img-src data:; base-uri 'none'; form-action 'none'\">\n" +
                        "<!-- uPlot is part of this file:\n" + std::string(text_of("uplot.LICENSE.txt")) + "-->\n");
  return page;
}

}  // namespace rota
