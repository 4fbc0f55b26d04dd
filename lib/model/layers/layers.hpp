// SPDX-License-Identifier: Apache-2.0
// The rules of all layer kinds, each defined in the file of its name.
#pragma once
#include <vector>

#include "model/layer.hpp"

namespace dlrun::model::layers {

LayerRule linear();
LayerRule conv2d();
LayerRule batchnorm();
LayerRule layernorm();
LayerRule maxpool();
LayerRule avgpool();
LayerRule adaptive_avgpool();
std::vector<LayerRule> activations();
LayerRule dropout();
LayerRule flatten();
LayerRule reshape();
LayerRule add();
LayerRule multiply();
LayerRule concat();
LayerRule residual();
LayerRule group();

}  // namespace dlrun::model::layers
