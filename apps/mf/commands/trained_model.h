// apps/mf/commands/trained_model.h -- a committed model: factors and biases of users and items, and their names; and
// what rankings of its items leave out.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/mf/ranking.h"
#include "apps/mf/ratings.h"
#include "rota/model.h"
#include "rota/numerics/line_vector.h"

namespace rota::mf {

// Of users or of items, by number.
struct Side {
  io::Vocabulary names;
  std::size_t width = 0;  // of a row: the rank, and zeros up to a multiple of 16
  LineVector<float> factors;
  std::vector<double> biases;  // zeros in a model without

  std::size_t size() const { return biases.size(); }
  std::span<const float> row(std::size_t i) const { return std::span<const float>(factors).subspan(i * width, width); }
  ItemRows rows() const { return {factors.data(), width, {biases.begin(), biases.end()}}; }
};

// Factors and biases are in the units of the ratings: the rating of user u and item i is
//   base + bias_u + bias_i + p_u . q_i.
// For --loss=logistic that is the log-odds of 1; for bpr it is not a rating, but orders the items of a user.
struct TrainedModel {
  Settings settings;
  std::uint64_t ratings = 0, epoch = 0;
  double mean_rating = 0, deviation = 1;
  double mean = 0;  // of the ratings; the log-odds of the share of ones among labels; 0 for implicit ones, whose
                    // prediction is a preference (with als between 0 and 1)
  double base = 0;  // see base_of()
  double penalty_scale = 1;  // of lambda, for factors
  Side users, items;

  double score(std::uint32_t user, std::uint32_t item) const;
  // For an unknown user or item, the mean and, except for labels, the bias that is known.
  double score(std::optional<std::uint32_t> user, std::optional<std::uint32_t> item) const;
  // The score, or for labels the probability of 1.
  double prediction(std::optional<std::uint32_t> user, std::optional<std::uint32_t> item) const;
};

double dot(std::span<const float> a, std::span<const float> b);

// That of any of the three apps.  Throws DataError if a part is missing or damaged.
TrainedModel read_model(const Model& model);

// Options of a command that ranks items.
struct RankingOptions {
  std::uint32_t top = 10, threads = 0;
  std::string seen;
  io::EntryForm form;

  // `top`: what it is for.
  void options(auto& list, std::string_view top_meaning, Needs needs = {}) {
    list.number("top", top, "items", 1, 268435456.0, top_meaning).needs = needs;
    list.path("seen", seen,
              "A file of ratings whose items are left out for those who rated them; without it the training data.")
        .needs = needs;
    list.number("threads", threads, "threads", 0, 1024, "Number of threads; 0: one for each core.").needs = needs;
    form.options(list);
  }
  unsigned thread_count() const;
};

// The items of the model's users in files of ratings.
struct ItemLists {
  std::vector<std::vector<std::uint32_t>> of_user;  // ascending, each item once
  std::uint64_t lines = 0;
  std::uint64_t unknown = 0;  // of these, with a user or an item that the model does not have
};
ItemLists items_of_users(const TrainedModel& model, const std::vector<std::string>& files, const io::EntryForm& form);
// Those left out of rankings: of the file that --seen names, or else of the training data.  Throws NoInput if that was
// moved.
ItemLists seen_items(const TrainedModel& model, const Job& job, const RankingOptions& options);

}  // namespace rota::mf
