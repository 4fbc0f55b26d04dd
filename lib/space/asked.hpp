// SPDX-License-Identifier: Apache-2.0
// A trial that a person asks for: some values by name, the others to be filled in.
#pragma once
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "space/space.hpp"

namespace dlrun::space {

/// Fault of one of the values, or (parameter empty) of all together.
struct AskedFault {
  std::string parameter;
  std::string message;
  std::string hint;
};

/// Each value must be of its domain, a conditional parameter needs the values that make it active beside it, and some
/// point with these values must keep the constraints. @param asked {name: value}
std::vector<AskedFault> faults_of_asked(const Space& space, const nlohmann::json& asked);

/// Unset where nothing is asked. REQUIRES: no faults.
Values asked_from_json(const Space& space, const nlohmann::json& asked);

/// Is every active parameter given?
bool is_complete(const Space& space, const Values& asked);

/// "0.01" or "sgd" as a person types it, to the value of the domain that reads so; else what it looks like.
nlohmann::json typed(const Space& space, std::size_t parameter, const std::string& text);

}  // namespace dlrun::space
