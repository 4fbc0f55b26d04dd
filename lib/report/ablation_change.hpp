// SPDX-License-Identifier: Apache-2.0
// Changes that components stand for, as people name them: "relu → gelu" for a swap, the component's id for a removal.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "ablation/plan.hpp"
#include "util/json.hpp"

namespace dlrun::report {

/// A component's change of the baseline.
struct Change {
  std::string verb = "dropping";  ///< begins the sentence "dropping `bn` costs …"
  std::string after;              ///< end of its object: "by its mean"
  std::string place;              ///< place or layer that changes, "optimizer.lr"; empty if the sides need none
  std::string with, without;      ///< names of both sides, "relu" and "gelu"; empty: something is removed

  bool has_sides() const { return !with.empty(); }
};

/// The change of each component of a plan, by id; components that the plan does not list are places that a path sets.
/// @param study  its normal form
/// @param ids    components of the study
std::map<std::string, Change> changes_of(const ablation::Plan& plan, const Json& study,
                                         const std::vector<std::string>& ids);

/// Names of the components for people, by id: the direction of what is swapped or set, with the id if two components
/// have one direction. Removed components keep their id and are not in it.
std::map<std::string, std::string> directions_of(const ablation::Plan& plan,
                                                 const std::map<std::string, Change>& changes);

}  // namespace dlrun::report
