// core/sources/aws_settings.h -- credentials, region and end point of S3, from where other programs have them too.
#pragma once
#include <string>

#include "core/base/status.h"

namespace rota {

struct AwsSettings {
  std::string key, secret, token;  // the token: of credentials that expire
  std::string region, endpoint;    // the end point: "https://minio.example.org:9000"; "": Amazon's
  std::string certificates;        // a file of authorities; "": the system's
};

// From the environment (AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN, AWS_REGION or AWS_DEFAULT_REGION,
// AWS_ENDPOINT_URL_S3 or AWS_ENDPOINT_URL, AWS_CA_BUNDLE), and what is missing there from the section AWS_PROFILE, or
// "default", of ~/.aws/credentials and ~/.aws/config (AWS_SHARED_CREDENTIALS_FILE, AWS_CONFIG_FILE).
// ExitCode::not_authorised without a key and its secret; no text has any of them.
Result<AwsSettings> aws_settings();

// The value of a setting in a section of an INI file; "" if there is none.
std::string ini_value(const std::string& text, const std::string& section, const std::string& name);

// A file of authorities for any server: CURL_CA_BUNDLE or SSL_CERT_FILE; "": the system's.
std::string certificate_file();

}  // namespace rota
