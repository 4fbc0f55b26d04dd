// SPDX-License-Identifier: Apache-2.0
// Writes values as a YAML text that this room reads back as the same values.
#pragma once
#include <set>
#include <string>

#include "util/json.hpp"

namespace dlrun::document {

/// YAML as a person would write it: study keys in their usual order, short lists and maps on one line, text quoted only
/// where it would be read as something else. "${" is written "$${", but for the names in `keep` (Substitution::keep).
std::string to_yaml(const Json& value, const std::set<std::string>& keep = {"args"});

}  // namespace dlrun::document
