#include "core/sources/aws_settings.h"

#include <cstdlib>
#include <filesystem>
#include <initializer_list>
#include <string_view>

#include "core/base/files.h"

namespace rota {

namespace {

constexpr std::size_t kMostOfFile = std::size_t{1} << 20;  // bytes

std::string from_environment(std::initializer_list<const char*> names) {
  for (const char* const name : names)
    if (const char* const value = std::getenv(name); value != nullptr && *value != '\0') return value;
  return {};
}

std::string_view without_blanks(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r");
  if (first == text.npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// "" if it is not there, or is no file that can be read.
std::string text_of_file(const char* variable, const char* in_home) {
  std::string name = from_environment({variable});
  if (name.empty()) {
    const std::string home = from_environment({"HOME"});
    if (home.empty()) return {};
    name = home + in_home;
  }
  std::error_code error;
  if (!std::filesystem::is_regular_file(name, error)) return {};
  auto text = read_whole_file(name, kMostOfFile);
  return text.ok() ? *std::move(text) : std::string();
}

}  // namespace

std::string ini_value(const std::string& text, const std::string& section, const std::string& name) {
  bool inside = false;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = without_blanks(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      inside = line.back() == ']' && without_blanks(line.substr(1, line.size() - 2)) == section;
      continue;
    }
    const std::size_t equal = line.find('=');
    if (inside && equal != line.npos && without_blanks(line.substr(0, equal)) == name)
      return std::string(without_blanks(line.substr(equal + 1)));
  }
  return {};
}

std::string certificate_file() {
  return from_environment({"CURL_CA_BUNDLE", "SSL_CERT_FILE"});
}

Result<AwsSettings> aws_settings() {
  std::string profile = from_environment({"AWS_PROFILE"});
  if (profile.empty()) profile = "default";
  const std::string credentials = text_of_file("AWS_SHARED_CREDENTIALS_FILE", "/.aws/credentials");
  const std::string config = text_of_file("AWS_CONFIG_FILE", "/.aws/config");
  const auto of_profile = [&](const char* name) {
    std::string value = ini_value(credentials, profile, name);
    if (value.empty()) value = ini_value(config, profile == "default" ? profile : "profile " + profile, name);
    return value;
  };
  AwsSettings all;
  all.key = from_environment({"AWS_ACCESS_KEY_ID"});
  if (!all.key.empty()) {  // the three belong together
    all.secret = from_environment({"AWS_SECRET_ACCESS_KEY"});
    all.token = from_environment({"AWS_SESSION_TOKEN"});
  } else {
    all.key = of_profile("aws_access_key_id");
    all.secret = of_profile("aws_secret_access_key");
    all.token = of_profile("aws_session_token");
  }
  if (all.key.empty() || all.secret.empty())
    return Status(ExitCode::not_authorised,
                  "there are no credentials for S3: set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or put them into "
                  "the section [" +
                      profile + "] of ~/.aws/credentials (AWS_PROFILE names another)");
  all.region = from_environment({"AWS_REGION", "AWS_DEFAULT_REGION"});
  if (all.region.empty()) all.region = of_profile("region");
  if (all.region.empty()) all.region = "us-east-1";
  all.endpoint = from_environment({"AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"});
  if (all.endpoint.empty()) all.endpoint = of_profile("endpoint_url");
  while (all.endpoint.ends_with('/')) all.endpoint.pop_back();
  if (!all.endpoint.empty() && !all.endpoint.starts_with("https://") && !all.endpoint.starts_with("http://"))
    return Status(ExitCode::usage, "AWS_ENDPOINT_URL: must begin with https:// or http://");
  all.certificates = from_environment({"AWS_CA_BUNDLE"});
  if (all.certificates.empty()) all.certificates = certificate_file();
  return all;
}

}  // namespace rota
