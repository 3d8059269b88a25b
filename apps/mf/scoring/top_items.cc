#include "apps/mf/scoring/top_items.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "apps/mf/scoring/score_kernel.h"

namespace rota::mf {
namespace {

constexpr std::size_t kUsers = 32;   // whose scores are made at once
constexpr std::size_t kItems = 256;  // likewise: their factors, read for all those users, stay in the cache

bool better(const Recommendation& a, const Recommendation& b) {
  return a.score != b.score ? a.score > b.score : a.item < b.item;
}

// The best so far, as a heap whose first is the worst of them.
class Best {
 public:
  explicit Best(std::size_t most) : most_(most) {}
  void offer(Recommendation one) {
    if (heap_.size() < most_) {
      heap_.push_back(one);
      std::push_heap(heap_.begin(), heap_.end(), better);
    } else if (most_ > 0 && better(one, heap_.front())) {
      std::pop_heap(heap_.begin(), heap_.end(), better);
      heap_.back() = one;
      std::push_heap(heap_.begin(), heap_.end(), better);
    }
  }
  std::vector<Recommendation> sorted() {
    std::sort(heap_.begin(), heap_.end(), better);
    return std::move(heap_);
  }

 private:
  std::size_t most_;
  std::vector<Recommendation> heap_;
};

void recommend_to(const TrainedModel& model, std::span<const Asker> askers, std::size_t most, ScoreRows score,
                  std::vector<Recommendation>* out) {
  const std::size_t width = model.items.width;
  std::vector<float> users(askers.size() * width), scores(askers.size() * kItems);
  std::vector<Best> best(askers.size(), Best(most));
  std::vector<std::size_t> passed(askers.size());  // of the items that are excluded
  for (std::size_t u = 0; u < askers.size(); ++u)
    std::copy(askers[u].factors.begin(), askers[u].factors.end(),
              users.begin() + static_cast<std::ptrdiff_t>(u * width));
  for (std::size_t first = 0; first < model.items.size(); first += kItems) {
    const std::size_t count = std::min(kItems, model.items.size() - first);
    score({users.data(), askers.size(), model.items.factors.data() + first * width, count, width, scores.data()});
    for (std::size_t u = 0; u < askers.size(); ++u) {
      const auto constant = static_cast<float>(model.base + askers[u].bias);
      for (std::size_t i = 0; i < count; ++i) {
        const auto item = static_cast<std::uint32_t>(first + i);
        const std::span<const std::uint32_t> excluded = askers[u].excluded;
        while (passed[u] < excluded.size() && excluded[passed[u]] < item) ++passed[u];
        if (passed[u] < excluded.size() && excluded[passed[u]] == item) continue;
        const float bias = constant + static_cast<float>(model.items.biases[item]);
        best[u].offer({item, scores[u * count + i] + bias});
      }
    }
  }
  for (std::size_t u = 0; u < askers.size(); ++u) out[u] = best[u].sorted();
}

}  // namespace

std::vector<std::vector<Recommendation>> top_items(const TrainedModel& model, std::span<const Asker> askers,
                                                   std::size_t most, unsigned threads) {
  std::vector<std::vector<Recommendation>> out(askers.size());
  const ScoreRows score = choose_score_kernel();
  std::atomic<std::size_t> next = 0;
  const auto work_off = [&] {
    for (std::size_t at = next.fetch_add(kUsers); at < askers.size(); at = next.fetch_add(kUsers))
      recommend_to(model, askers.subspan(at, std::min(kUsers, askers.size() - at)), most, score, out.data() + at);
  };
  std::vector<std::jthread> others;
  for (unsigned t = 1; t < threads && t * kUsers < askers.size(); ++t) others.emplace_back(work_off);
  work_off();
  return others.clear(), out;
}

}  // namespace rota::mf
