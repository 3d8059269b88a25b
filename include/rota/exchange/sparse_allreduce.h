// rota/exchange/sparse_allreduce.h -- sums of sparse vectors over the shards, each with its own keys: Kylix, Zhao and
// Canny, "Kylix: a sparse allreduce for commodity clusters", ICPP 2014 (in Zhao's thesis, "BIDMach", chapter 7).
//
// Along nested_dataflow().  On the way down, the members of a group divide their keys among them and each sums a part;
// where keys coincide, as frequent ones in text and graphs do, the messages become shorter from layer to layer.  Then
// the requested sums return the same way.  Keys are ordered by a hash, so that parts have equal sizes.  A sum is that
// of NestedSum, to the last bit: a key that a shard does not add to counts as 0.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "rota/bytes.h"
#include "rota/exchange/dataflows.h"
#include "rota/exchange/exchange_push.h"
#include "rota/round.h"
#include "rota/types.h"

namespace rota {

// One for each shard.  Threads: one at a time.
class SparseAllreduce {
 public:
  SparseAllreduce(ShardId shard, std::vector<std::uint32_t> degrees)
      : shard_(shard), degrees_(std::move(degrees)), layers_(degrees_.size()) {}

  // The keys that this shard adds to and wants, each once.  The next round sends them, and later rounds send only
  // numbers.  All shards configure in the same round.
  void configure(std::span<const Key> adds, std::span<const Key> wants) {
    adds_order_ = sorted(adds, adds_);
    wants_order_ = sorted(wants, wants_);
    sums_.resize(wants.size());
    configuring_ = true;
  }

  // Begins a round: values[i] is added to the i-th key of `adds`.
  void begin(std::span<const double> values) {
    if (values.size() != adds_order_.size()) throw std::logic_error("values for keys that were not configured");
    now_.resize(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) now_[i] = values[adds_order_[i]];
    going_ = {adds_, wants_};
    if (degrees_.empty()) {
      turn();
      finish();
    }
  }
  void scatter(std::uint32_t step, Outgoing& out) {
    if (out.receivers().empty()) return;
    const bool down = step < degrees_.size();
    Layer& layer = layers_[down ? step : 2 * degrees_.size() - 1 - step];
    if (down && configuring_) divide(layer, step);
    for (std::size_t i = 0; i < out.receivers().size(); ++i) {
      const NestedPlace place(out.receivers()[i], degrees_, down ? step : 2 * degrees_.size() - 1 - step);
      out.put(i, down ? part_of(layer, place.digit()) : sums_for(layer, place.digit()));
    }
  }
  void gather(std::uint32_t step, std::span<const Incoming> in) {
    if (degrees_.empty()) return;
    const std::size_t depth = degrees_.size();
    if (step < depth) {
      add_parts(layers_[step], step, in);
      if (step + 1 == depth) turn();
    } else {
      take_sums(layers_[2 * depth - 1 - step], 2 * depth - 1 - step, in);
      if (step + 1 == 2 * depth) finish();
    }
  }

  // The sums of the keys of `wants`, in their order; 0 for a key that no shard adds to.
  std::span<const double> sums() const { return sums_; }

 private:
  using Keys = std::vector<Key>;
  using Places = std::vector<std::uint32_t>;
  struct Sets {
    Keys adds, wants;  // by place
  };
  // Of a group: where each member's part of the keys begins in this shard's keys, where the members' keys are in their
  // union, which the next layer has, and the size of the union.
  struct Layer {
    std::vector<std::size_t> add_cuts, want_cuts;
    std::vector<Places> add_to, want_from;  // by member
    std::size_t adds = 0, wants = 0;
  };

  static std::uint64_t place_of(Key key) {  // the finaliser of MurmurHash3, its upper half
    std::uint64_t h = key + 0x9e3779b97f4a7c15U;
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdU;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53U;
    return (h ^ (h >> 33)) >> 32;
  }
  static bool before(Key a, Key b) {
    const std::uint64_t x = place_of(a), y = place_of(b);
    return x != y ? x < y : a < b;
  }
  // The keys by place, and which of those given each is.
  static Places sorted(std::span<const Key> given, Keys& keys) {
    Places order(given.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) { return before(given[a], given[b]); });
    keys.clear();
    for (const std::uint32_t i : order) keys.push_back(given[i]);
    if (std::adjacent_find(keys.begin(), keys.end()) != keys.end())
      throw std::invalid_argument("a key of a sparse allreduce is given twice");
    return order;
  }
  static Keys united(const std::vector<Keys>& lists) {
    Keys all;
    for (const Keys& keys : lists) all.insert(all.end(), keys.begin(), keys.end());
    std::sort(all.begin(), all.end(), before);
    all.erase(std::unique(all.begin(), all.end()), all.end());
    return all;
  }
  static Places places_in(const Keys& all, const Keys& keys) {
    Places places;
    auto at = all.begin();
    for (const Key key : keys) {
      while (*at != key) ++at;
      places.push_back(static_cast<std::uint32_t>(at - all.begin()));
    }
    return places;
  }

  // Cuts this shard's keys at the borders of the members' parts of its range of places.
  void divide(Layer& layer, std::size_t l) {
    std::uint64_t first = 0, end = std::uint64_t{1} << 32;
    for (std::size_t i = 0; i <= l; ++i) {
      const NestedPlace place(shard_, degrees_, i);
      const auto cut = [&, from = first, count = end - first](std::uint32_t q) {
        return from + count * q / place.degree();
      };
      if (i == l) {
        const auto cuts_of = [&](const Keys& keys, std::vector<std::size_t>& cuts) {
          cuts.clear();
          for (std::uint32_t q = 0; q <= place.degree(); ++q)
            cuts.push_back(static_cast<std::size_t>(
                std::partition_point(keys.begin(), keys.end(), [&](Key k) { return place_of(k) < cut(q); }) -
                keys.begin()));
        };
        cuts_of(going_.adds, layer.add_cuts);
        cuts_of(going_.wants, layer.want_cuts);
        return;
      }
      first = cut(place.digit());
      end = cut(place.digit() + 1);
    }
  }
  static Keys cut_out(const Keys& keys, const std::vector<std::size_t>& cuts, std::uint32_t q) {
    return {keys.begin() + static_cast<std::ptrdiff_t>(cuts[q]),
            keys.begin() + static_cast<std::ptrdiff_t>(cuts[q + 1])};
  }

  Bytes part_of(const Layer& layer, std::uint32_t q) const {
    Writer out;
    out.put(configuring_);
    if (configuring_) {
      out.put_all(std::span<const Key>(cut_out(going_.adds, layer.add_cuts, q)));
      out.put_all(std::span<const Key>(cut_out(going_.wants, layer.want_cuts, q)));
    }
    out.append(now_.data() + layer.add_cuts[q], (layer.add_cuts[q + 1] - layer.add_cuts[q]) * sizeof(double));
    return Bytes::from(out.take());
  }

  [[noreturn]] static void refuse(const Incoming& in) {
    throw std::runtime_error("shard " + std::to_string(in.from) +
                             " sent a message that does not fit the sparse allreduce");
  }

  // Down: the members' values in this shard's part, in their order.
  void add_parts(Layer& layer, std::size_t l, std::span<const Incoming> in) {
    const NestedPlace place(shard_, degrees_, l);
    std::vector<Keys> adds(place.degree()), wants(place.degree());
    std::vector<std::vector<double>> values(place.degree());
    if (in.empty() && configuring_) divide(layer, l);
    std::size_t next = 0;
    for (std::uint32_t q = 0; q < place.degree(); ++q) {
      if (q == place.digit()) {
        if (configuring_) {
          adds[q] = cut_out(going_.adds, layer.add_cuts, q);
          wants[q] = cut_out(going_.wants, layer.want_cuts, q);
        }
        values[q].assign(now_.begin() + static_cast<std::ptrdiff_t>(layer.add_cuts[q]),
                         now_.begin() + static_cast<std::ptrdiff_t>(layer.add_cuts[q + 1]));
        continue;
      }
      const Incoming& one = in[next++];
      Reader message(one.bytes.view());
      if (message.get<bool>() != configuring_) refuse(one);
      if (configuring_) {
        adds[q] = message.get_all<Key>();
        wants[q] = message.get_all<Key>();
      }
      values[q].resize(configuring_ ? adds[q].size() : layer.add_to[q].size());
      const auto numbers = message.get_bytes(values[q].size() * sizeof(double));
      if (!message.done()) refuse(one);
      if (!numbers.empty()) std::memcpy(values[q].data(), numbers.data(), numbers.size());
    }
    if (configuring_) unite(layer, adds, wants);
    now_.assign(layer.adds, 0.0);
    for (std::uint32_t q = 0; q < place.degree(); ++q)
      for (std::size_t i = 0; i < values[q].size(); ++i) now_[layer.add_to[q][i]] += values[q][i];
  }
  void unite(Layer& layer, const std::vector<Keys>& adds, const std::vector<Keys>& wants) {
    going_ = {united(adds), united(wants)};
    layer.adds = going_.adds.size();
    layer.wants = going_.wants.size();
    layer.add_to.clear();
    layer.want_from.clear();
    for (const Keys& keys : adds) layer.add_to.push_back(places_in(going_.adds, keys));
    for (const Keys& keys : wants) layer.want_from.push_back(places_in(going_.wants, keys));
  }

  // At the bottom: looks up the sums that are wanted here.
  void turn() {
    if (configuring_) {
      found_.clear();
      for (const Key key : going_.wants) {
        const auto at = std::lower_bound(going_.adds.begin(), going_.adds.end(), key, before);
        const bool there = at != going_.adds.end() && *at == key;
        found_.push_back(there ? static_cast<std::uint32_t>(at - going_.adds.begin()) : kNobody);
      }
    }
    std::vector<double> sums;
    for (const std::uint32_t i : found_) sums.push_back(i == kNobody ? 0.0 : now_[i]);
    now_ = std::move(sums);
  }

  // Up.
  Bytes sums_for(const Layer& layer, std::uint32_t q) const {
    Writer out;
    out.reserve(layer.want_from[q].size() * sizeof(double));
    for (const std::uint32_t i : layer.want_from[q]) out.put(now_[i]);
    return Bytes::from(out.take());
  }
  void take_sums(const Layer& layer, std::size_t l, std::span<const Incoming> in) {
    const NestedPlace place(shard_, degrees_, l);
    std::vector<double> sums(layer.want_cuts.back());
    std::size_t next = 0;
    for (std::uint32_t q = 0; q < place.degree(); ++q) {
      const std::size_t first = layer.want_cuts[q], count = layer.want_cuts[q + 1] - first;
      if (q == place.digit()) {
        for (std::size_t i = 0; i < count; ++i) sums[first + i] = now_[layer.want_from[q][i]];
        continue;
      }
      const Incoming& one = in[next++];
      if (one.bytes.size() != count * sizeof(double)) refuse(one);
      if (count > 0) std::memcpy(sums.data() + first, one.bytes.view().data(), one.bytes.size());
    }
    now_ = std::move(sums);
  }
  void finish() {
    for (std::size_t i = 0; i < wants_order_.size(); ++i) sums_[wants_order_[i]] = now_[i];
    configuring_ = false;
  }

  static constexpr std::uint32_t kNobody = 0xffffffff;

  ShardId shard_;
  std::vector<std::uint32_t> degrees_;
  Keys adds_, wants_;  // of this shard, by place
  Places adds_order_, wants_order_;
  bool configuring_ = true;
  std::vector<Layer> layers_;
  Sets going_;    // while it configures: the keys at this step
  Places found_;  // of the keys wanted at the bottom, among those added
  std::vector<double> now_;
  std::vector<double> sums_;
};

}  // namespace rota
