// tests/apps/lasso_host.h -- the apps lasso and lasso_rows in one program, where linked_plugin() is the one that was
// chosen last, on the serial host with data of a test.
#pragma once
#include <map>
#include <string>
#include <string_view>

#include "apps/lasso/fit_sequence.h"
#include "rota/testing/serial_host.h"
#include "tests/apps/plain_lasso.h"

namespace rota::lasso {

void choose(std::string_view app);

// A job over `data`, which it reads as text.
Job job_of(const Data& data, std::map<std::string, std::string> given, std::uint32_t shards = 3);

FitRow fit_row(const SerialHost& host, std::uint32_t fold, std::uint32_t penalty);
// Runs to the end, and sums up the figures of all epochs.
std::map<std::string, double> run(SerialHost& host, int epochs = 3000);
// The recorded fits are those of plain coordinate descent.
void expect_fits(const Data& data, const Job& job, const SerialHost& host, double precision = 1e-5);
// Near the optimum of the plain fit, by `share` of the objective at zero.
void expect_optimum(const Data& data, const Job& job, const SerialHost& host, double share);

}  // namespace rota::lasso
