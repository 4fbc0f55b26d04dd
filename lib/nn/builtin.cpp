// SPDX-License-Identifier: Apache-2.0
// The one list of layer kinds that can be trained.
#include <string_view>

#include "nn/layers/layers.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::nn {

namespace {

struct Kind {
  std::string_view op;
  std::unique_ptr<Layer> (*make)(const Scope&);
};

constexpr Kind kKinds[] = {
    {"linear", make_linear},
    {"conv2d", make_conv2d},
    {"batchnorm", make_batchnorm},
    {"layernorm", make_layernorm},
    {"maxpool", make_maxpool},
    {"avgpool", make_avgpool},
    {"adaptive_avgpool", make_adaptive_avgpool},
    {"dropout", make_dropout},
    {"flatten", make_reshape},
    {"reshape", make_reshape},
    {"add", make_add},
    {"multiply", make_multiply},
    {"concat", make_concat},
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
};

}  // namespace

std::unique_ptr<Layer> make_layer(const Scope& scope) {
  std::vector<std::string> known;
  for (const Kind& kind : kKinds) {
    if (kind.op == scope.node().op) return kind.make(scope);
    known.emplace_back(kind.op);
  }
  const std::string nearest = nearest_name(scope.node().op, known);
  throw Error(ErrorKind::usage, "layer '" + scope.node().name + "': there is no layer kind '" + scope.node().op + "'",
              nearest.empty() ? "" : "did you mean '" + nearest + "'?");
}

}  // namespace dlrun::nn
