// tests/apps/lda_terms.h -- the LDA app's terms in SerialHost::evaluate().
#pragma once
#include <gtest/gtest.h>

#include "rota/testing/serial_host.h"

namespace rota::lda {

// The last two are there only with held-out data.
enum TermId { kDocTerm, kWordTerm, kDeltaTerm, kTokensTerm, kValidLossTerm, kValidTokensTerm };

inline double joint_per_token(const SerialHost& host) {
  const auto terms = host.evaluate();
  EXPECT_EQ(terms[kTokensTerm], static_cast<double>(host.items()));
  return (terms[kDocTerm] + terms[kWordTerm]) / static_cast<double>(host.items());
}

}  // namespace rota::lda
