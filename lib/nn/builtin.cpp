// SPDX-License-Identifier: Apache-2.0
// The one list of layer kinds that can be trained; those of plugins come behind.
#include <string_view>

#include "nn/float32_layer.hpp"
#include "nn/layers/layers.hpp"
#include "nn/plugin_layer.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::nn {

namespace {

struct Kind {
  std::string_view op;
  std::unique_ptr<Layer> (*make)(const Scope&);
  std::unique_ptr<Layer> (*make_mixed)(const Scope&) = nullptr;  ///< in a lower precision, where it is another
};

constexpr Kind kKinds[] = {
    {"linear", make_linear, make_mixed_linear},
    {"conv1d", make_conv, make_mixed_conv},
    {"conv2d", make_conv, make_mixed_conv},
    {"conv3d", make_conv, make_mixed_conv},
    {"conv_transpose1d", make_conv_transpose, make_mixed_conv_transpose},
    {"conv_transpose2d", make_conv_transpose, make_mixed_conv_transpose},
    {"conv_transpose3d", make_conv_transpose, make_mixed_conv_transpose},
    {"batchnorm", make_batchnorm},
    {"layernorm", make_layernorm},
    {"groupnorm", make_groupnorm},
    {"instancenorm", make_instancenorm},
    {"rmsnorm", make_rmsnorm},
    {"maxpool", make_maxpool},
    {"adaptive_maxpool", make_adaptive_maxpool},
    {"upsample", make_upsample},
    {"pixel_shuffle", make_pixel_shuffle},
    {"pixel_unshuffle", make_pixel_unshuffle},
    {"pad", make_pad},
    {"squeeze_excitation", make_squeeze_excitation},
    {"avgpool", make_avgpool},
    {"adaptive_avgpool", make_adaptive_avgpool},
    {"dropout", make_dropout},
    {"dropout2d", make_dropout2d},
    {"drop_path", make_drop_path},
    {"flatten", make_reshape},
    {"reshape", make_reshape},
    {"add", make_add},
    {"multiply", make_multiply},
    {"concat", make_concat},
    {"embedding", make_embedding},
    {"padding_mask", make_padding_mask},
    {"positional_encoding", make_positional_encoding},
    {"lstm", make_recurrent},
    {"gru", make_recurrent},
    {"multi_head_attention", make_multi_head_attention},
    {"transformer_encoder_layer", make_transformer_block},
    {"transformer_decoder_layer", make_transformer_block},
    {"graph_attention", make_graph_attention},
    {"sequence_pool", make_sequence_pool},
    {"feature_tokenizer", make_feature_tokenizer},
    {"patch_embedding", make_patch_embedding},
    {"class_token", make_class_token},
    {"split", make_slice},
    {"slice", make_slice},
    {"permute", make_permute},
    {"transpose", make_permute},
    {"mean", make_reduction},
    {"sum", make_reduction},
    {"max", make_reduction},
    {"scale", make_scale},
    {"identity", make_activation},
    {"relu", make_activation},
    {"leaky_relu", make_activation},
    {"elu", make_activation},
    {"gelu", make_activation},
    {"silu", make_activation},
    {"sigmoid", make_activation},
    {"tanh", make_activation},
    {"softplus", make_activation},
    {"softmax", make_activation},
    {"log_softmax", make_activation},
    {"relu6", make_activation},
    {"hardswish", make_activation},
    {"hardsigmoid", make_activation},
    {"mish", make_activation},
    {"selu", make_activation},
    {"celu", make_activation},
    {"softshrink", make_activation},
    {"hardshrink", make_activation},
    {"logsigmoid", make_logsigmoid},
    {"softsign", make_softsign},
    {"tanhshrink", make_tanhshrink},
    {"hardtanh", make_hardtanh},
    {"threshold", make_threshold},
    {"prelu", make_prelu},
    {"glu", make_glu},
};

std::unique_ptr<Layer> make(const Kind& kind, const Scope& scope, Precision precision) {
  if (precision == Precision::fp32) return kind.make(scope);
  if (kind.make_mixed) return kind.make_mixed(scope);
  std::unique_ptr<Layer> layer = kind.make(scope);
  if (layer->takes_low_precision()) return layer;
  return std::make_unique<Float32Layer>(std::move(layer));
}

}  // namespace

std::unique_ptr<Layer> make_layer(const Scope& scope, Precision precision) {
  std::vector<std::string> known;
  for (const Kind& kind : kKinds) {
    if (kind.op == scope.node().op) return make(kind, scope, precision);
    known.emplace_back(kind.op);
  }
  if (std::unique_ptr<Layer> layer = make_plugin_layer(scope)) return layer;
  const std::string nearest = nearest_name(scope.node().op, known);
  throw Error(ErrorKind::usage, "layer '" + scope.node().name + "': there is no layer kind '" + scope.node().op + "'",
              nearest.empty() ? "" : "did you mean '" + nearest + "'?");
}

}  // namespace dlrun::nn
