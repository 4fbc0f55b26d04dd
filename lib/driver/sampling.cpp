// SPDX-License-Identifier: Apache-2.0
#include "driver/sampling.hpp"

#include "guest/guest_sampler.hpp"

namespace dlrun::driver {

namespace {

/// Version and hash of the plugin that the sampler is; null: it is built in.
Json facts_of(const spec::StudySpec& spec) {
  if (spec.sampler_options.is_null()) return {};
  return spec.json.value("derived", Json::object()).value("plugins", Json::object()).value(spec.sampler, Json());
}

}  // namespace

std::unique_ptr<samplers::Sampler> make_sampler(const spec::StudySpec& spec, const space::Space& space,
                                                std::uint64_t seed) {
  if (spec.sampler_options.is_null()) return samplers::make_sampler(spec.sampler, space, seed);
  return std::make_unique<guest::GuestSampler>(space,
                                               guest::SamplerSetting{.name = spec.sampler,
                                                                     .options = spec.sampler_options,
                                                                     .seed = seed,
                                                                     .objectives = spec.rules.further.size() + 1});
}

bool has_other_sampler(const spec::StudySpec& before, const spec::StudySpec& now) {
  return before.sampler != now.sampler || before.sampler_options != now.sampler_options ||
         facts_of(before) != facts_of(now);
}

}  // namespace dlrun::driver
