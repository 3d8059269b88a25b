#include <cmath>
#include <ostream>

#include "apps/mf/commands/commands.h"
#include "apps/mf/commands/trained_model.h"
#include "apps/mf/ratings/rating_reader.h"
#include "rota/error.h"
#include "rota/io/number_text.h"

namespace rota::mf {

void predict(const Call& call, std::ostream& out) {
  const TrainedModel model = read_model(*call.model);
  for (const std::string& file : call.input) {
    RatingReader reader(file, format_of(call.options), RatingReader::Kind::pairs);
    for (RatingLine line; reader.next(line);)
      out << io::six_digits(model.score(model.users.names.find(line.user), model.items.names.find(line.item))) << "\n";
  }
}

void evaluate(const Call& call, std::ostream& out) {
  if (call.options.flag("ranking")) return evaluate_ranking(call, out);
  const TrainedModel model = read_model(*call.model);
  std::uint64_t ratings = 0, unknown = 0;
  double squares = 0, absolute = 0;
  for (const std::string& file : call.input) {
    RatingReader reader(file, format_of(call.options), model.kind());
    for (RatingLine line; reader.next(line);) {
      const auto user = model.users.names.find(line.user), item = model.items.names.find(line.item);
      const double error = (model.settings.implicit ? 1 : line.value) - model.score(user, item);
      ++ratings;
      if (!user || !item) ++unknown;
      squares += error * error;
      absolute += std::abs(error);
    }
  }
  if (ratings == 0) throw DataError(call.input.front(), 0, "there are no ratings");
  const auto count = static_cast<double>(ratings);
  out << "{\"ratings\": " << ratings << ", \"rmse\": " << io::exact_text(std::sqrt(squares / count))
      << ", \"mae\": " << io::exact_text(absolute / count) << ", \"of_unknown_user_or_item\": " << unknown << "}\n";
}

}  // namespace rota::mf
