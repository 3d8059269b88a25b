// apps/mf/commands/seen_items.h -- the items of users in files of ratings, by number.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "apps/mf/commands/trained_model.h"
#include "rota/plugin.h"

namespace rota::mf {

struct ItemLists {
  std::vector<std::vector<std::uint32_t>> of_user;  // ascending, each item once
  std::uint64_t lines = 0;
  std::uint64_t unknown = 0;  // of these, with a user or an item that the model does not have
};
ItemLists items_of_users(const TrainedModel& model, const std::vector<std::string>& files, const io::EntryForm& form);

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
// Items left out of rankings: those of the file that --seen names, or else of the training data.  Throws NoInput if
// that was moved.
ItemLists seen_items(const TrainedModel& model, const Call& call, const RankingOptions& options);

}  // namespace rota::mf
