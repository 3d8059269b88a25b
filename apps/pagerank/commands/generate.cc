#include "apps/pagerank/commands/generate.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <ostream>
#include <stdexcept>
#include <string>

#include "rota/seed_mixer.h"

namespace rota::pagerank {
namespace {

constexpr Option kGenerateOptions[] = {
    integer_option("nodes", "100000", "nodes", 1, 268435456.0, "Number of nodes; some may have no edge."),
    integer_option("edges", "1000000", "edges", 1, 1e12, "Number of edges, some of them repeated."),
    real_option("in_exponent", "2.1", "", 2.01, 100, "Exponent of the power law of the number of edges into a node."),
    real_option("out_exponent", "2.72", "", 2.01, 100, "Exponent of the power law of the number of edges out of it."),
    integer_option("seed", "1", "", 0, 9'007'199'254'740'992, "Equal seeds give equal graphs."),
};

// Draws i = 0 .. nodes-1 in proportion to about (i + 1)^-a, a = 1 / (exponent - 1) < 1: the integral of x^-a from 0 to
// x is in proportion to x^(1 - a), so x = nodes u^(1 / (1 - a)).
class PowerLaw {
 public:
  PowerLaw(std::uint64_t nodes, double exponent) : nodes_(nodes), power_(1 / (1 - 1 / (exponent - 1))) {}
  std::uint64_t operator()(Random& random) const {
    const double x = static_cast<double>(nodes_) * std::pow(random.uniform(), power_);
    return std::min(static_cast<std::uint64_t>(x), nodes_ - 1);
  }

 private:
  std::uint64_t nodes_;
  double power_;
};

// Another order of the nodes: i -> (step i + shift) mod nodes, where step and nodes have no common divisor.
class Order {
 public:
  Order(std::uint64_t nodes, Random& random) : nodes_(nodes) {
    do step_ = random.below(nodes) + 1;
    while (std::gcd(step_, nodes) != 1);
    shift_ = random.below(nodes);
  }
  // Nodes are at most 2^28, so the product is below 2^64.
  std::uint64_t operator()(std::uint64_t i) const { return (step_ * i + shift_) % nodes_; }

 private:
  std::uint64_t nodes_, step_ = 1, shift_ = 0;
};

void append(std::uint64_t number, char end, std::string& to) {
  char text[24];
  char* const stop = std::to_chars(text, text + sizeof text, number).ptr;
  *stop = end;
  to.append(text, stop + 1);
}

}  // namespace

void generate_graph(const GraphShape& shape, std::ostream& out) {
  constexpr std::size_t kPiece = std::size_t{1} << 18;
  Random random = random_from(shape.seed);
  const PowerLaw target(shape.nodes, shape.in_exponent), source(shape.nodes, shape.out_exponent);
  const Order target_order(shape.nodes, random), source_order(shape.nodes, random);
  std::string text;
  const auto flush = [&] {
    out.write(text.data(), static_cast<std::streamsize>(text.size()));
    if (!out) throw std::runtime_error("the generated data cannot be written");
    text.clear();
  };
  for (std::uint64_t e = 0; e < shape.edges; ++e) {
    append(source_order(source(random)), ' ', text);
    append(target_order(target(random)), '\n', text);
    if (text.size() >= kPiece) flush();
  }
  flush();
}

std::span<const Option> generate_options() {
  return kGenerateOptions;
}

void generate(const Call& call, std::ostream& out) {
  const auto whole = [&](std::string_view name) { return static_cast<std::uint64_t>(call.options.integer(name)); };
  GraphShape shape;
  shape.nodes = whole("nodes");
  shape.edges = whole("edges");
  shape.in_exponent = call.options.real("in_exponent");
  shape.out_exponent = call.options.real("out_exponent");
  shape.seed = whole("seed");
  generate_graph(shape, out);
}

}  // namespace rota::pagerank
