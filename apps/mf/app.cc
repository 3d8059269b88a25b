#include "apps/mf/app.h"

#include <algorithm>
#include <utility>

#include "apps/mf/scoring/terms.h"

namespace rota::mf {

std::vector<std::unique_ptr<Push>> MfApp::load(std::span<const ShardId> hosted, Random&) {
  const bool named = std::find(hosted.begin(), hosted.end(), ShardId{0}) != hosted.end();
  RatingSource source(job_, settings_, named);
  names_ = std::move(source.names());
  return shards_of(source, hosted);
}

std::vector<Term> MfApp::terms() const {
  return terms_of(settings_);
}

std::vector<Score> MfApp::scores() const {
  return scores_of(settings_);
}

void MfApp::save_common(Writer& out) const {
  for (const io::Vocabulary& names : names_) write_names(names, out);
}

}  // namespace rota::mf
