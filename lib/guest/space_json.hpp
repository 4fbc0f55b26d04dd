// SPDX-License-Identifier: Apache-2.0
// A space as JSON, with its constraints, for the process of a plugin.
#pragma once
#include "space/space.hpp"
#include "util/json.hpp"

namespace dlrun::guest {

Json space_to_json(const space::Space& space);
/// Inverse of space_to_json(). @throws Json::exception, Error(usage) for anything else
space::Space space_from_json(const Json& json);

}  // namespace dlrun::guest
