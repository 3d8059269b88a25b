// tests/apps/lda_commands_test.cc -- the commands on a model of the LDA app.

#include "rota/error.h"
#include "rota/testing/serial_host.h"
#include "tests/apps/make_job.h"
#include "tests/unit/io/scratch_files.h"

namespace rota::lda {
namespace {

using tests::ScratchFiles;
using Values = std::map<std::string, std::string, std::less<>>;

std::string run(const std::string& name, const Model* model, Values given, const std::vector<std::string>& input = {}) {
  for (const Command& command : linked_plugin().commands) {
    if (command.name != name) continue;
    EXPECT_EQ(command.needs_model, model != nullptr);
    EXPECT_EQ(command.takes_input, !input.empty());
    for (const Option& option : command.options)
      given.emplace(std::string(option.name), std::string(option.default_value));
    const Options options(given);
    std::ostringstream out;
    command.run({model, options, input}, out);
    return out.str();
  }
  throw std::runtime_error("no command " + name);
}

// A model of texts about animals and about weather; one of its three topics may well be empty.
class Trained : public testing::Test {
 protected:
  static Job job_of(const ScratchFiles& files) {
    std::string text;
    for (int d = 0; d < 20; ++d)
      text += d % 2 == 0 ? "cat dog owl cat dog owl cat \"x\"\n" : "sun rain snow rain sun snow rain\n";
    text += "\n";
    return tests::make_job(linked_plugin(), {{"topics", "3"}, {"alpha", "0.3"}}, {files.write("train", text)}, 2);
  }
  Trained() : host_(linked_plugin(), job_of(files_)) {
    host_.run_epochs(40);
    model_ = std::make_unique<SerialModel>(host_);
  }

  ScratchFiles files_;
  SerialHost host_;
  std::unique_ptr<SerialModel> model_;
};

TEST_F(Trained, PredictTakesLdaC) {
  // The words in the order of the training text: cat dog owl "x" sun rain snow.
  const std::string text = files_.write("text", "cat dog owl owl\n\nsnow rain\n");
  const std::string numbers = files_.write("numbers", "3 0:1 1:1 2:2\n0\n2 6:1 5:1\n");
  EXPECT_EQ(run("predict", model_.get(), {{"layout", "table"}}, {numbers}),
            run("predict", model_.get(), {{"layout", "table"}}, {text}));
  const std::string beyond = files_.write("beyond", "1 0:1\n1 7:1\n");
  EXPECT_EQ(tests::message_of<DataError>([&] { run("predict", model_.get(), {}, {beyond}); }),
            beyond + ":2: word 7 is beyond the 7 words of the vocabulary, which are numbered from 0");
}

TEST(LdaCommands, WordsThatHadNoNamesMayBeMissing) {
  const ScratchFiles files;
  Job job = tests::make_job(linked_plugin(), {{"topics", "2"}}, {files.write("train", "2 0:3 2:1\n1 1:5\n")});
  SerialHost host(linked_plugin(), job);
  host.run_epochs(2);
  const SerialModel model(host);
  const std::string list = run("predict", &model, {}, {files.write("new", "2 0:1 3:4\n")});
  EXPECT_EQ(list.substr(0, list.find('\n')),
            "# 1 documents, 1 tokens; 4 more are of words that the model does not have");
  EXPECT_NE(
      run("evaluate", &model, {}, {files.write("new", "2 0:1 3:4\n")}).find("\"tokens\": 1,\n  \"unknown_tokens\": 4,"),
      std::string::npos);
}

TEST_F(Trained, PredictPrintsTheTopics) {
  const std::string path = files_.write("new", "cat dog zebra owl\nsnow rain\n\nowl dog cat\n");
  const std::string list = run("predict", model_.get(), {{"most_topics", "1"}}, {path});
  std::istringstream lines(list);
  std::string line, first, second, third, fourth;
  std::getline(lines, line);
  EXPECT_EQ(line, "# 4 documents, 8 tokens; 1 more are of words that the model does not have");
  std::getline(lines, first), std::getline(lines, second), std::getline(lines, third), std::getline(lines, fourth);
  const auto topic = [](const std::string& text) { return text.substr(2, text.find(':') - 2); };
  EXPECT_EQ(topic(first), topic(fourth));
  EXPECT_NE(topic(first), topic(second));
  EXPECT_EQ(first.substr(0, 2), "1 ");

  std::istringstream rows(run("predict", model_.get(), {{"layout", "table"}}, {path}));
  std::getline(rows, line), std::getline(rows, line);
  EXPECT_EQ(line, "document\t0\t1\t2");
  for (int d = 1; d <= 4; ++d) {
    double number = 0, share = 0, sum = 0;
    rows >> number;
    EXPECT_EQ(number, d);
    for (int k = 0; k < 3; ++k) rows >> share, sum += share;
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TEST_F(Trained, LikelyDocumentsHaveABetterScore) {
  const auto perplexity = [&](const std::string& text, Values given) {
    const std::string json = run("evaluate", model_.get(), std::move(given), {files_.write("new", text)});
    const std::size_t at = json.find("\"perplexity\": ");
    return std::stod(json.substr(at + 14));
  };
  const double likely = perplexity("cat dog owl cat\n", {}), mixed = perplexity("cat rain snow dog cat sun owl\n", {});
  EXPECT_LT(likely, mixed);
  EXPECT_EQ(perplexity("cat rain snow dog cat sun owl\n", {}), mixed) << "equal seeds";
  std::set<double> by_seed;
  for (const char* seed : {"1", "2", "3", "4", "5"})
    by_seed.insert(perplexity("cat rain snow dog cat sun owl\n", {{"seed", seed}}));
  EXPECT_GT(by_seed.size(), 1U);
  EXPECT_LT(perplexity("cat dog owl cat\n", {{"resample", "false"}}), 2 * likely);
  EXPECT_THROW(perplexity("zebra\n", {}), DataError);
  const std::string json =
      run("evaluate", model_.get(), {{"per_document", "true"}}, {files_.write("new", "cat zebra\n\nsun\n")});
  EXPECT_NE(json.find("\"documents\": 3"), json.npos) << json;
  EXPECT_NE(json.find("\"unknown_tokens\": 1"), json.npos) << json;
  EXPECT_NE(json.find("\"log_probability_of_document\": ["), json.npos) << json;
}

TEST_F(Trained, DiagnosticsAreATable) {
  const std::string table = run("diagnostics", model_.get(), {{"top_words", "2"}}, {host_.job().input});
  std::istringstream lines(table);
  std::string line;
  int count = 0;
  while (std::getline(lines, line)) {
    EXPECT_EQ(std::count(line.begin(), line.end(), '\t'), 9) << line;
    EXPECT_EQ(line.find("nan"), line.npos) << line;
    ++count;
  }
  EXPECT_EQ(count, 4);
}

// Numbers between the brackets that follow `name`, row by row.
std::vector<std::vector<double>> table_of(const std::string& json, const std::string& name) {
  std::size_t at = json.find("\"" + name + "\":[[") + name.size() + 5;
  std::vector<std::vector<double>> rows;
  while (json[at - 1] == '[' || json[at - 1] == ',') {
    std::istringstream row(json.substr(at, json.find(']', at) - at));
    rows.emplace_back();
    char mark = 0;
    for (double value = 0; row >> mark >> value;) rows.back().push_back(value);
    at = json.find(']', at) + 2;
  }
  return rows;
}

TEST_F(Trained, PyldavisNeverHasANan) {
  const std::string json = run("pyldavis", model_.get(), {});
  for (const char* wrong : {"nan", "inf", "NaN"}) EXPECT_EQ(json.find(wrong), json.npos);
  const auto topics = table_of(json, "topic_term_dists"), documents = table_of(json, "doc_topic_dists");
  ASSERT_EQ(topics.size(), 3U);
  ASSERT_EQ(documents.size(), 21U) << "the empty document too";
  for (const auto& table : {topics, documents}) {
    for (const auto& row : table) {
      double sum = 0;
      for (const double share : row) {
        EXPECT_GT(share, 0);
        sum += share;
      }
      EXPECT_NEAR(sum, 1, 1e-5);
    }
  }
  EXPECT_EQ(topics[0].size(), 7U);
  EXPECT_NE(json.find("\"vocab\":[\"cat\",\"dog\",\"owl\",\"\\\"x\\\"\","), json.npos) << json;
  EXPECT_NE(json.find("\"term_frequency\":[30,20,20,10,"), json.npos) << json;
}

TEST_F(Trained, ABagOfAnotherVocabularyIsRefused) {
  const std::string bag = files_.write("bag", "1\n9\n1\n1 2 1\n");
  EXPECT_EQ(tests::message_of<DataError>([&] { run("predict", model_.get(), {}, {bag}); }),
            bag + ":2: the corpus has 9 words, but the model has 7");
}

}  // namespace
}  // namespace rota::lda
