// SPDX-License-Identifier: Apache-2.0
// ${NAME} and ${NAME:-default} in scalars; keys are left alone.
#pragma once
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "document/diagnostic.hpp"
#include "document/node.hpp"

namespace dlrun::document {

/// The process's environment.
std::optional<std::string> environment(const std::string& name);

struct Substitution {
  std::function<std::optional<std::string>(const std::string& name)> lookup = environment;
  std::set<std::string> keep;  ///< names that stay as they are: ${args} of a command
};

/// Replaces every ${NAME}; "$${" stands for "${". A scalar in which something was replaced is typed by its look, quoted
/// or not: in `{lr: "${LR:-0.1}"}` the quotes are only there for the braces. Unset (or empty) without a default is a
/// fault.
void substitute(Node& node, const Substitution& rules, Diagnostics& faults);

}  // namespace dlrun::document
