// apps/kmeans/rounds.h -- what rounds are for, and the notes and replies between shards, pull and schedule.
#pragma once
#include <cstdint>
#include <vector>

#include "rota/types.h"

namespace rota::kmeans {

inline constexpr TableId kTalk = 1;  // no row is ever used: its rounds have notes and replies

enum class Step : std::uint8_t {
  draw,    // rows are drawn as the next centre, or at random as all centres
  choose,  // one of these rows becomes it
  look,    // which rows may go to empty clusters, and how good the sums are
  // Rounds of sums, in which rows move to their nearest centres:
  start,   // of all rows, for new centres
  change,  // only rows that move change the sums
  sum,     // of all rows
  recall,  // of all rows, for the clusters of the best start
  end,     // no more rounds
};

// The argument of a round.
struct Purpose {
  Step step = Step::look;
  std::uint32_t rows = 0;  // to draw
  bool first = false;      // to draw: whether a start begins
  bool best = false;       // to draw first: whether the start before is the best so far
  bool last = false;       // round of its epoch

  void fields(auto& list) { list(step, rows, first, best, last); }
};

// A row that may become a centre.
struct Candidate {
  double key = 0;  // the smallest wins
  ShardId shard = 0;
  std::uint32_t row = 0;                    // of the shard
  std::vector<std::uint32_t> columns = {};  // its entries, if all shards need them
  std::vector<double> values = {};

  void fields(auto& list) { list(key, shard, row, columns, values); }
};

// A cluster that rows leave or enter.
struct Change {
  std::uint32_t cluster = 0;
  double members = 0, gained = 0;  // before, in all shards, and in this one

  void fields(auto& list) { list(cluster, members, gained); }
};

// Of one shard; pull replies the same for all shards together.
struct Note {
  std::vector<Candidate> candidates = {};
  // For each of the drawn rows: the sum of all rows' squared distances to the nearest centre if the row were one.
  std::vector<double> potentials = {};
  std::uint32_t chosen = 0;  // of the drawn rows, in the reply
  // Of a look and a round of sums, about the sums before it:
  std::uint64_t moved = 0;           // rows that move, or would
  double inertia = 0;                // if it is needed
  double largest = 0;                // |x|^2 of the rows that move, and |S_k|^2 of the clusters
  double least = 0;                  // |S_k|^2 of the clusters
  std::vector<Change> changes = {};  // in a round of sums; those without members too; ascending

  void fields(auto& list) { list(candidates, potentials, chosen, moved, inertia, largest, least, changes); }
};

}  // namespace rota::kmeans
