// core/base/sealed_json.h -- JSON files that are believed: with the number of their format, and a checksum over their
// fields, since a digit that changed on the disk still makes a number.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "core/base/status.h"

namespace rota {

// The text of a file with the fields of `object` between its format and its checksum.
std::string seal(const nlohmann::ordered_json& object, unsigned format);

// The object in the text of such a file.  What was read is checked, not the text: the same fields laid out otherwise
// are as good.  ExitCode::disk if anything was changed, wrong_version if its format is another.
Result<nlohmann::json> unseal(const std::string& text, unsigned format);

}  // namespace rota
