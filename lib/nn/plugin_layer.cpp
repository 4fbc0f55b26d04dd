// SPDX-License-Identifier: Apache-2.0
#include "nn/plugin_layer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <dlrun/plugin/layer.hpp>

#include "model/plugin_layer.hpp"
#include "model/shape.hpp"
#include "nn/autograd_layer.hpp"
#include "nn/guarded.hpp"
#include "nn/init.hpp"
#include "nn/plugin_random.hpp"
#include "plugin/found.hpp"
#include "plugin/section.hpp"
#include "util/error.hpp"

namespace dlrun::nn {

namespace {

using MakeLayer = plugin::Layer* (*)(const plugin::LayerFacts& facts);

/// The plugin's object, between tensors as this room has them and as the plugin sees them.
class GuestLayer final : public AutogradLayer {
 public:
  GuestLayer(const Scope& scope, const plugin::Manifest& manifest, model::PluginFacts facts,
             std::unique_ptr<plugin::Layer> layer)
      : AutogradLayer(scope),
        plugin_(manifest.name),
        name_(scope.node().name),
        out_(scope.node().out),
        streams_(scope.streams()),
        is_random_(manifest.whole.at("random")),
        facts_(std::move(facts)),
        layer_(std::move(layer)) {}

  void initialise(const Streams& streams) override {
    for (const model::PluginTensor& tensor : facts_.tensors) {
      if (const Parameter* own = find(tensor.name)) set(tensor, *own, streams);
    }
  }

 protected:
  at::Tensor compute(c10::ArrayRef<at::Tensor> inputs, const Tensors& tensors, const Pass& pass) override {
    std::map<std::string, at::Tensor> named;
    for (const model::PluginTensor& tensor : facts_.tensors) named[tensor.name] = tensors[tensor.name];
    PluginRandom random(stream_of(pass));
    const bool draws = is_random_ && pass.training;
    at::Tensor out = layer_->run(inputs.vec(), plugin::Tensors(std::move(named)),
                                 {pass.training, pass.step, draws ? &random : nullptr});
    require_output(inputs.front().size(0), out);
    return out.contiguous();
  }

 private:
  RandomStream stream_of(const Pass& pass) const {
    const std::string replicate = std::to_string(streams_.replicate), step = std::to_string(pass.step);
    return {streams_.seed, {"layer", replicate, name_, step}};
  }

  void set(const model::PluginTensor& tensor, const Parameter& own, const Streams& streams) {
    const auto fan_in = [&] { return own.value.numel() / own.value.size(0); };
    if (tensor.init == "zeros") own.value.zero_();
    if (tensor.init == "ones") own.value.fill_(1);
    if (tensor.init == "uniform") init_uniform(own, tensor.number, streams);
    if (tensor.init == "normal") init_normal(own, tensor.number, streams);
    if (tensor.init == "fan_in") init_affine(own, nullptr, fan_in(), streams);
    if (tensor.init == "xavier") init_xavier(own, streams);
    if (tensor.init != "plugin") return;
    PluginRandom random({streams.seed, {"init", std::to_string(streams.replicate), own.name}});
    at::Tensor value = own.value;
    layer_->initialise(tensor.name, value, random);
  }

  /// Sizes count everywhere later, and a wrong type would change what follows.
  void require_output(std::int64_t batch, const at::Tensor& out) const {
    if (!out.defined()) refuse("run() returned no tensor");
    model::Shape wanted{batch};
    wanted.insert(wanted.end(), out_.begin(), out_.end());
    const model::Shape found = out.sizes().vec();
    if (found != wanted)
      refuse(
          fmt::format("the output is {}, but plugin.yaml promises {}", model::to_text(found), model::to_text(wanted)));
    if (!out.is_floating_point() || out.scalar_type() == at::kDouble)
      refuse(fmt::format("the output holds {}, not float32", c10::toString(out.scalar_type())));
  }

  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(ErrorKind::usage, fmt::format("plugin '{}': layer '{}': {}", plugin_, name_, why));
  }

  std::string plugin_, name_;
  model::Shape out_;
  Streams streams_;
  bool is_random_;
  model::PluginFacts facts_;
  std::unique_ptr<plugin::Layer> layer_;
};

/// Names the plugin in whatever its layer throws, in the backward pass too.
class GuardedLayer final : public Layer {
 public:
  GuardedLayer(std::string plugin, std::unique_ptr<Layer> layer)
      : plugin_(std::move(plugin)), layer_(std::move(layer)) {}

  void initialise(const Streams& streams) override {
    guarded(plugin_, [&] { layer_->initialise(streams); });
  }
  at::Tensor forward(c10::ArrayRef<at::Tensor> inputs, const Pass& pass) override {
    return guarded(plugin_, [&] { return layer_->forward(inputs, pass); });
  }
  std::vector<at::Tensor> backward(const at::Tensor& grad, const std::vector<bool>& wanted) override {
    return guarded(plugin_, [&] { return layer_->backward(grad, wanted); });
  }
  bool takes_low_precision() const override { return layer_->takes_low_precision(); }

 private:
  std::string plugin_;
  std::unique_ptr<Layer> layer_;
};

}  // namespace

std::unique_ptr<Layer> make_plugin_layer(const Scope& scope) {
  const model::Node& node = scope.node();
  const plugin::Found* found = plugin::find(plugin::Kind::layer, node.op);
  if (found == nullptr) return nullptr;
  model::PluginFacts facts = model::plugin_facts(*found->manifest, node);
  plugin::LayerFacts seen{node.name, plugin::options_of(node.attributes, found->manifest->keys), node.in, node.out,
                          facts.names};
  const auto make = reinterpret_cast<MakeLayer>(plugin::open_symbol(*found));
  std::unique_ptr<plugin::Layer> own = guarded(node.op, [&] { return std::unique_ptr<plugin::Layer>(make(seen)); });
  auto guest = std::make_unique<GuestLayer>(scope, *found->manifest, std::move(facts), std::move(own));
  return std::make_unique<GuardedLayer>(node.op, std::move(guest));
}

}  // namespace dlrun::nn
