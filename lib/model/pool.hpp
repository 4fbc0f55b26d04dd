// SPDX-License-Identifier: Apache-2.0
// Attributes and shape that the pools share.
#pragma once
#include <vector>

#include "model/layer.hpp"

namespace dlrun::model {

options::Table pool_attributes();

/// Sizes as torch.nn.MaxPool1d … AvgPool3d compute them, by the input's shape; the stride is k where none is given.
void infer_pool(Layer& layer);

/// Sizes of the adaptive pools: `out`.
void infer_adaptive_pool(Layer& layer);

}  // namespace dlrun::model
