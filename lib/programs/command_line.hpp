// SPDX-License-Identifier: Apache-2.0
// From templates and parameters to the arguments of a program.
#pragma once
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::programs {

/// Values that templates may name.
struct TemplateValues {
  Json params;  ///< active parameters by name, also those that a program gets only where it names them
  Json known;  ///< all parameters of the program (keys); one that is known but not active takes its whole argument with
               ///< it
  Json own;    ///< other names and their values, trial::kOwnNames; a parameter of the name comes first
};

/// Parameters that a program gets unasked: those that are known.
Json known_of(const Json& params, const Json& known);

/// A parameter's value as an argument: a text as it is, everything else as JSON.
std::string argument_text(const Json& value);

/// `{name}` becomes the value of the parameter, or of ours that has the name, `{{` and `}}` a brace, the element
/// `${args}` one `--name=value` for each known and active parameter. With `shell` the values are quoted for /bin/sh.
/// @throws Error(usage) for a name that is no parameter or a brace that does not close.
std::vector<std::string> expand_arguments(const std::vector<std::string>& templates, const TemplateValues& values,
                                          bool shell = false);

}  // namespace dlrun::programs
