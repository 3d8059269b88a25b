// apps/examples/kmeans.cc -- k-means by Lloyd's iterations: every row joins its nearest centre, and every centre moves
// to the mean of its rows.
//
// Source: Lloyd, "Least squares quantization in PCM", IEEE Transactions on Information Theory 28, 1982.  The first
// centres are the first rows of the data.  Input: rows of any format.
#include <rota/io/rows_app.h>
#include <rota/plugin.h>

namespace {
using namespace rota;

struct Settings {
  Key clusters = 8;
  void options(auto& list) { list.number("clusters", clusters, "clusters", 1, 1e5, "Number of clusters, K."); }
};

// A row of the table: a centre.  A part: the sum of its rows of data, and how many there are.
class RowsPush final : public ItemsPush<io::LabelledRow, Settings> {
 public:
  using ItemsPush::ItemsPush;
  std::uint64_t push(const SharedTask& task, Random&) override {
    for (const io::LabelledRow& row : items_) {
      const std::span<double> part = task.parts[nearest(row).second];
      for (const auto& [column, x] : row.entries) part[column] += x;
      part.back() += 1;
    }
    return items_.size();
  }
  void evaluate(Terms terms) const override {
    for (const io::LabelledRow& row : items_) terms["inertia"] += nearest(row).first;
  }

 private:
  // The squared distance, and the centre.
  std::pair<double, Key> nearest(const io::LabelledRow& row) const {
    std::pair<double, Key> best = {std::numeric_limits<double>::infinity(), 0};
    for (Key key = 0; key < table_.keys(); ++key) best = std::min(best, {row.squared_distance(table_.row(key)), key});
    return best;
  }
};

class KMeans final : public io::RowsApp<RowsPush> {
 public:
  using RowsApp::RowsApp;
  void look_at(io::LabelledRow& row, std::uint64_t number, Facts& facts) const override {
    if (number < settings_.clusters) facts.add("row " + std::to_string(number), row.dense());
  }
  Table table(const Facts& facts) const override {
    const auto columns = static_cast<std::uint32_t>(facts.count("columns"));
    const Key clusters = std::min(settings_.clusters, facts.count("rows"));
    return {.name = "centres", .keys = clusters, .row_width = columns, .part_width = columns + 1};
  }
  void start_row(const Facts& facts, TableId, Key key, std::span<double> centre, Random&) const override {
    std::ranges::copy(facts.numbers("row " + std::to_string(key)), centre.begin());
  }
  std::vector<Term> terms() const override { return {{"inertia", Term::Kind::normalised}}; }
  StopBelow stop() const override { return {.tolerance = 5e-324}; }  // no centre moved
  std::unique_ptr<Pull> pull(const Facts&) const override {
    return row_pull([](std::span<const double> sum, std::span<double> centre) {
      for (std::size_t j = 0; j < centre.size(); ++j) centre[j] = sum[j] / sum.back();
    });
  }
};
}  // namespace

ROTA_APP(KMeans, .name = "kmeans_example", .summary = "k-means by Lloyd's iterations.", .items = "rows", .epochs = 300,
         .framework_needs = kSynchronous);
