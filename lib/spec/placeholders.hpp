// SPDX-License-Identifier: Apache-2.0
// Placeholders in the arguments of a program: {name}.
#pragma once
#include <string>
#include <vector>

namespace dlrun::spec {

/// A name in braces, as it is written; without a closing brace all the rest, and no name.
struct Placeholder {
  std::string written, name;
};

/// Placeholders of an argument in their order, without `${args}`; "{{" and "}}" are braces.
std::vector<Placeholder> placeholders_in(const std::string& text);

}  // namespace dlrun::spec
