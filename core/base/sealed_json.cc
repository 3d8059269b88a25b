#include "core/base/sealed_json.h"

#include "core/base/hash.h"
#include "core/base/json_text.h"

namespace rota {

namespace {

// Nothing that Rota writes is nested so deeply, and a deeper one could overflow the stack when it is written again.
constexpr int kDepthMost = 16;

constexpr const char* kFormat = "format";
constexpr const char* kCheck = "check";

// Over all fields but itself, in the order of their names.
std::string check_of(nlohmann::json object) {
  object.erase(kCheck);
  return hash128(json_text(object)).hex();
}

}  // namespace

std::string seal(const nlohmann::ordered_json& object, unsigned format) {
  nlohmann::ordered_json sealed;
  sealed[kFormat] = format;
  for (const auto& [name, value] : object.items()) sealed[name] = value;
  sealed[kCheck] = check_of(nlohmann::json::parse(json_text(sealed)));
  return json_text(sealed, 2) + "\n";
}

Result<nlohmann::json> unseal(const std::string& text, unsigned format) {
  // What is too deep is left out, and then the checksum is wrong.
  const auto shallow = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) { return depth <= kDepthMost; };
  auto object = nlohmann::json::parse(text, shallow, false);
  if (!object.is_object()) return Status(ExitCode::disk, "damaged: it is no JSON object");
  const auto its = object.find(kFormat);
  if (its == object.end() || !its->is_number_unsigned()) return Status(ExitCode::disk, "damaged: it has no format");
  if (*its != format)
    return Status(ExitCode::wrong_version, "written by another version of Rota: format " + its->dump() +
                                               ", this one reads format " + std::to_string(format));
  const auto check = object.find(kCheck);
  if (check == object.end() || *check != check_of(object))
    return Status(ExitCode::disk, "damaged: its checksum is wrong");
  return object;
}

}  // namespace rota
