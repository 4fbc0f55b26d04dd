// SPDX-License-Identifier: Apache-2.0
// A search without a study: a sampler proposes, results come back late.
#pragma once
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "guest/guest_sampler.hpp"

namespace dlrun::cli {

struct EpisodeOptions {
  int trials = 200;
  int pending = 4;       ///< a result becomes visible when so many trials run
  int every_failed = 7;  ///< each of these trials fails; 1: all
  std::size_t objectives = 1;
  int lessons = 0;  ///< trials of an earlier study
};

using Lessons = std::vector<samplers::Observation>;
/// News that a sampler was told, in order.
struct Start {
  trial::TrialId trial;
  space::Values values;
};
using News = std::variant<Lessons, Start, samplers::Observation>;

/// A proposal, and the number of news before it.
struct Asked {
  std::int64_t number = 0;
  std::size_t after = 0;
  std::optional<space::Values> values;
  std::string reason;
};

struct Episode {
  std::vector<News> news;
  std::vector<Asked> asked;
};

/// Plays with a fresh process. A sampler that ends its search ends the episode.
/// @param again  asks each time once more; a different answer is Broken
Episode play(guest::GuestSampler& sampler, const space::Space& space, const EpisodeOptions& options, bool again);

void tell(samplers::Sampler& sampler, const News& news);

}  // namespace dlrun::cli
