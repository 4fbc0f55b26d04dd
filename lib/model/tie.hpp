// SPDX-License-Identifier: Apache-2.0
// Layers that use the tensors of another one: an embedding and the head that reads it back (Press, Wolf, EACL 2017).
#pragma once
#include "model/graph.hpp"

namespace dlrun::model {

/// Each tensor of `node` that `owner` has under the same local name becomes the owner's; the rest stays its own.
/// @throws ModelError (place: share) where they have no name in common, or the shapes differ.
void tie_tensors(const Node& owner, Node& node);

}  // namespace dlrun::model
