// tests/apps/lda_terms.h -- the places of the LDA app's terms in SerialHost::evaluate().
#pragma once

namespace rota::lda {

// The last two are there only with held-out data.
enum TermId { kDocTerm, kWordTerm, kDeltaTerm, kTokensTerm, kValidLossTerm, kValidTokensTerm };

}  // namespace rota::lda
