#include "apps/mf/commands/seen_items.h"

#include <algorithm>
#include <thread>

#include "apps/mf/ratings/rating_reader.h"
#include "rota/error.h"

namespace rota::mf {

ItemLists items_of_users(const TrainedModel& model, const std::vector<std::string>& files, const LineFormat& format) {
  ItemLists out;
  out.of_user.resize(model.users.size());
  const auto kind = model.settings.implicit ? RatingReader::Kind::counts : RatingReader::Kind::pairs;
  for_each_rating(files, format, kind, [&](const RatingReader&, const RatingLine& line) {
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

ItemLists seen_items(const TrainedModel& model, const Call& call) {
  if (call.options.has("seen"))
    return items_of_users(model, {std::string(call.options.text("seen"))}, format_of(call.options));
  const std::vector<std::string>& files = call.model->job().input;
  if (files.empty())
    throw NoInput("the training data was moved: name it by --seen, or for recommend give --include_seen");
  return items_of_users(model, files, model.settings.format);
}

unsigned thread_count(const Options& options) {
  const auto wanted = static_cast<unsigned>(options.integer("threads"));
  return wanted > 0 ? wanted : std::max(1U, std::thread::hardware_concurrency());
}

}  // namespace rota::mf
