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

/// Placeholders of an argument in their order; "{{" and "}}" are braces. The argument `${args}` has none.
/// @param is_script  handed to a shell, to which each `${` belongs
std::vector<Placeholder> placeholders_in(const std::string& text, bool is_script);

}  // namespace dlrun::spec
