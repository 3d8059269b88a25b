#include "apps/mf/commands/seen_items.h"

#include <algorithm>
#include <thread>

#include "rota/error.h"

namespace rota::mf {

ItemLists items_of_users(const TrainedModel& model, const std::vector<std::string>& files, const io::EntryForm& form) {
  ItemLists out;
  out.of_user.resize(model.users.size());
  const auto kind = model.settings.implicit ? RatingKind::counts : RatingKind::pairs;
  for_each_rating(files, form, kind, [&](const io::EntryReader&, const RatingLine& line) {
    const auto user = model.users.names.find(line.user), item = model.items.names.find(line.item);
    ++out.lines;
    if (user && item)
      out.of_user[*user].push_back(*item);
    else
      ++out.unknown;
  });
  for (auto& items : out.of_user) {
    std::sort(items.begin(), items.end());
    items.erase(std::unique(items.begin(), items.end()), items.end());
  }
  return out;
}

ItemLists seen_items(const TrainedModel& model, const Call& call, const RankingOptions& options) {
  if (!options.seen.empty()) return items_of_users(model, {options.seen}, options.form);
  const std::vector<std::string>& files = call.model->job().input;
  if (files.empty())
    throw NoInput("the training data was moved: name it by --seen, or for recommend give --include_seen");
  return items_of_users(model, files, model.settings.form);
}

unsigned RankingOptions::thread_count() const {
  return threads > 0 ? threads : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace rota::mf
