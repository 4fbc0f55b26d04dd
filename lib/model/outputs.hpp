// SPDX-License-Identifier: Apache-2.0
// `outputs:` of a model, several values with names: {species: head1, aux: {from: side, auxiliary: true}}.
#pragma once
#include <map>
#include <set>
#include <string>
#include <vector>

#include "model/expand.hpp"
#include "model/scope.hpp"

namespace dlrun::model {

/// Outputs by name, ascending; what is faulty is left out. Whose target an output has the owner of the data says:
/// `target` is only looked at for its form.
std::vector<Output> read_outputs(const Json& written, const Names& names, const Scope& top, Faults& faults);

/// Outputs that each node leads to, by the node's name; one that is an output itself leads to no other.
std::map<std::string, std::set<std::string>> readers(const std::vector<Draft>& drafts,
                                                     const std::vector<Output>& outputs);

/// The shape of every output is what its loss can compare with its target.
void check_outputs(const Graph& graph, Faults& faults);

}  // namespace dlrun::model
