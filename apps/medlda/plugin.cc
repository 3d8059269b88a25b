// apps/medlda/plugin.cc -- topics that predict labels.  README.md has the method, documents.h the mathematics.
#include "rota/plugin.h"

#include <functional>
#include <numeric>
#include <ostream>

#include "apps/medlda/documents.h"
#include "rota/io/csv_text.h"
#include "rota/io/number_text.h"
#include "rota/io/numbers.h"
#include "rota/io/report_text.h"
#include "rota/io/vocabulary.h"
#include "rota/schedules/rotation.h"
#include "rota/settings.h"
#include "rota/shards.h"

namespace rota::medlda {
namespace {

constexpr TableId kTotals = 1;   // one row: the number of tokens with each topic, C_k
constexpr TableId kWeights = 2;  // one row: eta

// What all shards know.
struct Common {
  std::uint64_t words = 0;
  std::vector<std::string> names = {};  // of the words, if the files have them
  void fields(auto& list) { list(words, names); }
};

// An epoch: rounds of slices, each with the totals, and then one of the weights.
class MedSchedule final : public RotationSchedule {
 public:
  explicit MedSchedule(const Job& job) : RotationSchedule(job, {.table = kWeights, .totals = {0}}) {}
  Cut cut(const Census& census, std::uint32_t slices) override { return balanced_cut(census, slices, false); }
  Round next(Random& random) override {
    Round round = RotationSchedule::next(random);
    if (round.ends_epoch) return round;
    round.table = kTotals;
    round.shared = {0};
    return round;
  }
};

using Data = std::pair<Documents, Documents>;  // of a shard: to train on, and held out

class MedPush final : public SlicePush<WordRows>, public SharedPush {
 public:
  MedPush(Data data, const Settings& settings, const Common& common)
      : settings_(settings), words_(common.words), items_(data.first.items()), data_(std::move(data)) {}

  std::uint64_t items() const override { return items_; }
  void census(Census& weight) const override {
    weight.resize(words_);
    data_.first.for_each_word([&](std::uint32_t, std::uint32_t word, std::uint32_t count) { weight[word] += count; });
  }
  void attach(const Shape& shape) override {
    totals_ = shape.views[kTotals];
    eta_ = shape.views[kWeights];
    data_.first.attach(settings_, words_, shape.cut.slices);
    data_.second.attach(settings_, words_, shape.cut.slices);
  }
  std::uint64_t push(const SliceTask& task, WordRows& rows, Random& random) override {
    changed_.assign(totals_.numbers().begin(), totals_.numbers().end());
    data_.first.draw(task.slice, task.epoch == 0, rows, changed_, eta_.numbers(), random);
    data_.second.draw(task.slice, task.epoch == 0, rows, changed_, {}, random);
    return 0;
  }
  std::uint64_t push(const SharedTask& task, Random& random) override {
    const auto [key, value, part] = task.entries[0];
    if (task.table == kTotals) std::ranges::transform(changed_, value, part.begin(), std::minus());
    if (task.table == kWeights) data_.first.draw_omegas(value, part, random);
    return task.table == kWeights ? items_ : 0;
  }
  void evaluate(Terms terms) const override {
    const auto& [train, held_out] = data_;
    for (std::size_t d = 0; d < train.size(); ++d)
      terms["loss"] += 2 * settings_.cost * std::max(0.0, settings_.margin - train.margin(d, eta_.numbers()));
    for (std::size_t d = 0; d < held_out.size(); ++d)
      terms["valid_right"] += held_out.margin(d, eta_.numbers()) > 0 ? 1 : 0;
    if (held_out.size() > 0) terms["valid_documents"] += static_cast<double>(held_out.size());
  }
  void evaluate_slice(SliceId, const WordRows& rows, Terms terms) const override {
    for (const std::uint32_t count : rows.numbers()) terms["tokens"] += count;
  }
  void state(Archive& list) override {
    list(data_.first, data_.second);
    if (list.reads()) list.check(data_.first.count() && data_.second.count());
  }

 private:
  Settings settings_;
  std::uint64_t words_, items_;
  Data data_;
  TableView totals_, eta_;
  std::vector<double> changed_;  // the totals after this shard's changes in a round
};

class MedPull final : public AddPull {
 public:
  void pull(const PullTask& task) override {
    if (task.table == kTotals) return AddPull::pull(task);
    const auto [key, statistics, eta] = task.entries[0];
    Random random = task.random(key);
    std::vector<double> precision(statistics.begin() + static_cast<std::ptrdiff_t>(eta.size()), statistics.end());
    for (std::size_t k = 0; k < eta.size(); ++k) precision[k * (k + 3) / 2] += 1;
    draw_normal(statistics, std::move(precision), random, eta);
  }
};

class MedLda final : public App {
 public:
  explicit MedLda(const Job& job) : job_(job), settings_(settings_of<Settings>(job.options)) { settings_.form.check(); }

  // Document d is in shard d mod S.
  std::vector<std::unique_ptr<Push>> load(std::span<const ShardId> hosted, Random&) override {
    HostedShards<Data> shards(job_.shards, hosted);
    io::RowFiles files(job_.input, settings_.form);
    std::uint64_t positive = 0;
    for (io::LabelledValues row; files.next(row);) {
      positive += row.label > 0 ? 1 : 0;
      if (Data* const data = shards.of_item(files.rows() - 1)) data->first.add(files, row, ~std::uint64_t{0});
    }
    if (files.columns() == 0) throw DataError(job_.input.front(), 0, "the documents have no words");
    if (positive == 0 || positive == files.rows())
      throw DataError(job_.input.front(), 0, "expected labels above 0, and others; --target names their column");
    if (const auto wrong = io::out_of_proportion(files.columns(), "words", files.entries()); !wrong.empty())
      throw DataError(files.widest_file(), files.widest_line(), wrong);
    require_dealt(files.rows(), job_.shards);
    common_ = {files.columns(), files.names()};
    settings_.form.names = files.names();
    io::RowFiles held_out(job_.valid, settings_.form);
    for (io::LabelledValues row; held_out.next(row);)
      if (Data* const data = shards.of_item(held_out.rows() - 1)) data->second.add(held_out, row, common_.words);
    return make_pushes<MedPush>(shards, settings_, common_);
  }
  std::vector<Table> tables(const Facts&) const override {
    const std::uint32_t topics = settings_.topics, statistics = topics + topics * (topics + 1) / 2;
    return {{.name = "words", .kind = Table::Kind::sliced},
            {.name = "totals", .keys = 1, .row_width = topics, .part_width = topics, .dense = true},
            {.name = "weights", .keys = 1, .row_width = topics, .part_width = statistics, .dense = true}};
  }
  std::vector<Term> terms() const override {
    std::vector<Term> terms = {{"loss", Term::Kind::objective}, {"tokens", Term::Kind::conserved}};
    if (job_.options.has("valid")) terms.insert(terms.end(), {{"valid_right"}, {"valid_documents"}});
    return terms;
  }
  std::vector<Score> scores() const override {
    if (!job_.options.has("valid")) return {};
    return {{"valid_accuracy", "valid_right", "valid_documents", Score::Scale::mean, Score::Better::larger, true}};
  }
  std::unique_ptr<Schedule> schedule(const Facts&, Share) const override { return std::make_unique<MedSchedule>(job_); }
  std::unique_ptr<Pull> pull(const Facts&) const override { return std::make_unique<MedPull>(); }
  std::unique_ptr<Slice> slice(std::span<const Key> words) const override {
    return std::make_unique<WordRows>(words.size(), settings_.topics);
  }
  void save_common(Writer& out) const override { write_fields(out, common_); }

 private:
  const Job& job_;
  Settings settings_;
  Common common_;
};

struct Trained {
  explicit Trained(const Model& model)
      : settings(settings_of<Settings>(model.job().options)),
        common(read_fields<Common>(model.common())),
        rows(common.words, settings.topics),
        totals(model.row(kTotals, 0)),
        eta(model.row(kWeights, 0)) {
    for (SliceId b = 0; b < model.cut().slices.size(); ++b) {
      const auto counts = read_fields<std::vector<std::uint32_t>>(model.slice(b));
      for (std::size_t i = 0; i < counts.size(); ++i)
        rows.row(model.cut().slices[b].at(i / settings.topics))[i % settings.topics] = counts[i];
    }
  }

  Settings settings;
  Common common;
  WordRows rows;  // of all words
  std::vector<double> totals, eta;
};

void show(const Call& call, std::ostream& out) {
  const Trained model(*call.model);
  io::Vocabulary names;
  for (const std::string& name : model.common.names) (void)names.number_of(name);
  if (call.options.has("vocab")) names = io::Vocabulary::read(std::string(call.options.text("vocab")));
  const auto most = static_cast<std::size_t>(call.options.integer("top_words"));
  out << "topic    weight  words\n";
  for (const std::uint32_t k : io::largest(model.eta.size(), model.eta.size(), [&](auto i) { return model.eta[i]; })) {
    const auto count = [&](std::uint32_t word) { return model.rows.row(word)[k]; };
    out << io::right_aligned(std::to_string(k), 5) << io::right_aligned(io::six_digits(model.eta[k]), 10) << ' ';
    for (const std::uint32_t word : io::largest(model.rows.rows(), most, count))
      if (count(word) > 0) out << ' ' << (word < names.size() ? names.word(word) : std::to_string(word + 1));
    out << '\n';
  }
}

constexpr std::string_view kReadme = R"(Topics that predict a label (MedLDA) as text.

Topics are numbered from 0.  A word is its name, or the number of its column if the data has no names.

topics.csv      One topic a line: number, its weight for label 1, its number of tokens, and its top ten words.
word_topic.csv  One word and topic a line, of those that have tokens: word, topic, tokens.
)";

void export_text(const Model& stored, const std::filesystem::path& folder) {
  constexpr std::size_t kTopWords = 10;
  const Trained model(stored);
  const auto name = [&](std::size_t word) {
    return word < model.common.names.size() ? model.common.names[word] : std::to_string(word + 1);
  };
  io::write_text(folder / "README.txt", kReadme);
  io::write_csv(folder / "topics.csv", "topic,weight,tokens,words", [&](auto row) {
    for (std::size_t k = 0; k < model.eta.size(); ++k) {
      const auto count = [&](std::uint32_t word) { return model.rows.row(word)[k]; };
      std::string words;
      for (const std::uint32_t word : io::largest(model.rows.rows(), kTopWords, count))
        if (count(word) > 0) words += (words.empty() ? "" : " ") + name(word);
      row(k, model.eta[k], static_cast<std::uint64_t>(model.totals[k]), words);
    }
  });
  io::write_csv(folder / "word_topic.csv", "word,topic,tokens", [&](auto row) {
    for (std::uint32_t word = 0; word < model.rows.rows(); ++word)
      for (std::size_t k = 0; k < model.eta.size(); ++k)
        if (const auto tokens = model.rows.row(word)[k]; tokens > 0)
          row(name(word), k, static_cast<std::uint64_t>(tokens));
  });
}

// Gibbs sampling of the new documents' topics, the words of the topics being as trained.  Each document has its own
// random numbers, so its discriminant does not depend on the others.
void predict(const Call& call, std::ostream& out) {
  Trained model(*call.model);
  model.settings.form.names = model.common.names;
  std::vector<Key> words(model.common.words);
  std::iota(words.begin(), words.end(), Key{0});

  constexpr int kBurnIn = 20, kSamples = 20;
  io::RowFiles files(call.input, model.settings.form);
  for (io::LabelledValues row; files.next(row);) {
    Documents document;
    document.add(files, row, model.common.words);
    document.attach(model.settings, words.size(), {&words, 1});
    double mean = 0;
    Random random = random_named({call.model->job().seed});
    for (int sweep = 0; sweep < kBurnIn + kSamples; ++sweep) {
      document.draw(0, sweep == 0, model.rows, model.totals, {}, random);
      if (sweep >= kBurnIn) mean += document.discriminant(0, model.eta) / kSamples;
    }
    out << (mean > 0 ? "1 " : "-1 ") << io::exact_text(mean) << '\n';
  }
}

constexpr Option kShowOptions[] = {
    {"top_words", Option::Kind::integer, "10", "words", "Number of words shown for a topic.", 1, 1000},
    {"vocab", Option::Kind::path, "", "", "The words, one a line, if the data did not name them."}};
constexpr Command kCommands[] = {
    {"show", "prints the topics: their weights for label 1, and their top words", kShowOptions, show},
    {"predict", "prints the label and the discriminant of each document", {}, predict, true, true}};

}  // namespace
}  // namespace rota::medlda

ROTA_APP(rota::medlda::MedLda, .name = "medlda", .summary = "topics that predict a label: MedLDA by Gibbs sampling",
         .items = "tokens", .options = rota::declared_options<rota::medlda::Settings>(), .starting_pass = true,
         .epochs = 100, .framework_needs = rota::kSynchronous, .export_text = rota::medlda::export_text,
         .commands = rota::medlda::kCommands);
