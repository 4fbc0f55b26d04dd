// SPDX-License-Identifier: Apache-2.0
// Every layer kind of this room; builtin.cpp has the table from op to these.
#pragma once
#include <memory>

#include "nn/layer.hpp"

namespace dlrun::nn {

std::unique_ptr<Layer> make_linear(const Scope& scope);
std::unique_ptr<Layer> make_mixed_linear(const Scope& scope);  ///< mixed: for the lower precisions
std::unique_ptr<Layer> make_conv(const Scope& scope);          ///< conv1d, conv2d, conv3d
std::unique_ptr<Layer> make_conv_transpose(const Scope& scope);
std::unique_ptr<Layer> make_mixed_conv(const Scope& scope);
std::unique_ptr<Layer> make_mixed_conv_transpose(const Scope& scope);
std::unique_ptr<Layer> make_batchnorm(const Scope& scope);
std::unique_ptr<Layer> make_layernorm(const Scope& scope);
std::unique_ptr<Layer> make_groupnorm(const Scope& scope);
std::unique_ptr<Layer> make_instancenorm(const Scope& scope);
std::unique_ptr<Layer> make_rmsnorm(const Scope& scope);
std::unique_ptr<Layer> make_maxpool(const Scope& scope);
std::unique_ptr<Layer> make_any_maxpool(const Scope& scope);  ///< pools with holes too, and of volumes
std::unique_ptr<Layer> make_adaptive_maxpool(const Scope& scope);
std::unique_ptr<Layer> make_avgpool(const Scope& scope);
std::unique_ptr<Layer> make_adaptive_avgpool(const Scope& scope);
std::unique_ptr<Layer> make_dropout(const Scope& scope);
std::unique_ptr<Layer> make_dropout2d(const Scope& scope);
std::unique_ptr<Layer> make_drop_path(const Scope& scope);
std::unique_ptr<Layer> make_reshape(const Scope& scope);  ///< flatten too: the output's shape is known
std::unique_ptr<Layer> make_add(const Scope& scope);
std::unique_ptr<Layer> make_multiply(const Scope& scope);
std::unique_ptr<Layer> make_concat(const Scope& scope);
std::unique_ptr<Layer> make_slice(const Scope& scope);      ///< split too: the graph says from where to where
std::unique_ptr<Layer> make_permute(const Scope& scope);    ///< transpose too: the graph says the order
std::unique_ptr<Layer> make_reduction(const Scope& scope);  ///< mean, sum, max by the node's op
std::unique_ptr<Layer> make_scale(const Scope& scope);
std::unique_ptr<Layer> make_prelu(const Scope& scope);
std::unique_ptr<Layer> make_squeeze_excitation(const Scope& scope);
std::unique_ptr<Layer> make_upsample(const Scope& scope);
std::unique_ptr<Layer> make_pixel_shuffle(const Scope& scope);
std::unique_ptr<Layer> make_pixel_unshuffle(const Scope& scope);
std::unique_ptr<Layer> make_pad(const Scope& scope);
std::unique_ptr<Layer> make_logsigmoid(const Scope& scope);
std::unique_ptr<Layer> make_softsign(const Scope& scope);
std::unique_ptr<Layer> make_tanhshrink(const Scope& scope);
std::unique_ptr<Layer> make_hardtanh(const Scope& scope);
std::unique_ptr<Layer> make_threshold(const Scope& scope);
std::unique_ptr<Layer> make_glu(const Scope& scope);
std::unique_ptr<Layer> make_activation(const Scope& scope);  ///< relu, gelu, … by the node's op
std::unique_ptr<Layer> make_embedding(const Scope& scope);
std::unique_ptr<Layer> make_padding_mask(const Scope& scope);
std::unique_ptr<Layer> make_positional_encoding(const Scope& scope);
std::unique_ptr<Layer> make_recurrent(const Scope& scope);  ///< lstm, gru
std::unique_ptr<Layer> make_multi_head_attention(const Scope& scope);
std::unique_ptr<Layer> make_transformer_block(const Scope& scope);  ///< encoder and decoder layers
std::unique_ptr<Layer> make_graph_attention(const Scope& scope);
std::unique_ptr<Layer> make_sequence_pool(const Scope& scope);
std::unique_ptr<Layer> make_feature_tokenizer(const Scope& scope);
std::unique_ptr<Layer> make_patch_embedding(const Scope& scope);
std::unique_ptr<Layer> make_class_token(const Scope& scope);

}  // namespace dlrun::nn
