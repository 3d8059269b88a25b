// apps/lda/commands/evaluate.cc -- `rota evaluate lda`: the probability of new documents, as JSON.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <ostream>

#include "apps/lda/commands/commands.h"
#include "apps/lda/sampler/cell_kernel.h"
#include "rota/error.h"
#include "rota/numerics/line_vector.h"
#include "rota/numerics/seed_mixer.h"
#include "rota/settings.h"

namespace rota::lda {

double left_to_right(const TrainedModel& model, const NewDocument& document, std::uint32_t particles, bool resample,
                     Random& random) {
  const std::vector<double>& alphas = model.priors.alphas;
  const std::uint32_t width = padded(model.priors.topics());
  std::map<std::uint32_t, LineVector<float>> phi_of;  // of the different words
  std::vector<const float*> phi;                      // of each token
  std::vector<double> exact(alphas.size());
  for (const auto& [word, count] : document) {
    const auto [at, is_new] = phi_of.try_emplace(word, width);
    phi.insert(phi.end(), count, at->second.data());
    if (!is_new) continue;
    phi_of_word(model, word, exact);
    std::ranges::transform(exact, at->second.begin(), [](double each) { return static_cast<float>(each); });
  }
  struct Particle {
    std::vector<std::uint16_t> topics;  // of the tokens so far
    std::vector<std::uint32_t> tokens;  // n_k
    LineVector<float> counts;           // n_k + alpha_k
  };
  Particle empty{std::vector<std::uint16_t>(phi.size()), std::vector<std::uint32_t>(width), LineVector<float>(width)};
  for (std::size_t k = 0; k < alphas.size(); ++k) empty.counts[k] = static_cast<float>(alphas[k]);
  std::vector<Particle> all(particles, empty);

  LineVector<float> weights(width);          // (n_k + alpha_k) phi_wk
  std::vector<double> upto(width / kLanes);  // their sums up to each block of lanes
  // Draws a topic for a token, which the particle's counts must not have, and returns the sum of its weights.
  const auto draw = [&](Particle& particle, std::size_t token) {
    double sum = 0;
    for (std::size_t b = 0; b < upto.size(); ++b) {
      const float *const counts = &particle.counts[b * kLanes], *const its_phi = phi[token] + b * kLanes;
      float* const its = &weights[b * kLanes];
      for (std::uint32_t l = 0; l < kLanes; ++l) its[l] = counts[l] * its_phi[l];
      float fours[4];
      for (std::uint32_t l = 0; l < 4; ++l) fours[l] = (its[l] + its[l + 4]) + (its[l + 8] + its[l + 12]);
      sum += static_cast<double>((fours[0] + fours[1]) + (fours[2] + fours[3]));
      upto[b] = sum;
    }
    const double target = random.uniform() * sum;
    const auto block = static_cast<std::size_t>(std::upper_bound(upto.begin(), upto.end() - 1, target) - upto.begin());
    double before = block == 0 ? 0 : upto[block - 1];
    std::size_t topic = block * kLanes;
    const std::size_t last = std::min(topic + kLanes, alphas.size()) - 1;
    while (topic < last && (before += static_cast<double>(weights[topic])) <= target) ++topic;
    particle.topics[token] = static_cast<std::uint16_t>(topic);
    return sum;
  };
  // Counting up and down in floats would lose a small alpha, so the sum is computed from the count.
  const auto count = [&](Particle& particle, std::size_t token, std::uint32_t by) {
    const std::uint16_t topic = particle.topics[token];
    particle.tokens[topic] += by;
    particle.counts[topic] = static_cast<float>(particle.tokens[topic] + alphas[topic]);
  };
  const double alpha_sum = model.priors.alpha_sum();
  double log_p = 0;
  for (std::size_t n = 0; n < phi.size(); ++n) {
    double p = 0;
    for (Particle& particle : all) {
      for (std::size_t i = 0; resample && i < n; ++i) {
        count(particle, i, ~0U);
        draw(particle, i);
        count(particle, i, 1);
      }
      p += draw(particle, n) / (static_cast<double>(n) + alpha_sum);
      count(particle, n, 1);
    }
    log_p += std::log(p / particles);
  }
  return log_p;
}

namespace {

struct Evaluate {
  io::CorpusForm form;
  std::uint32_t particles = 20;
  bool resample = true, per_document = false;
  std::uint64_t seed = 1;

  void options(auto& list) {
    list.all_of(form);
    list.number("particles", particles, "particles", 1, 1e6, "Particles of the left-to-right estimator.");
    list.flag("resample", resample,
              "Draw all topics again before every token: more accurate, and much slower for long documents.");
    list.flag("per_document", per_document, "List every document's log-probability too.");
    list.number("seed", seed, "", 0, 9'007'199'254'740'992, "Equal seeds give equal estimates.");
  }
};

void evaluate(const Call& call, std::ostream& out) {
  const auto settings = rota::settings_of<Evaluate>(call.options);
  const TrainedModel model = read_model(*call.model, false);
  const NewDocuments read = read_new_documents(call.input, settings.form, model.vocabulary);
  if (read.tokens == 0) throw DataError(call.input.front(), 0, "the model has none of the words");
  double sum = 0;
  std::vector<double> log_p;
  for (std::size_t d = 0; d < read.documents.size(); ++d) {
    // Each document has its own random numbers, so its estimate does not depend on the others.
    Random random = random_named({settings.seed, d});
    log_p.push_back(left_to_right(model, read.documents[d], settings.particles, settings.resample, random));
    sum += log_p.back();
  }
  const double per_token = sum / static_cast<double>(read.tokens);
  nlohmann::ordered_json json = {{"method", "left-to-right"},
                                 {"particles", settings.particles},
                                 {"resample", settings.resample},
                                 {"documents", read.documents.size()},
                                 {"tokens", read.tokens},
                                 {"unknown_tokens", read.unknown},
                                 {"log_probability", sum},
                                 {"per_token", per_token},
                                 {"perplexity", std::exp(-per_token)}};
  if (settings.per_document) json["log_probability_of_document"] = log_p;
  out << json.dump(2) << "\n";
}

}  // namespace

Command evaluate_command() {
  return {.name = "evaluate",
          .summary = "estimates the probability of new documents, left to right, as JSON",
          .options = declared_options<Evaluate>(),
          .run = evaluate,
          .takes_input = true};
}

}  // namespace rota::lda
