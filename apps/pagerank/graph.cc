#include "apps/pagerank/graph.h"

#include "rota/error.h"
#include "rota/io/decimal.h"
#include "rota/io/numbers.h"
#include "rota/io/vocabulary.h"
#include "rota/shards.h"
#include "rota/utf8.h"

namespace rota::pagerank {
namespace {

// Of a step, in units of edges: a new rank takes more operations than a share.
constexpr std::uint64_t kNodeWork = 2;
// Shares of a rank, rank * weight / sum of weights, are numbers between these.
constexpr double kLeastWeight = 1e-100, kMostWeight = 1e100;

struct Edge {
  std::uint32_t from, to;
  double weight;
};

std::vector<Edge> read_edges(const Job& job, const io::EntryForm& form, io::Vocabulary& names) {
  std::vector<Edge> edges;
  io::for_each_entry(job.input, form, [&](const io::EntryReader& reader, const io::Entry& entry) {
    if (!entry.time.empty() && form.columns.empty() && reader.header().empty())
      reader.fail("expected two nodes and a weight, found more: " + io::quoted(entry.time));
    const auto node = [&](std::string_view name) {
      if (const auto known = names.find(name)) return *known;
      if (!is_utf8(name)) reader.fail("a node's name is not UTF-8: " + io::quoted(name));
      if (names.size() == io::kMostWords)
        reader.fail("a graph has at most " + std::to_string(io::kMostWords) + " nodes");
      return names.number_of(name);
    };
    Edge edge{node(entry.first), 0, 1};  // numbered before the target
    edge.to = node(entry.second);
    if (!entry.value.empty() && !io::parse_number(entry.value, edge.weight))
      reader.fail("expected a weight, found " + io::quoted(entry.value));
    if (edge.weight < kLeastWeight || edge.weight > kMostWeight)
      reader.fail("a weight must be between 1e-100 and 1e100: " + io::quoted(entry.value));
    edges.push_back(edge);
  });
  if (edges.empty()) throw DataError(job.input.front(), 0, "the graph has no edges");
  return edges;
}

// Where the edges of each node begin when they are sorted by this end, and at last their number.
std::vector<std::size_t> begins_of(std::uint32_t Edge::*end, std::size_t nodes, const std::vector<Edge>& edges) {
  std::vector<std::size_t> begins(nodes + 1);
  for (const Edge& edge : edges) ++begins[edge.*end + std::size_t{1}];
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  return begins;
}

// Equal ones stay in their order.
void sort_by(std::uint32_t Edge::*end, std::size_t nodes, std::vector<Edge>& edges) {
  std::vector<std::size_t> next = begins_of(end, nodes, edges);
  std::vector<Edge> sorted(edges.size());
  for (const Edge& edge : edges) sorted[next[edge.*end]++] = edge;
  edges = std::move(sorted);
}

// REQUIRES: they are sorted.
void add_up_repeated(std::vector<Edge>& edges) {
  std::size_t kept = 0;
  for (const Edge& edge : edges)
    if (kept > 0 && edges[kept - 1].from == edge.from && edges[kept - 1].to == edge.to)
      edges[kept - 1].weight += edge.weight;
    else
      edges[kept++] = edge;
  edges.resize(kept);
}

// Of the nodes [first, end).  `edges` are sorted, and those into node v begin at begins[v].
InEdges in_edges(const std::vector<Edge>& edges, std::span<const std::size_t> begins, std::uint64_t first,
                 std::uint64_t end) {
  InEdges out{static_cast<std::uint32_t>(first), {}, {}, {}};
  for (std::size_t v = first; v < end; ++v) out.sizes.push_back(static_cast<std::uint32_t>(begins[v + 1] - begins[v]));
  for (std::size_t e = begins[first]; e < begins[end]; ++e) {
    out.from.push_back(edges[e].from);
    out.weights.push_back(edges[e].weight);
  }
  if (std::ranges::all_of(out.weights, [](double w) { return w == 1; }))
    out.weights = std::vector<double>();  // not {}, which would keep the memory
  return out;
}

}  // namespace

LoadedGraph read_graph(const Job& job, const io::EntryForm& form, std::span<const ShardId> hosted) {
  io::Vocabulary names;
  std::vector<Edge> edges = read_edges(job, form, names);
  Graph graph{names.words(), std::vector<double>(names.size()), {}};
  for (const Edge& edge : edges) graph.out_weight[edge.from] += edge.weight;
  sort_by(&Edge::from, names.size(), edges);
  sort_by(&Edge::to, names.size(), edges);
  add_up_repeated(edges);
  const std::vector<std::size_t> begins = begins_of(&Edge::to, names.size(), edges);
  std::vector<std::uint64_t> work;
  for (std::size_t v = 0; v < names.size(); ++v) work.push_back(kNodeWork + begins[v + 1] - begins[v]);
  graph.cuts = cut_by_work(work, job.shards);
  require_cut(graph.cuts);
  LoadedGraph loaded{std::move(graph), {}};
  for (const ShardId shard : hosted)
    loaded.hosted.push_back(
        in_edges(edges, begins, loaded.common.cuts[shard], loaded.common.cuts[shard + std::size_t{1}]));
  return loaded;
}

}  // namespace rota::pagerank
