#include "apps/pagerank/graph.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "rota/error.h"
#include "rota/io/decimal.h"
#include "rota/io/lines.h"
#include "rota/io/numbers.h"
#include "rota/io/vocabulary.h"
#include "rota/shards.h"
#include "rota/utf8.h"

namespace rota::pagerank {
namespace {

// Of a step, in units of edges: a new rank takes more operations than a share.
constexpr std::uint64_t kNodeWork = 4;
// Shares of a rank, rank * weight / sum of weights, are numbers between these.
constexpr double kLeastWeight = 1e-100, kMostWeight = 1e100;

struct Edge {
  std::uint32_t from, to;
};

class EdgeList {
 public:
  void read(const std::string& path) {
    io::Lines lines(path);
    for (std::string_view line; lines.next(line);) {
      std::string_view rest = line;
      const std::string_view from = io::next_field(rest);
      if (from.empty() || from.starts_with('#')) continue;
      const std::string_view to = io::next_field(rest), weight = io::next_field(rest);
      if (to.empty()) lines.fail("expected two nodes, found one: " + io::quoted(from));
      if (const auto more = io::next_field(rest); !more.empty())
        lines.fail("expected two nodes and a weight, found more: " + io::quoted(more));
      const std::uint32_t source = node(from, lines);  // numbered before the target
      add({source, node(to, lines)}, weight.empty() ? 1.0 : weight_of(weight, lines));
    }
  }

  const io::Vocabulary& names() const { return names_; }
  const std::vector<Edge>& edges() const { return edges_; }
  double weight(std::size_t e) const { return weights_.empty() ? 1.0 : weights_[e]; }

 private:
  std::uint32_t node(std::string_view name, const io::Lines& lines) {
    const auto known = names_.find(name);
    if (known) return *known;
    if (!is_utf8(name)) lines.fail("a node's name is not UTF-8: " + io::quoted(name));
    if (names_.size() == io::kMostWords) lines.fail("a graph has at most " + std::to_string(io::kMostWords) + " nodes");
    return names_.number_of(name);
  }
  static double weight_of(std::string_view text, const io::Lines& lines) {
    double weight = 0;
    if (!io::parse_number(text, weight)) lines.fail("expected a weight, found " + io::quoted(text));
    if (!(weight > 0)) lines.fail("a weight must be positive: " + io::quoted(text));
    if (weight < kLeastWeight || weight > kMostWeight)
      lines.fail("a weight must be between 1e-100 and 1e100: " + io::quoted(text));
    return weight;
  }
  void add(const Edge& edge, double weight) {
    if (weight != 1.0 && weights_.empty()) weights_.resize(edges_.size(), 1.0);
    edges_.push_back(edge);
    if (weight != 1.0 || !weights_.empty()) weights_.push_back(weight);
  }

  io::Vocabulary names_;
  std::vector<Edge> edges_;
  std::vector<double> weights_;  // of the edges; empty as long as all are 1
};

// The number of edges to each node; a repeated edge counts once.
std::vector<std::uint32_t> in_degrees(const EdgeList& list) {
  const std::size_t nodes = list.names().size();
  std::vector<std::size_t> next(nodes + 1);
  for (const Edge& edge : list.edges()) ++next[edge.to + std::size_t{1}];
  std::partial_sum(next.begin(), next.end(), next.begin());
  std::vector<std::uint32_t> from(list.edges().size()), degrees(nodes), last_target(nodes, ~std::uint32_t{0});
  for (const Edge& edge : list.edges()) from[next[edge.to]++] = edge.from;
  std::size_t e = 0;
  for (std::uint32_t v = 0; v < nodes; ++v)
    for (; e < next[v]; ++e)
      if (std::exchange(last_target[from[e]], v) != v) ++degrees[v];
  return degrees;
}

// The first node of every shard, and at the end the number of nodes.
std::vector<std::uint64_t> cut_nodes(const EdgeList& list, std::uint32_t shards) {
  std::vector<std::uint64_t> work;
  for (const std::uint32_t degree : in_degrees(list)) work.push_back(kNodeWork + degree);
  return cut_by_work(work, shards);
}

// The edges to each node of a range, in the order of the input.
class ByTarget {
 public:
  ByTarget(const EdgeList& list, std::uint32_t first, std::uint32_t end) : begins_(std::size_t{end} - first + 1) {
    const auto inside = [&](const Edge& edge) { return edge.to >= first && edge.to < end; };
    for (const Edge& edge : list.edges())
      if (inside(edge)) ++begins_[edge.to - first + std::size_t{1}];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
    edges_.resize(begins_.back());
    std::vector<std::size_t> next(begins_.begin(), begins_.end() - 1);
    for (std::size_t e = 0; e < list.edges().size(); ++e)
      if (inside(list.edges()[e])) edges_[next[list.edges()[e].to - first]++] = e;
  }
  std::span<std::size_t> into(std::size_t i) {
    return std::span(edges_).subspan(begins_[i], begins_[i + 1] - begins_[i]);
  }

 private:
  std::vector<std::size_t> begins_, edges_;
};

InEdges in_edges(const EdgeList& list, std::uint32_t first, std::uint32_t end) {
  ByTarget by_target(list, first, end);
  InEdges out;
  out.first = first;
  out.ends.reserve(end - first);
  for (std::uint32_t v = first; v < end; ++v) {
    const std::span<std::size_t> into = by_target.into(v - first);
    const auto source = [&](std::size_t e) { return list.edges()[e].from; };
    std::stable_sort(into.begin(), into.end(), [&](std::size_t a, std::size_t b) { return source(a) < source(b); });
    for (std::size_t i = 0; i < into.size(); ++i) {
      if (i > 0 && source(into[i]) == source(into[i - 1])) {
        out.weights.back() += list.weight(into[i]);
        continue;
      }
      out.from.push_back(source(into[i]));
      out.weights.push_back(list.weight(into[i]));
    }
    out.ends.push_back(out.from.size());
  }
  if (std::all_of(out.weights.begin(), out.weights.end(), [](double w) { return w == 1.0; })) out.weights = {};
  out.from.shrink_to_fit();
  out.weights.shrink_to_fit();
  return out;
}

}  // namespace

Graph read_graph(const std::vector<std::string>& files, std::uint32_t shards, std::span<const ShardId> hosted) {
  EdgeList list;
  for (const std::string& file : files) list.read(file);
  if (list.edges().empty()) throw DataError(files.front(), 0, "the graph has no edges");
  Graph graph;
  graph.nodes = list.names().size();
  graph.edges = list.edges().size();
  graph.out_weight.resize(graph.nodes);
  for (std::size_t e = 0; e < graph.edges; ++e) graph.out_weight[list.edges()[e].from] += list.weight(e);
  Writer names;
  for (std::size_t v = 0; v < graph.nodes; ++v) names.put_text(list.names().word(v));
  graph.names = Bytes::from(names.take());
  const std::vector<std::uint64_t> cuts = cut_nodes(list, shards);
  require_cut(cuts);
  const auto node = [](std::uint64_t cut) { return static_cast<std::uint32_t>(cut); };  // there are fewer than 2^32
  for (const ShardId shard : hosted) graph.hosted.push_back(in_edges(list, node(cuts[shard]), node(cuts[shard + 1])));
  return graph;
}

}  // namespace rota::pagerank
