// SPDX-License-Identifier: Apache-2.0
// graph_attention (GAT; Velickovic et al., ICLR 2018). With h = W x, node i gives its neighbour j the weight
// softmax_j(leaky_relu(att_dst . h_i + att_src . h_j)), the paper's a = [att_dst || att_src].
#include <ATen/TensorOperators.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/leaky_relu.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/logical_not.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ne.h>
#include <ATen/ops/softmax.h>

#include "nn/autograd_layer.hpp"
#include "nn/dropout_mask.hpp"
#include "nn/init.hpp"
#include "nn/layers/layers.hpp"

namespace dlrun::nn {

namespace {

class GraphAttention final : public AutogradLayer {
 public:
  explicit GraphAttention(const Scope& scope)
      : AutogradLayer(scope),
        out_(scope.integer("out")),
        heads_(scope.integer("heads")),
        concat_(scope.boolean("concat")),
        self_loops_(scope.boolean("self_loops")),
        slope_(scope.number("slope")),
        dropout_(scope, "", scope.number("dropout")) {}

  void initialise(const Streams& streams) override {
    for (const char* name : {"lin.weight", "att_src", "att_dst"}) init_xavier(parameter(name), streams);
    if (const Parameter* bias = find("bias")) bias->value.zero_();
  }

 protected:
  /// @param inputs  features [B, N, F] and adjacency [B, N, N]
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass& pass) override {
    const at::Tensor& x = inputs[0];
    const at::Tensor h = at::linear(x, tensors["lin.weight"]).view({x.size(0), x.size(1), heads_, out_});
    const at::Tensor from = (h * tensors["att_src"]).sum(-1).transpose(1, 2).unsqueeze(2);  // [B, heads, 1, N]
    const at::Tensor to = (h * tensors["att_dst"]).sum(-1).transpose(1, 2).unsqueeze(3);    // [B, heads, N, 1]
    const at::Tensor weights = weigh(at::leaky_relu(to + from, slope_), inputs[1]);
    at::Tensor y = at::matmul(dropout_.apply(weights, pass), h.transpose(1, 2)).transpose(1, 2);
    y = concat_ ? y.reshape({x.size(0), x.size(1), heads_ * out_}) : y.mean(2);
    return tensors["bias"].defined() ? y + tensors["bias"] : y;
  }

 private:
  /// softmax over the neighbours; zeros for a node that has none.
  at::Tensor weigh(const at::Tensor& scores, const at::Tensor& adjacency) const {
    at::Tensor is_neighbour = at::ne(adjacency.detach(), 0);
    if (self_loops_) is_neighbour = is_neighbour.logical_or(at::eye(adjacency.size(1), is_neighbour.options()));
    const at::Tensor hidden = at::logical_not(is_neighbour).unsqueeze(1);
    return at::softmax(scores.masked_fill(hidden, -1e30), -1).masked_fill(hidden, 0);
  }

  std::int64_t out_, heads_;
  bool concat_, self_loops_;
  double slope_;
  DropoutMask dropout_;
};

}  // namespace

std::unique_ptr<Layer> make_graph_attention(const Scope& scope) { return std::make_unique<GraphAttention>(scope); }

}  // namespace dlrun::nn
