// rota/push.h -- the second step: one shard's part of the update, from its own data.
#pragma once
#include <span>

#include "rota/bytes.h"
#include "rota/facts.h"
#include "rota/fields.h"
#include "rota/job.h"
#include "rota/random.h"
#include "rota/round.h"
#include "rota/slices.h"
#include "rota/types.h"
#include "rota/view.h"

namespace rota {

// One object for each data shard, in the worker that hosts the shard.  The host calls one object from one thread at a
// time, though not always the same thread.  Different objects run at once and share nothing that changes.
//
// A shard's class derives from the kinds of rounds that it takes part in: SharedPush and SlicePush below, ExchangePush
// (rota/exchange/exchange_push.h), or several of them.  A round of another kind stops the job.
// state() lists what is the shard's own beyond its data; it is restored after attach().
class Push : public Stateful {
 public:
  // Number of data items (tokens, ratings, rows) in this shard: the unit of progress.
  virtual std::uint64_t items() const = 0;
  // Reports the properties of this shard's data that tables, schedule and pull need.
  virtual void facts(Facts&) const {}
  // Gives the cut of the sliced table and the views of dense tables; called once, before any task.
  virtual void attach(const Shape&) {}

  // In a new job, after attach(): starting values of what the shard saves.  `own` is this shard's Random, `common`
  // gives all shards the same numbers.
  virtual void start(Random& /*own*/, Random& /*common*/) {}

  // Brings what is derived from shared rows up to date, after a commit.  Before the k-th push of an epoch (k = 0, 1,
  // ...) it has been called for exactly max(0, k - staleness) commits of that epoch; at its end, for all.  A commit of
  // a dense table has no deltas: its rows are in the view.
  virtual void refresh(const Commit&) {}

  // Adds this shard's share of an evaluation: terms["loss"] += loss.
  virtual void evaluate(Terms /*terms*/) const {}

  // Whether restore() brings this object, at any point of an epoch, to the state that it would have in a new process.
  // If so, a rollback after the loss of another process keeps the object; else the shard is loaded again.
  virtual bool restores_in_place() const { return false; }
};

// Shared rounds: parts for shared rows.
class SharedPush : public virtual Push {
 public:
  // Fills every entry's part, or in an open round those that it chooses.  All shared rows of the round come in one
  // call.  Returns the number of items visited, for measures of speed.
  virtual std::uint64_t push(const SharedTask&, Random&) = 0;
};

// Rounds of slices as the host calls them; an app derives from SlicePush.
class AnySlicePush : public virtual Push {
 public:
  // Adds this shard's work to weight[key], growing the census where needed.
  virtual void census(Census&) const {}

  virtual std::uint64_t push_any(const SliceTask&, Slice&, Random&) = 0;
  virtual void evaluate_any(SliceId, const Slice&, Terms terms) const = 0;
  virtual void evaluate_any_visit(SliceId, const Slice&, Terms terms) const = 0;
};

// Rounds of slices of the type S, which App::slice makes.
template <typename S>
class SlicePush : public AnySlicePush {
 public:
  // Updates a leased slice in place.  In epoch 0 (the starting pass, if the plugin has one) it puts the shard's
  // starting values in.  Returns the number of items visited.
  virtual std::uint64_t push(const SliceTask&, S&, Random&) = 0;
  // Adds the share of a slice.  Must depend on the slice alone: the host may call it in any shard.
  virtual void evaluate_slice(SliceId, const S&, Terms /*terms*/) const {}
  // Adds the share of this shard's data together with a slice: called for every slice, in an order that depends on the
  // job alone, if App::evaluating_pass() is true.
  virtual void evaluate_visit(SliceId, const S&, Terms /*terms*/) const {}

  std::uint64_t push_any(const SliceTask& task, Slice& slice, Random& random) final {
    return push(task, dynamic_cast<S&>(slice), random);
  }
  void evaluate_any(SliceId id, const Slice& slice, Terms terms) const final {
    evaluate_slice(id, dynamic_cast<const S&>(slice), terms);
  }
  void evaluate_any_visit(SliceId id, const Slice& slice, Terms terms) const final {
    evaluate_visit(id, dynamic_cast<const S&>(slice), terms);
  }
};

}  // namespace rota
