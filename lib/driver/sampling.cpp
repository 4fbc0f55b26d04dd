// SPDX-License-Identifier: Apache-2.0
#include "driver/sampling.hpp"

#include "guest/guest_pruner.hpp"
#include "guest/guest_sampler.hpp"

namespace dlrun::driver {

namespace {

/// Version and hash of the plugin that a section names; null: what it names is built in.
Json facts_of(const spec::StudySpec& spec, const Json& section) {
  if (section.is_null()) return {};
  const std::string name = section.at("op");
  return spec.json.value("derived", Json::object()).value("plugins", Json::object()).value(name, Json());
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
         facts_of(before, before.sampler_options) != facts_of(now, now.sampler_options);
}

std::unique_ptr<pruners::Pruner> make_pruner(const spec::StudySpec& spec) {
  const auto* foreign = std::get_if<pruners::Foreign>(&spec.pruner.kind);
  if (foreign == nullptr) return pruners::make_pruner(spec.pruner);
  return std::make_unique<guest::GuestPruner>(guest::PrunerSetting{
      .name = foreign->name, .options = spec.pruner_options, .ladder = foreign->ladder, .study = spec.pruner.study});
}

bool has_other_pruner(const spec::StudySpec& before, const spec::StudySpec& now) {
  return before.json.at("search").at("pruner") != now.json.at("search").at("pruner") ||
         facts_of(before, before.pruner_options) != facts_of(now, now.pruner_options);
}

}  // namespace dlrun::driver
