// SPDX-License-Identifier: Apache-2.0
// Every layer kind of this room; builtin.cpp has the table from op to these.
#pragma once
#include <memory>

#include "nn/layer.hpp"

namespace dlrun::nn {

std::unique_ptr<Layer> make_linear(const Scope& scope);
std::unique_ptr<Layer> make_conv2d(const Scope& scope);
std::unique_ptr<Layer> make_batchnorm(const Scope& scope);
std::unique_ptr<Layer> make_layernorm(const Scope& scope);
std::unique_ptr<Layer> make_maxpool(const Scope& scope);
std::unique_ptr<Layer> make_avgpool(const Scope& scope);
std::unique_ptr<Layer> make_adaptive_avgpool(const Scope& scope);
std::unique_ptr<Layer> make_dropout(const Scope& scope);
std::unique_ptr<Layer> make_reshape(const Scope& scope);  ///< flatten too: the output's shape is known
std::unique_ptr<Layer> make_add(const Scope& scope);
std::unique_ptr<Layer> make_multiply(const Scope& scope);
std::unique_ptr<Layer> make_concat(const Scope& scope);
std::unique_ptr<Layer> make_activation(const Scope& scope);  ///< relu, gelu, … by the node's op

}  // namespace dlrun::nn
