// tests/fuzz/seeds.h -- inputs that the decoders take, for fuzzing to begin with.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace rota::fuzz {

using Input = std::vector<std::byte>;

std::vector<Input> message_seeds();  // one for every kind
std::vector<Input> commit_seeds();
std::vector<Input> cut_seeds();
std::vector<Input> libsvm_seeds();
std::vector<Input> matrix_market_seeds();
std::vector<Input> number_seeds();
std::vector<Input> manifest_seeds();  // of a model whose file is the first of checkpoint_seeds()
std::vector<Input> checkpoint_seeds();
std::vector<Input> flags_seeds();
std::vector<Input> address_seeds();

}  // namespace rota::fuzz
