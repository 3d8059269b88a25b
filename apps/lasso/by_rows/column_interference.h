// apps/lasso/by_rows/column_interference.h -- coefficients interfere if their columns correlate: the dependency test of
// the STRADS paper (section 3.3).
#pragma once
#include <memory>

#include "apps/lasso/design/columns.h"
#include "rota/schedules/interference.h"

namespace rota::lasso {

// Two columns interfere if |x_j' x_k| > least |x_j| |x_k|, of the columns about their means if `centred`.  If columns
// have more than a thousand entries on average, this is estimated from a sample of the rows that leaves a thousand.
//
// Keeps a copy of these rows, as the schedulers of STRADS do of all: of a sparse matrix 8 bytes an entry, 12 a column
// and 24 a row; it compares a column through the rows that it has entries in, and columns without a common row do not
// interfere.  Of a dense matrix (a quarter of the places filled) 4 bytes a place; it remembers the results of pairs if
// there are at most 2^28 pairs, two bits each.
std::unique_ptr<Interference> column_interference(const Columns& matrix, double least, bool centred);

}  // namespace rota::lasso
