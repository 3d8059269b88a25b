// apps/medlda/documents.h -- documents with labels, and the draws of Gibbs MedLDA.
//
// Zhu, Chen, Perkins and Zhang, "Gibbs max-margin topic models with data augmentation", JMLR 15 (2014), with
// nu = 1, because c and l set the scale, and omega for the paper's c^2 / lambda.  zbar_d has the shares of the topics
// among the N_d tokens of document d.  With its margin m_d = y_d eta' zbar_d, where y_d = +1 or -1,
//
//   omega_d ~ inverse Gaussian(c / |l - m_d|, c^2)
//   eta ~ normal(S b, S), S^-1 = I + sum_d omega_d zbar_d zbar_d', b = sum_d y_d (c + omega_d l) zbar_d
//   p(z_dn = k) ~ (C_kw + beta) / (C_k + V beta) (C_dk + alpha) exp(e_k), with R the sum of eta over the other tokens,
//   e_k = eta_k (y_d (c + omega_d l) / N_d - omega_d (R + eta_k / 2) / N_d^2)
#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "rota/bytes.h"
#include "rota/dense_slice.h"
#include "rota/io/number_text.h"
#include "rota/io/row_files.h"
#include "rota/numerics/gamma.h"

namespace rota::medlda {

struct Settings {
  std::uint32_t topics = 20;
  double alpha = 0.16, beta = 0.01, cost = 1.6, margin = 64;
  io::RowForm form = {};
  void options(auto& list) {
    list.number("topics", topics, "topics", 1, 1000, "Number of topics, K.");
    list.number("alpha", alpha, "", 1e-6, 1e6, "The parameter of the prior of a document's topics, for each topic.");
    list.number("beta", beta, "", 1e-6, 1e6, "The parameter of the prior of a topic's words, for each word.");
    list.number("cost", cost, "", 1e-6, 1e6, "The weight of the labels beside the words, c.");
    list.number("margin", margin, "", 1e-6, 1e6, "The margin that a document's discriminant should have, l.");
    list.all_of(form);
  }
};

using WordRows = DenseSlice<std::uint32_t>;  // of each word: its number of tokens with each topic, C_kw

// Documents, and a topic for each of their tokens.
class Documents {
 public:
  // The row that was read last, without words from `known` on.  Throws DataError if it is not of counts.
  void add(const io::RowFiles& files, const io::LabelledValues& row, std::uint64_t known) {
    std::uint64_t length = 0;
    for (std::size_t e = 0; e < row.values.size(); ++e) {
      const double count = row.values[e];
      if (!(count >= 0 && count <= 65535) || count != std::floor(count))
        files.fail("the count of a word must be a whole number up to 65535, found " + io::exact_text(count));
      if (row.columns[e] >= known || count == 0) continue;
      words_.put_varint(row.columns[e] + std::uint64_t{1});
      words_.put_varint(static_cast<std::uint64_t>(count));
      length += static_cast<std::uint64_t>(count);
    }
    words_.put_varint(0);
    ends_.push_back(items() + length);
    signs_.push_back(row.label > 0 ? 1 : -1);
  }
  std::size_t size() const { return ends_.size(); }
  std::uint64_t items() const { return ends_.empty() ? 0 : ends_.back(); }  // tokens
  // Until attach(): calls take(document, word, count).
  template <typename Take>
  void for_each_word(Take take) const {
    Reader in(words_.view());
    for (std::uint32_t d = 0; d < size(); ++d)
      while (const std::uint64_t word = in.get_varint())
        take(d, static_cast<std::uint32_t>(word - 1), static_cast<std::uint32_t>(in.get_varint()));
  }
  double discriminant(std::size_t d, std::span<const double> eta) const {  // eta' zbar_d; 0 without tokens
    double sum = 0;
    for (std::size_t k = 0; k < eta.size(); ++k) sum += counts_[d * eta.size() + k] * eta[k];
    return sum == 0 ? 0 : sum / length(d);
  }
  double margin(std::size_t d, std::span<const double> eta) const { return signs_[d] * discriminant(d, eta); }

  // `slices` has the words of each slice.
  void attach(const Settings& settings, std::uint64_t words, std::span<const std::vector<Key>> slices) {
    std::vector<std::pair<SliceId, std::uint32_t>> place(words);  // of each word: its slice, and the row there
    for (SliceId b = 0; b < slices.size(); ++b)
      for (std::uint32_t row = 0; row < slices[b].size(); ++row) place[slices[b][row]] = {b, row};
    std::vector<Writer> runs(slices.size());
    std::vector<TokenRun> last(slices.size());
    std::uint32_t number = 0;
    for_each_word([&](std::uint32_t d, std::uint32_t word, std::uint32_t count) {
      const auto [slice, row] = place[word];
      Writer& run = runs[slice];
      run.put_varint(d - last[slice].document);
      run.put_varint(number - last[slice].number);
      run.put_varint(std::uint64_t{row} * 2 + (count > 1 ? 1 : 0));
      if (count > 1) run.put_varint(count);
      last[slice] = {d, row, number, count};
      number += count;
    });
    words_ = {};
    for (Writer& one : runs) {
      runs_.push_back(one.take());
      runs_.back().shrink_to_fit();
    }
    settings_ = settings;
    v_beta_ = static_cast<double>(words) * settings.beta;
    topics_.resize(items());
    counts_.resize(size() * settings.topics);
    omegas_.resize(size());
  }

  // Draws the topics of a slice's tokens, which have none yet if it is the first time; the totals are C_k.  Without
  // eta, documents are held out: their topics follow the words alone, and leave the model as it is.
  void draw(SliceId slice, bool first, WordRows& rows, std::span<double> totals, std::span<const double> eta,
            Random& random) {
    std::vector<double> weights(settings_.topics);
    TokenRun run;
    for (Reader in(runs_[slice]); next(in, run);)
      for (std::uint32_t i = 0; i < run.count; ++i) {
        std::uint16_t& topic = topics_[run.number + i];
        const std::span<std::uint32_t> row = rows.row(run.row), its = counts(run.document);
        const auto count = [&](std::int32_t change) {
          its[topic] += static_cast<std::uint32_t>(change);
          if (eta.empty()) return;
          row[topic] += static_cast<std::uint32_t>(change);
          totals[topic] += change;
        };
        if (!first) count(-1);
        for (std::size_t k = 0; k < weights.size(); ++k)
          weights[k] = (row[k] + settings_.beta) / (totals[k] + v_beta_) * (its[k] + settings_.alpha);
        if (!first && !eta.empty()) follow_label(run.document, eta, weights);
        double rest = random.uniform() * std::accumulate(weights.begin(), weights.end(), 0.0);
        for (topic = 0; topic + std::size_t{1} < weights.size() && rest >= weights[topic]; ++topic)
          rest -= weights[topic];
        count(1);
      }
  }

  // Draws the omegas, and adds the documents to b and then to the lower triangle of S^-1, row by row.
  void draw_omegas(std::span<const double> eta, std::span<double> statistics, Random& random) {
    for (std::size_t d = 0; d < size(); ++d) {
      const double distance = std::max(std::abs(settings_.margin - margin(d, eta)), 1e-5);  // S^-1 keeps its digits
      omegas_[d] = draw_inverse_gaussian(settings_.cost / distance, settings_.cost * settings_.cost, random);
      double* row = &statistics[eta.size()];
      for (std::size_t i = 0; i < eta.size(); row += ++i) {
        if (counts(d)[i] == 0) continue;
        const double share = counts(d)[i] / length(d);
        statistics[i] += signs_[d] * (settings_.cost + omegas_[d] * settings_.margin) * share;
        for (std::size_t j = 0; j <= i; ++j) row[j] += omegas_[d] * share * (counts(d)[j] / length(d));
      }
    }
  }

  void fields(auto& list) { list(topics_, omegas_); }
  // After reading the fields: false if they are wrong.
  bool count() {
    counts_.assign(counts_.size(), 0);
    if (topics_.size() != items()) return false;
    if (!std::ranges::all_of(topics_, [&](std::uint16_t topic) { return topic < settings_.topics; })) return false;
    for (const std::vector<std::byte>& runs : runs_) {
      TokenRun run;
      for (Reader in(runs); next(in, run);)
        for (std::uint32_t i = 0; i < run.count; ++i) ++counts(run.document)[topics_[run.number + i]];
    }
    return omegas_.size() == size() &&
           std::ranges::all_of(omegas_, [](double each) { return each >= 0 && each < 1e300; });
  }

 private:
  // The tokens of a word in a document: its row in the slice, and the number of the first.
  struct TokenRun {
    std::uint32_t document = 0, row = 0, number = 0, count = 0;
  };
  // The next run of a slice's; false at the end.
  static bool next(Reader& in, TokenRun& run) {
    if (in.rest().empty()) return false;
    run.document += static_cast<std::uint32_t>(in.get_varint());
    run.number += static_cast<std::uint32_t>(in.get_varint());
    const std::uint64_t row = in.get_varint();
    run.row = static_cast<std::uint32_t>(row / 2);
    run.count = row % 2 == 1 ? static_cast<std::uint32_t>(in.get_varint()) : 1;
    return true;
  }
  std::span<std::uint32_t> counts(std::size_t d) {
    return std::span(counts_).subspan(d * settings_.topics, settings_.topics);
  }
  double length(std::size_t d) const { return static_cast<double>(ends_[d] - (d == 0 ? 0 : ends_[d - 1])); }  // N_d
  // Multiplies by exp(e_k), for a token that is not in the counts.
  void follow_label(std::size_t d, std::span<const double> eta, std::span<double> weights) const {
    const double tokens = length(d), omega = omegas_[d], others = discriminant(d, eta) * tokens;
    const double linear = signs_[d] * (settings_.cost + omega * settings_.margin) / tokens;
    const auto exponent = [&](double eta_k) {
      return eta_k * (linear - omega / (tokens * tokens) * (others + eta_k / 2));
    };
    double largest = exponent(eta[0]);
    for (const double eta_k : eta) largest = std::max(largest, exponent(eta_k));
    for (std::size_t k = 0; k < eta.size(); ++k) weights[k] *= exponential(exponent(eta[k]) - largest);
  }

  Settings settings_;
  double v_beta_ = 0;  // V beta
  std::vector<double> signs_;
  // As varints: of each document its words, from 1, and their counts, and then 0; of each slice its runs of tokens,
  // documents and first tokens less those of the run before, twice the row, plus 1 if a count other than 1 follows.
  Writer words_;
  std::vector<std::vector<std::byte>> runs_;
  std::vector<std::size_t> ends_;      // of each document: its tokens begin where those of the previous one end
  std::vector<std::uint16_t> topics_;  // of each token
  std::vector<std::uint32_t> counts_;  // of each document: C_dk
  std::vector<double> omegas_;         // of each document
};

}  // namespace rota::medlda
