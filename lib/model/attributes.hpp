// SPDX-License-Identifier: Apache-2.0
// Reads the attributes of one node against the table of its kind.
#pragma once
#include <string>

#include "model/faults.hpp"
#include "model/layer.hpp"

namespace dlrun::model {

/// The node's attributes, checked, defaults filled in, a single number for a pair doubled. Faults go to `faults` with
/// the place of the attribute (a missing one: of the node).
/// @return false where a fault makes the attributes unusable.
bool read_attributes(const Json& written, const options::Variant& kind, const std::string& path, Json& attributes,
                     Faults& faults);

/// Keys of a map that are not among `known`: a fault for each, with the nearest known name.
void check_keys(const Json& map, const std::vector<std::string>& known, const std::string& path,
                const std::string& what, Faults& faults);

}  // namespace dlrun::model
