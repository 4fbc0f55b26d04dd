// SPDX-License-Identifier: Apache-2.0
// Layers are dropped, and where that would change a shape, a linear map stands at the cut and keeps it. It is new
// capacity: who did this has not removed the layers but replaced them.
#pragma once
#include <string>
#include <vector>

#include "ablation/rewrite.hpp"

namespace dlrun::ablation {

/// Drops nodes as drop() does and keeps shapes. Channels are mapped by a 1x1 convolution, vectors by a linear layer,
/// both without bias and named NODE.proj; sizes of images by adaptive average pooling, NODE.pool.
/// @return what stands there now, "'conv2' is replaced by a linear map, [8, 7, 7] to [16, 7, 7]"; none: shapes stay
/// @throws Refused as drop(); E215 where the number of sizes differs, or a shape is not known.
std::vector<std::string> drop_projected(model::Declared& model, const std::vector<std::string>& nodes);

/// Drops nodes as drop_between() does and keeps shapes in the same way.
std::vector<std::string> drop_between_projected(model::Declared& model, const std::string& from, const std::string& to);

}  // namespace dlrun::ablation
