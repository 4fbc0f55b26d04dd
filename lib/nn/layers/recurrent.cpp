// SPDX-License-Identifier: Apache-2.0
// lstm and gru on ATen's kernels, a layer at a time, so that dropout between layers draws from our streams. Under a
// mask the reverse direction reads each sequence turned around within its length: as a packed sequence, without
// sorting.
#include <cmath>

#include <ATen/Context.h>
#include <ATen/TensorOperators.h>
#include <ATen/autocast_mode.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/gather.h>
#include <ATen/ops/gru.h>
#include <ATen/ops/lstm.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include "nn/autograd_layer.hpp"
#include "nn/dropout_mask.hpp"
#include "nn/init.hpp"
#include "nn/layers/layers.hpp"
#include "nn/sequences.hpp"

namespace dlrun::nn {

namespace {

/// How each sequence of a batch ends.
struct Ends {
  at::Tensor real;    ///< [B, L] bool
  at::Tensor last;    ///< [B] int64
  at::Tensor turned;  ///< [B, L] int64, the position read at each step from the end
};

Ends ends_of(const at::Tensor& mask) {
  const at::Tensor last = last_positions(real_positions(mask));
  const at::Tensor position = at::arange(mask.size(1), last.options()).unsqueeze(0);
  const at::Tensor from_end = last.unsqueeze(1) - position;
  const at::Tensor real = from_end.ge(0);
  return {real, last, at::where(real, from_end, position)};
}

/// Whether oneDNN has an LSTM in bfloat16 for this CPU and the instruction set it is allowed. Under autocast at::lstm
/// goes to oneDNN without asking, and fails there.
bool has_bf16_lstm() {
  const c10::NoGradGuard no_grad;
  const at::Tensor x = at::zeros({1, 1, 1}), bias = at::zeros({4}), weight = at::zeros({4, 1});
  try {
    at::lstm(x, {x, x}, {weight, weight, bias, bias}, true, 1, 0, true, false, true);
    return true;
  } catch (const std::exception&) {  // dnnl::error: no primitive
    return false;
  }
}

/// ATen's own LSTM while this lives where autocast would take oneDNN's and this CPU has none.
class LstmThatIsThere {
 public:
  explicit LstmThatIsThere(at::DeviceType device) : was_enabled_(at::globalContext().userEnabledMkldnn()) {
    if (device != at::kCPU || !at::autocast::is_autocast_enabled(device)) return;
    if (at::autocast::get_autocast_dtype(device) != at::kBFloat16) return;
    static const bool is_there = has_bf16_lstm();
    if (!is_there) at::globalContext().setUserEnabledMkldnn(false);
  }
  ~LstmThatIsThere() { at::globalContext().setUserEnabledMkldnn(was_enabled_); }
  LstmThatIsThere(const LstmThatIsThere&) = delete;
  LstmThatIsThere& operator=(const LstmThatIsThere&) = delete;

 private:
  bool was_enabled_;
};

at::Tensor turn(const at::Tensor& x, const Ends& ends) {
  return at::gather(x, 1, ends.turned.unsqueeze(2).expand_as(x));
}

class Recurrent final : public AutogradLayer {
 public:
  explicit Recurrent(const Scope& scope)
      : AutogradLayer(scope),
        is_lstm_(scope.node().op == "lstm"),
        hidden_(scope.integer("hidden")),
        layers_(scope.integer("layers")),
        is_bidirectional_(scope.boolean("bidirectional")),
        has_bias_(scope.boolean("bias")),
        gives_last_(scope.text("output") == "last") {
    for (const model::Tensor& tensor : scope.node().tensors) names_.push_back(tensor.name);
    for (std::int64_t i = 0; i + 1 < layers_; ++i) {
      dropouts_.emplace_back(scope, std::to_string(i), scope.number("dropout"));
    }
  }

  void initialise(const Streams& streams) override {
    for (const std::string& name : names_) init_uniform(parameter(name), 1.0 / std::sqrt(double(hidden_)), streams);
  }

 protected:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass& pass) override {
    const NoHalfOnCpu in_float32(inputs[0].device().type());
    at::Tensor x = in_float32.is_needed() ? inputs[0].to(at::kFloat) : inputs[0];
    const bool is_masked = inputs.size() > 1;
    const Ends ends = is_masked ? ends_of(inputs[1]) : Ends{};
    for (std::int64_t i = 0; i < layers_; ++i) {
      if (i > 0) x = dropouts_[std::size_t(i - 1)].apply(x, pass);
      x = is_masked ? masked(x, ends, i, tensors, pass) : cell(x, i, "", is_bidirectional_, tensors, pass);
    }
    return (gives_last_ ? last_of(x, ends) : x).contiguous();
  }

 private:
  /// One layer; both directions at once where `both`.
  at::Tensor cell(const at::Tensor& x, std::int64_t layer, const char* direction, bool both, const Tensors& tensors,
                  const Pass& pass) const {
    std::vector<at::Tensor> weights;
    add_weights(layer, direction, tensors, weights);
    if (both) add_weights(layer, "_reverse", tensors, weights);
    const at::Tensor zero = at::zeros({both ? 2 : 1, x.size(0), hidden_}, x.options());
    if (!is_lstm_) return std::get<0>(at::gru(x, zero, weights, has_bias_, 1, 0, pass.training, both, true));
    const LstmThatIsThere kernels(x.device().type());
    return std::get<0>(at::lstm(x, {zero, zero}, weights, has_bias_, 1, 0, pass.training, both, true));
  }

  at::Tensor masked(const at::Tensor& x, const Ends& ends, std::int64_t layer, const Tensors& tensors,
                    const Pass& pass) const {
    at::Tensor y = cell(x, layer, "", false, tensors, pass);
    if (is_bidirectional_) {
      y = at::cat({y, turn(cell(turn(x, ends), layer, "_reverse", false, tensors, pass), ends)}, 2);
    }
    return at::mul(y, ends.real.unsqueeze(2));
  }

  void add_weights(std::int64_t layer, const std::string& direction, const Tensors& tensors,
                   std::vector<at::Tensor>& weights) const {
    const std::string suffix = "_l" + std::to_string(layer) + direction;
    for (const char* name : {"weight_ih", "weight_hh"}) weights.push_back(tensors[name + suffix]);
    if (!has_bias_) return;
    for (const char* name : {"bias_ih", "bias_hh"}) weights.push_back(tensors[name + suffix]);
  }

  /// @param x  [B, L, H * directions]
  at::Tensor last_of(const at::Tensor& x, const Ends& ends) const {
    const at::Tensor forth = x.narrow(2, 0, hidden_);
    const at::Tensor last = ends.last.defined() ? pick_positions(forth, ends.last) : forth.select(1, x.size(1) - 1);
    return is_bidirectional_ ? at::cat({last, x.narrow(2, hidden_, hidden_).select(1, 0)}, 1) : last;
  }

  bool is_lstm_;
  std::int64_t hidden_, layers_;
  bool is_bidirectional_, has_bias_, gives_last_;
  std::vector<std::string> names_;
  std::vector<DropoutMask> dropouts_;
};

}  // namespace

std::unique_ptr<Layer> make_recurrent(const Scope& scope) { return std::make_unique<Recurrent>(scope); }

}  // namespace dlrun::nn
