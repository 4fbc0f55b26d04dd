// SPDX-License-Identifier: Apache-2.0
// First values of parameters: PyTorch's distributions, drawn from a stream named by the parameter, so that equal names
// get equal bits whatever else the model holds.
#pragma once
#include "nn/layer.hpp"

namespace dlrun::nn {

/// Fills with U(-bound, bound), 24 random bits a value, stream {"init", replicate, name}.
void init_uniform(const Parameter& parameter, double bound, const Streams& streams);

/// Fills with N(0, std^2) from the same stream.
void init_normal(const Parameter& parameter, double std, const Streams& streams);

/// U(±sqrt(6 / (rows + columns))) over the last two sizes (Glorot, Bengio, AISTATS 2010),
/// torch.nn.init.xavier_uniform_.
void init_xavier(const Parameter& weight, const Streams& streams);

/// Weight and bias of a linear or convolution layer: U(±1/sqrt(fan_in)) both, which is what
/// kaiming_uniform(a = sqrt(5)) and PyTorch's bias rule come to. `bias` may be null.
void init_affine(const Parameter& weight, const Parameter* bias, std::int64_t fan_in, const Streams& streams);

}  // namespace dlrun::nn
