// SPDX-License-Identifier: Apache-2.0
// `params:` of a program or function: parameters of one value beside those of the space.
#include <fmt/format.h>

#include <algorithm>

#include "spec/space_section.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

namespace {

void check_param(const std::string& name, const Json& value, const Json& space, Faults& faults) {
  const std::string at = "trial.params." + name;
  if (!is_parameter_name(name))
    faults.at_key(at, document::quote(name) + " is no name for a parameter", kParameterNames);
  if (value.is_structured()) faults.at(at, "a parameter is a text, a number, true or false", "write one value");
  const auto same = std::find_if(space.begin(), space.end(), [&](const Json& one) { return one["name"] == name; });
  if (same != space.end())
    faults.clash(at, fmt::format("'{}' is a parameter of the space too", name), path_of(*same), "the parameter",
                 "remove one of them");
}

}  // namespace

void check_params(Json& trial, const Json& space, Faults& faults) {
  const Json params = trial["params"];
  if (!params.is_object() || params.empty()) {
    trial.erase("params");  // no part of the identity of studies that do not say it
    return;
  }
  for (const auto& [name, value] : params.items()) check_param(name, value, space, faults);
}

}  // namespace dlrun::spec
