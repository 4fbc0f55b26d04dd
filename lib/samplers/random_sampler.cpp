// SPDX-License-Identifier: Apache-2.0
#include "samplers/random_sampler.hpp"

namespace dlrun::samplers {

RandomSampler::RandomSampler(const space::Space& space, std::uint64_t seed) : untried_(space), seed_(seed) {}

void RandomSampler::on_start(trial::TrialId, const space::Values& values) { untried_.insert(values); }

std::optional<space::Values> RandomSampler::propose(std::int64_t number) {
  if (untried_.is_used_up()) {
    reason_ = untried_.used_up();
    return std::nullopt;
  }
  RandomStream random(seed_, {"sampler", name(), std::to_string(number)});
  reason_.clear();
  std::string remark;  // says of random points that they are random
  return untried_.pick(
      random, [&] { return untried_.draw(random); }, remark);
}

}  // namespace dlrun::samplers
