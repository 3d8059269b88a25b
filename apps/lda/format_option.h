// apps/lda/format_option.h -- the option that names the format of documents, for training and for commands.
#pragma once
#include "rota/options.h"

namespace rota::lda {

inline constexpr Option kFormatOption = {
    .name = "format",
    .kind = Option::Kind::choice,
    .default_value = "auto",
    .unit = "auto|uci|lda-c|text",
    .meaning = "Format of the input: UCI bag-of-words, LDA-C, or text with one document a line."};

}  // namespace rota::lda
