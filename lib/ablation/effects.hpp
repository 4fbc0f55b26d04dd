// SPDX-License-Identifier: Apache-2.0
// Side effects of a rewrite on the graph.
#pragma once
#include <string>
#include <vector>

#include "model/graph.hpp"

namespace dlrun::ablation {

/// Places that both graphs have where a shape differs, "fc1 reads [400] instead of [784]", in the model's order.
std::vector<std::string> changed_shapes(const model::Graph& base, const model::Graph& variant);

/// Whether a tensor of the variant is of the name and the shape that it has in the baseline.
bool shares_tensors(const model::Graph& base, const model::Graph& variant);

/// W301 where parameters or operations change by more than `factor`, W302 where two linear maps have come
/// together, W303 where an add, concat or multiply reads one value twice.
std::vector<std::string> warnings_of(const model::Graph& base, const model::Graph& variant, double factor);

}  // namespace dlrun::ablation
