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
ItemLists items_of_users(const TrainedModel& model, const std::vector<std::string>& files, const LineFormat& format);

// Items left out of rankings: those of the file that --seen names, or else of the training data.  Throws NoInput if
// that was moved.
ItemLists seen_items(const TrainedModel& model, const Call& call);

// --seen and --threads
inline constexpr Option kSeenOption = {
    .name = "seen",
    .kind = Option::Kind::path,
    .meaning = "A file of ratings whose items are left out for those who rated them; without it the training data."};
inline constexpr Option kThreadsOption =
    integer_option("threads", "0", "threads", 0, 1024, "Number of threads; 0: one for each core.");
unsigned thread_count(const Options& options);

}  // namespace rota::mf
