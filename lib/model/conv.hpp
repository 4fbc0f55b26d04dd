// SPDX-License-Identifier: Apache-2.0
// Attributes and shapes that convolutions and transposed convolutions of one to three directions share.
#pragma once
#include <string>
#include <vector>

#include "model/layer.hpp"

namespace dlrun::model {

/// out, k, stride, dilation, groups, bias, in. @param sizes  type of what has one number for each direction
options::Table convolution_attributes(options::Form sizes);

/// The number of directions that the op's name says (conv2d: 2). @throws ModelError where the input has another.
std::size_t require_directions(const Layer& layer);

/// The groups, `in` replaced by the input's channels. @throws ModelError unless they divide both numbers of channels.
std::int64_t groups_of(Layer& layer, std::int64_t in, std::int64_t out);

}  // namespace dlrun::model
