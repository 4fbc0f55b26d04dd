// SPDX-License-Identifier: Apache-2.0
// Rules that the kinds for sequences share: sequences [L, D], each perhaps followed by its mask [L] in `from`.
#pragma once
#include <vector>

#include "model/layer.hpp"

namespace dlrun::model {

/// The most inputs a kind with two sequences and their masks has.
inline constexpr std::size_t kMostSequenceInputs = 4;

struct Sequence {
  std::size_t index = 0;  ///< among the node's inputs
  bool is_masked = false;
  std::int64_t length = 0;
  std::int64_t width = 0;
};

/// The sequences among the inputs. A vector [L] after a sequence [L, D] is its mask: 0 where it is padded. An example
/// that is nothing but padding counts as one real position, the first, so that there is something to attend to.
/// @throws ModelError where there are not `least` to `most`, or a mask has another length than its sequence.
std::vector<Sequence> sequences_of(const Layer& layer, std::size_t least, std::size_t most);

/// Does an input of a node say which positions or nodes count: a mask, edges, an adjacency matrix? Only 0, or not 0, is
/// read of its numbers.
bool is_selection(const Node& node, std::size_t input);

/// The one sequence of a kind that has one, perhaps with a mask.
inline Sequence sequence_of(const Layer& layer) { return sequences_of(layer, 1, 1).front(); }

}  // namespace dlrun::model
