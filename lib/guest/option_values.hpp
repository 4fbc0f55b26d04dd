// SPDX-License-Identifier: Apache-2.0
// The values of a plugin's section, as plugins read them.
#pragma once
#include <dlrun/plugin/options.hpp>

#include "options/key.hpp"
#include "util/json.hpp"

namespace dlrun::guest {

/// A value for each key of the plugin. @param section  its normal form; further keys, such as `op`, are ignored
plugin::Options option_values(const Json& section, const options::Table& keys);

}  // namespace dlrun::guest
