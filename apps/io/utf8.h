// apps/io/utf8.h -- the code points of text (rota/utf8.h), and text of code points.
#pragma once
#include <string>

#include "rota/utf8.h"

namespace rota::io {

using rota::CodePoint;
using rota::next_code_point;

// REQUIRES: value was valid.
void append_code_point(char32_t value, std::string& to);

}  // namespace rota::io
