// SPDX-License-Identifier: Apache-2.0
// Walks made from the tables of keys: every key of a trial's training once with another value than its default, so that
// a key that is added later is walked too.
#pragma once
#include <vector>

#include "spec/keys.hpp"
#include "unit/train/walk.hpp"

namespace dlrun::train {

/// A section, each time with one of its keys at another value than in `base`.
/// @param key  the section's: a table or a variant
/// @param base with the op; what the section needs to be complete
std::vector<Json> variations(const spec::Key& key, const Json& base);

/// Kinds of a key that is one of them, or a list of them.
const std::vector<options::Variant>& kinds_of(const options::Key& option);

/// Keys of batches that one machine's training has. `partition` deals out to ranks: partition_test walks it.
std::vector<options::Key> walked_options();

std::vector<Walk> option_walks();  ///< keys of the trial itself
std::vector<Walk> optimizer_options();
std::vector<Walk> schedule_options();
std::vector<Walk> loss_options();
std::vector<Walk> batch_option_walks();  ///< of augmentation steps and samplers
std::vector<Walk> warm_walks();          ///< every policy of `warm_start`, and `init`

}  // namespace dlrun::train
