// cli/web/report.h -- the page and its data as one HTML file, which needs nothing else.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace rota {

// The page with runs in it, each the JSON of SeenRun::whole(), and all of them compared at first if `compares`.  Its
// content security policy allows only its own scripts and styles, by their hashes, and no connection.
std::string report_html(const std::vector<std::string>& runs, bool compares = false);

// Whether a file that begins like this was made by report_html().
bool is_report(std::string_view beginning);

// JSON as it can stand in a <script> element: without '<'.
std::string json_in_html(std::string_view json);
// The SHA-256 of a text, as a policy names it: "'sha256-...='".
std::string policy_hash(std::string_view text);

}  // namespace rota
