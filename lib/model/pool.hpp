// SPDX-License-Identifier: Apache-2.0
// What maxpool and avgpool share: their attributes and their shape.
#pragma once
#include <vector>

#include "model/layer.hpp"

namespace dlrun::model {

std::vector<Attribute> pool_attributes();

/// Sizes as torch.nn.MaxPool2d and AvgPool2d compute them (ceil_mode off); the stride is k where none is given.
void infer_pool(Layer& layer);

}  // namespace dlrun::model
