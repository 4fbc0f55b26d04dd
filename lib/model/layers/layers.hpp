// SPDX-License-Identifier: Apache-2.0
// The rules of all layer kinds, each defined in the file of its name.
#pragma once
#include <vector>

#include "model/layer.hpp"

namespace dlrun::model::layers {

LayerRule linear();
LayerRule conv1d();
LayerRule conv2d();
LayerRule conv3d();
LayerRule conv_transpose1d();
LayerRule conv_transpose2d();
LayerRule conv_transpose3d();
LayerRule batchnorm();
LayerRule layernorm();
LayerRule groupnorm();
LayerRule instancenorm();
LayerRule rmsnorm();
LayerRule maxpool();
LayerRule avgpool();
LayerRule adaptive_avgpool();
LayerRule adaptive_maxpool();
std::vector<LayerRule> activations();
LayerRule dropout();
LayerRule dropout2d();
LayerRule drop_path();
LayerRule flatten();
LayerRule reshape();
LayerRule add();
LayerRule multiply();
LayerRule concat();
LayerRule split();
LayerRule slice();
LayerRule permute();
LayerRule transpose();
std::vector<LayerRule> reductions();
LayerRule scale();
LayerRule squeeze_excitation();
LayerRule upsample();
LayerRule pixel_shuffle();
LayerRule pixel_unshuffle();
LayerRule pad();
LayerRule embedding();
LayerRule padding_mask();
LayerRule positional_encoding();
LayerRule lstm();
LayerRule gru();
LayerRule multi_head_attention();
LayerRule transformer_encoder_layer();
LayerRule transformer_decoder_layer();
LayerRule graph_attention();
LayerRule sequence_pool();
LayerRule feature_tokenizer();
LayerRule patch_embedding();
LayerRule class_token();
LayerRule residual();
LayerRule group();

}  // namespace dlrun::model::layers
