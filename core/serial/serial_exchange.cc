// core/serial/serial_exchange.cc -- exchange rounds of a serial host: all shards, step after step.
#include "core/base/seed.h"
#include "rota/serial_host.h"

namespace rota {

// The host is in epoch `epochs_`, and all shards are in the same rounds, so that what one waits for is there when its
// turn comes.
void SerialHost::run_exchange(const Round& round) {
  for (ShardId s = 0; s < shards_.size(); ++s) {
    Random random = random_for(job_.seed, Stream::push_exchange, epochs_, s, rounds_);
    shards_[s]->push(ExchangeTask{epochs_, rounds_, *round.dataflow, round.argument}, random);
  }
  exchanges_.push_back({round, rounds_, {}});
  exchanges_.back().messages = scatter(exchanges_.back(), 0);
}

std::vector<std::vector<Incoming>> SerialHost::scatter(const Exchange& exchange, std::uint32_t step) {
  const std::uint32_t dataflow = *exchange.round.dataflow;
  std::vector<std::vector<Incoming>> messages(shards_.size());
  for (ShardId s = 0; s < shards_.size(); ++s) {
    Outgoing out(dataflows_[dataflow].steps[step][s]);
    shards_[s]->scatter({epochs_, exchange.number, dataflow, exchange.round.argument}, step, out);
    std::vector<Bytes> sent = out.take();
    for (std::size_t i = 0; i < sent.size(); ++i) messages[out.receivers()[i]].push_back({s, std::move(sent[i])});
  }
  return messages;
}

void SerialHost::gather(std::size_t most) {
  while (exchanges_.size() > most) {
    Exchange& exchange = exchanges_.front();
    const std::uint32_t dataflow = *exchange.round.dataflow;
    for (std::uint32_t step = 0; step < dataflows_[dataflow].steps.size(); ++step) {
      if (step > 0) exchange.messages = scatter(exchange, step);
      for (ShardId s = 0; s < shards_.size(); ++s)
        shards_[s]->gather({epochs_, exchange.number, dataflow, exchange.round.argument}, step, exchange.messages[s]);
    }
    exchanges_.pop_front();
  }
}

// How many exchanges may be out before this round.
std::size_t SerialHost::exchanges_out(const Round& round) const {
  const auto lags = [&](const Round& one) { return one.dataflow && dataflows_[*one.dataflow].steps.size() == 1; };
  return lags(round) && (exchanges_.empty() || lags(exchanges_.front().round)) ? job_.staleness : 0;
}

}  // namespace rota
