// SPDX-License-Identifier: Apache-2.0
#include "study/state.hpp"

namespace dlrun::study {

State::State(Rules with, space::Space over, std::unique_ptr<samplers::Sampler> sampler,
             std::unique_ptr<pruners::Pruner> judge)
    : rules(std::move(with)),
      space(std::move(over)),
      pruner(std::move(judge)),
      proposer(std::move(sampler)),
      explorer(samplers::make_explorer(space, rules.explorer, rules.seed)),
      trials(space.size(), rules.further.size() + rules.bounds.size(), rules.members),
      rungs(pruner->rungs(), rules.epochs),
      clock(rules.lanes, rules.slack, rules.stride, rules.arrival),
      failures(rules.retries),
      ranking(rules, trials),
      progress(rules),
      agenda(rules.enqueue) {}

}  // namespace dlrun::study
