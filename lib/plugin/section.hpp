// SPDX-License-Identifier: Apache-2.0
// A plugin's section of a study as its code sees it.
#pragma once
#include <dlrun/plugin/options.hpp>

#include "options/key.hpp"
#include "util/json.hpp"

namespace dlrun::plugin {

/// The values of the keys of `table`; a key that the section lacks has its default.
Options options_of(const Json& section, const options::Table& table);

}  // namespace dlrun::plugin
