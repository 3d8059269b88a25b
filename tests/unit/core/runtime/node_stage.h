// tests/unit/core/runtime/node_stage.h -- one node under test: the test sends it messages, reads what it sends, and
// does the work that it starts.
#pragma once
#include <deque>
#include <map>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/runtime/node.h"

namespace rota::tests {

class NodeStage {
 public:
  explicit NodeStage(NodeId self) : self_(self) {}

  // Gives the node a message.  Work that it starts is done before this returns, unless it is held back.
  Status receive(Node& node, NodeId from, const Message& message) {
    return act([&](Outbox& out) { return node.step({from, self_, message}, out); });
  }
  // Any other call of the node, which returns a Status or nothing.
  template <typename F>
  Status act(F turn) {
    ROTA_TRY(take([&](Outbox& out) -> Status {
      if constexpr (std::is_void_v<decltype(turn(out))>)
        return turn(out), Status();
      else
        return turn(out);
    }));
    return hold_work ? Status() : finish_work();
  }
  // Does what was started, in that order, and what is started by its end.
  Status finish_work() {
    while (!work_.empty()) {
      const Work work = std::move(work_.front());
      work_.pop_front();
      const Continuation continuation = work();
      ROTA_TRY(take([&](Outbox& out) { return continuation(out); }));
    }
    return {};
  }

  // The messages of one kind to one node, since the last call of forget().
  template <typename M>
  std::vector<M> sent(NodeId to) const {
    std::vector<M> all;
    for (const Envelope& envelope : envelopes)
      if (envelope.to == to && std::holds_alternative<M>(envelope.message))
        all.push_back(std::get<M>(envelope.message));
    return all;
  }
  void forget() { envelopes.clear(); }

  std::vector<Envelope> envelopes;
  std::optional<Ending> ended;
  Outbox::World world;
  bool hold_work = false;
  std::map<NodeId, std::uint64_t> waiting;  // bytes on their way to each node
  std::size_t io_works = 0;                 // that were for the thread of files

 private:
  Status take(const std::function<Status(Outbox&)>& turn) {
    Outbox out(self_, world, [this](NodeId node) {
      const auto found = waiting.find(node);
      return found == waiting.end() ? std::uint64_t{0} : found->second;
    });
    Status status = turn(out);
    for (const Envelope& envelope : out.sent) {
      envelopes.push_back({envelope.from, envelope.to, envelope.message});
      for (const NodeId to : envelope.more) envelopes.push_back({envelope.from, to, envelope.message});
    }
    for (const auto& action : out.after) action();
    if (out.ended) ended = out.ending;
    for (auto& started : out.started) {
      io_works += started.io ? 1 : 0;
      work_.push_back(std::move(started.work));
    }
    if (!status.ok()) work_.clear();
    return status;
  }

  NodeId self_;
  std::deque<Work> work_;
};

}  // namespace rota::tests
