// apps/lda/format_option.h -- the option for the format of documents, of training and of commands.
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
