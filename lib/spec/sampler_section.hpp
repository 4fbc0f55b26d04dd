// SPDX-License-Identifier: Apache-2.0
// `search: {sampler: …}`: the word of a built-in sampler, or {op: NAME, key: value} of a plugin.
#pragma once
#include <string>
#include <vector>

#include "options/key.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

/// Without plugins a choice among words; with them {op: word} is allowed too.
options::Key sampler_key();
/// A built-in sampler is its word in the normal form, however it was written. REQUIRES: read by sampler_key().
void settle_sampler(Json& search);
/// Name of the sampler, "auto" where there is none because of a fault.
std::string sampler_name(const Json& search);

/// Names of samplers that can search for several objectives, or that learn from trials: built-in ones, then plugins.
std::vector<std::string> samplers_for_several();
std::vector<std::string> samplers_that_learn();

}  // namespace dlrun::spec
