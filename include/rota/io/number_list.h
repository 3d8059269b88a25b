// rota/io/number_list.h -- a file with a list of numbers: the response or the weight of every row of a matrix.
#pragma once
#include <string>
#include <vector>

namespace rota::io {

// One number a line, as parse_number() reads it (decimal.h), or a MatrixMarket array of one column; or one column of
// data in memory.  `what` is one of
// them, for messages: "a weight".  Throws NoInput or DataError, also for a number below `least`.
std::vector<double> read_numbers(const std::string& path, const std::string& what, double least);

}  // namespace rota::io
