#include "worker/epoch_work.h"

#include <iterator>
#include <span>
#include <string>
#include <utility>

#include "core/rounds/push_kinds.h"

namespace rota {

Saving::Saving(Epoch epoch, std::vector<Piece> pieces, const Limits& limits)
    : epoch_(epoch),
      limits_(limits),
      todo_(std::make_move_iterator(pieces.begin()), std::make_move_iterator(pieces.end())),
      left_(pieces.size()) {}

void Saving::go_on(Outbox& out, NodeId last, std::uint64_t bytes) {
  for (auto piece = todo_.begin(); piece != todo_.end() && encoding_ < limits_.at_once;) {
    const NodeId to{Role::partition, partition_of(piece->id)};
    const std::uint64_t promised = encoding_ * largest_.value_or(limits_.credit.bytes);
    const std::uint64_t there = promised + unstored_;
    const bool takes = there == 0 || there < limits_.unstored;
    if (!takes || !limits_.credit.allows(out, to, promised + (to == last ? bytes : 0))) {
      ++piece;
      continue;
    }
    start(std::move(*piece), out);
    piece = todo_.erase(piece);
  }
}

void Saving::start(Piece piece, Outbox& out) {
  ++encoding_;
  out.start(followed_by(
      [epoch = epoch_, piece = std::move(piece)]() -> Result<Put> {
        ROTA_ASSIGN(const Bytes bytes, piece.encode());
        return Put{epoch, piece.object, piece.id, hash128(bytes.view()), bytes};
      },
      [this](const Put& put, Outbox& later) {
        --encoding_;
        --left_;
        largest_ = std::max<std::uint64_t>(largest_.value_or(0), put.bytes.size());
        const NodeId to{Role::partition, partition_of(put.id)};
        unstored_ += put.bytes.size();
        later.send(to, put);
        go_on(later, to, put.bytes.size());
        if (done()) later.send(kCoordinator, Saved{epoch_});
      }));
}

// ---- EpochWork ----

namespace {

void add(const std::vector<double>& terms, std::vector<double>& sum) {
  for (std::size_t i = 0; i < terms.size(); ++i) sum[i] += terms[i];
}

}  // namespace

// ---- an evaluation ----

void EpochWork::begin(const Evaluate& evaluate, Outbox& out) {
  const std::size_t shards = state_.hosted.size();
  evaluation_ = {evaluate.epoch, evaluate.visits ? shards * state_.cut().slices.size() : 0, shards,
                 std::vector<Share>(shards, Share{no_terms(), {}})};
  if (evaluation_->visits_left == 0) evaluate_shards(out);
}

Status EpochWork::visit(ShardId shard, SliceId slice, const Slice& rows) {
  std::vector<double> terms = no_terms();
  ROTA_TRY(state_.hook("Push::evaluate_visit", name_of(shard) + ", " + name_of_slice(slice), [&] {
    as<AnySlicePush>(state_.push(shard)).evaluate_any_visit(slice, rows, {state_.terms, terms});
  }));
  add(terms, evaluation_->shares[shard - state_.hosted.first].terms);
  return {};
}

void EpochWork::evaluate_shards(Outbox& out) {
  std::vector<Slices> slices(state_.hosted.size());
  std::size_t next = 0;
  for (const auto& held : state_.leases.held()) slices[next++ % slices.size()].push_back(held);
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const ShardId shard = state_.hosted.first + static_cast<ShardId>(i);
    out.start_together(followed_by([this, shard, its = std::move(slices[i])] { return evaluate(shard, its); },
                                   [this](Nanoseconds took, Outbox& later) {
                                     evaluating_.add(took);
                                     if (--evaluation_->shards_left == 0) send_evaluated(later);
                                   }),
                       evaluating_.expected());
  }
}

Result<Nanoseconds> EpochWork::evaluate(ShardId shard, const Slices& slices) {
  const Nanoseconds began = now_ns();
  for (const auto& [slice, held] : slices) ROTA_TRY(held->decode(*state_.app, state_.cut(), slice));
  const Push& push = state_.push(shard);
  Share& share = evaluation_->shares[shard - state_.hosted.first];
  ROTA_TRY(state_.hook("Push::evaluate", name_of(shard), [&] {
    std::vector<double> terms = no_terms();
    push.evaluate({state_.terms, terms});
    add(terms, share.terms);
    for (const auto& [slice, held] : slices) {
      share.slices.push_back({slice, no_terms()});
      add_slice_terms(push, slice, *held->rows, {state_.terms, share.slices.back().terms});
    }
  }));
  return now_ns() - began;
}

void EpochWork::send_evaluated(Outbox& out) {
  Evaluated all;
  all.epoch = evaluation_->epoch;
  ShardId shard = state_.hosted.first;
  for (Share& share : evaluation_->shares) {
    all.shards.push_back({shard++, std::move(share.terms)});
    for (TermsOf& one : share.slices) all.slices.push_back(std::move(one));
  }
  evaluation_.reset();
  out.send(kCoordinator, std::move(all));
}

// ---- a checkpoint ----

void EpochWork::begin(const Save& save, Outbox& out) {
  std::vector<Saving::Piece> pieces;
  const auto add = [&](Object object, std::uint64_t id, const char* hook, std::string where, auto write) {
    pieces.push_back({object, id, [this, hook, where = std::move(where), write]() -> Result<Bytes> {
                        Writer bytes;
                        ROTA_TRY(state_.hook(hook, where, [&] { write(bytes); }));
                        return Bytes::from(bytes.take());
                      }});
  };
  for (ShardId s = state_.hosted.first; s < state_.hosted.end; ++s)
    add(Object::shard, s, "Push::save", name_of(s), [&push = state_.push(s)](Writer& bytes) { push.save(bytes); });
  if (state_.hosts(0))
    add(Object::common, 0, "App::save_common", state_.id().name(),
        [this](Writer& bytes) { state_.first_reader().save_common(bytes); });
  for (const auto& [slice, held] : state_.leases.held())
    pieces.push_back({Object::slice, slice, [this, slice = slice, held = held]() -> Result<Bytes> {
                        return held->to_bytes(state_.plugin().name, slice);
                      }});
  saving_ = std::make_unique<Saving>(save.epoch, std::move(pieces),
                                     Saving::Limits{state_.job().partitions, state_.at_once(), state_.credit});
  saving_->go_on(out);
}

}  // namespace rota
