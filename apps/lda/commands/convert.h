// apps/lda/commands/convert.h -- `rota convert lda`: running text to a bag of words.
#pragma once
#include <iosfwd>
#include <span>

#include "rota/plugin.h"

namespace rota::lda {

std::span<const Option> convert_options();
void convert(const Call& call, std::ostream& out);

}  // namespace rota::lda
