// SPDX-License-Identifier: Apache-2.0
// Rules that the kinds with several inputs share.
#pragma once
#include "model/layer.hpp"

namespace dlrun::model {

inline constexpr std::size_t kMostInputs = 64;

/// "'a' [16, 7, 7] and 'b' [8, 7, 7]": inputs `left` and `right` by name and shape.
std::string describe_inputs(const Node& node, std::size_t left, std::size_t right);

/// The shape of all inputs laid over each other: sizes are equal, or 1 and stretched, as PyTorch broadcasts; but all
/// have the same number of sizes. @throws ModelError "cannot <what> …" where they do not fit.
Shape broadcast(const Layer& layer, const char* what, const char* hint);

/// The first input whose shape is known, empty where none is.
Shape first_known(const Node& node);

}  // namespace dlrun::model
