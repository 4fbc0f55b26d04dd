// SPDX-License-Identifier: Apache-2.0
// The keys of plugin.yaml.
#pragma once
#include "options/key.hpp"
#include "plugin/manifest.hpp"

namespace dlrun::plugin {

/// `kind:` chooses among variants: keys that all plugins have, and those of the kind.
const options::Key& manifest_key();

/// A key of the plugin's section in a study, from its entry in `keys:`.
/// @throws Error(usage) for a default that is not within the key's own bounds, and for an unfit combination
options::Key key_from_json(const Json& entry);

}  // namespace dlrun::plugin
