#include <string>
#include <string_view>

#include "apps/mf/commands/commands.h"
#include "apps/mf/commands/trained_model.h"
#include "rota/io/csv_text.h"
#include "rota/io/number_text.h"
#include "rota/io/text_writer.h"

namespace rota::mf {
namespace {

constexpr std::string_view kReadme = R"(Factors of users and items (matrix factorisation) as text.

The predicted rating of a user and an item is  base + bias_user + bias_item + the sum over k of user_k item_k,  where
the base is the mean of the ratings if the model has biases; if it has none it is 0, or for ratings far from 0 near the
mean.  For a user or an item that is not here use the mean of the ratings and the known bias.
With the loss `logistic` that sum is the log-odds of 1; with `bpr` it is not a rating, but orders the items of a user.
Numbers are written so that reading them gives the same float.

model.csv   Properties of the model: name, value.
users.csv   One user a line: its name in the ratings, its bias, its factors.
items.csv   The same for items.
libmf.txt   The same in the format of LIBMF's models, users and items numbered from 0 in the order of the files above.
            In a model with biases or a base the last two factors are these: bias_user + base and 1 for a user, 1 and
            bias_item for an item.
)";

void write_side(const Side& side, std::size_t rank, const char* what, io::TextWriter out) {
  out << what << ",bias";
  for (std::size_t k = 1; k <= rank; ++k) out << ",factor_" << std::uint64_t{k};
  out << "\n";
  for (std::size_t i = 0; i < side.size(); ++i) {
    out << io::csv_field(side.names.word(i)) << "," << static_cast<float>(side.biases[i]);
    for (const float factor : side.row(i).first(rank)) out << "," << factor;
    out << "\n";
  }
  out.close();
}

void write_libmf(const TrainedModel& model, io::TextWriter out) {
  const bool last_two = model.settings.biases || model.base != 0;
  out << "f 0\nm " << std::uint64_t{model.users.size()} << "\nn " << std::uint64_t{model.items.size()} << "\nk "
      << std::uint64_t{model.settings.rank} + (last_two ? 2 : 0) << "\nb " << model.mean << "\n";
  for (const bool user : {true, false}) {
    const Side& side = user ? model.users : model.items;
    for (std::size_t i = 0; i < side.size(); ++i) {
      out << (user ? "p" : "q") << std::uint64_t{i} << " T";
      for (const float factor : side.row(i).first(model.settings.rank)) out << " " << factor;
      const std::string bias = io::exact_text(static_cast<float>(side.biases[i] + (user ? model.base : 0)));
      if (last_two) out << " " << (user ? bias : "1") << " " << (user ? "1" : bias);
      out << "\n";
    }
  }
  out.close();
}

}  // namespace

void export_text(const Model& committed, const std::filesystem::path& folder) {
  const TrainedModel model = read_model(committed);
  io::write_text(folder / "README.txt", kReadme);
  io::write_csv(folder / "model.csv", "name,value", [&](auto row) {
    row("ratings", model.ratings);
    row("users", model.users.size());
    row("items", model.items.size());
    row("rank", model.settings.rank);
    row("mean", model.mean);
    row("base", model.base);
    row("lambda", model.settings.penalty() * model.penalty_scale);
    row("loss", name_of(model.settings.loss));
    row("lambda_counts_for", model.settings.by_rating ? "each rating" : "each row");
  });
  write_side(model.users, model.settings.rank, "user", io::TextWriter(folder / "users.csv"));
  write_side(model.items, model.settings.rank, "item", io::TextWriter(folder / "items.csv"));
  write_libmf(model, io::TextWriter(folder / "libmf.txt"));
}

}  // namespace rota::mf
