// SPDX-License-Identifier: Apache-2.0
// The sampler of a search: a built-in one, or a plugin.
#pragma once
#include <memory>

#include "samplers/sampler.hpp"
#include "spec/study_spec.hpp"

namespace dlrun::driver {

/// @param space  of the study, or as an amendment made it
std::unique_ptr<samplers::Sampler> make_sampler(const spec::StudySpec& spec, const space::Space& space,
                                                std::uint64_t seed);

/// Whether the samplers differ: in name, options, or the object of their plugin.
bool has_other_sampler(const spec::StudySpec& before, const spec::StudySpec& now);

}  // namespace dlrun::driver
