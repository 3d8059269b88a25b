// apps/lda/commands/pyldavis.h -- `rota pyldavis lda`: the arguments of pyLDAvis.prepare(), as JSON.
//
//   import json, pyLDAvis
//   pyLDAvis.display(pyLDAvis.prepare(**json.load(open("topics.json"))))
//
// Words without tokens are left out: pyLDAvis divides by their frequency.  All numbers are finite and positive, and the
// rows of both tables of shares add up to 1, for topics and documents without tokens too.
#pragma once
#include <iosfwd>
#include <span>

#include "rota/plugin.h"

namespace rota::lda {

std::span<const Option> pyldavis_options();
void pyldavis(const Call& call, std::ostream& out);

}  // namespace rota::lda
