// SPDX-License-Identifier: Apache-2.0
// Layers of two inputs, with buffers, with indices and with draws: each rule of their contract that a layer of one
// input and one tensor does not meet.
#include <ATen/ATen.h>

#include <dlrun/plugin/layer.hpp>

#include "guests.hpp"
#include "support/catch.hpp"

namespace layer_kinds_test {

using namespace dlrun;
using contracts_test::chapter;
using contracts_test::Guest;
using contracts_test::made_of;
using plugin::LayerFacts;
using plugin::Pass;

namespace {

int made = 0;  ///< objects in this chapter

/// x + a b sin(y) + a + b: without stirred tensors neither a nor b would have a gradient of its own.
class Pair final : public plugin::Layer {
 public:
  explicit Pair(const LayerFacts& facts) : does_(facts.options.text("does")), number_(++made) {}

  at::Tensor run(const std::vector<at::Tensor>& inputs, const plugin::Tensors& tensors, const Pass& pass) override {
    const at::Tensor &x = inputs[0], &y = inputs[1], &a = tensors["a"], &b = tensors["b"];
    if (does_ == "changes the second") y.variable_data().add_(1);
    if (does_ == "changes b" && pass.training) b.detach().add_(1);
    if (does_ == "ignores the second") return x + a * b;
    if (does_ == "ignores a") return x + b * y;
    if (does_ == "ignores b") return x + a * y;
    if (does_ == "uses one number") return x + a.narrow(0, 0, 1) + b.narrow(0, 0, 1) * y;
    const at::Tensor right = x + a * b * at::sin(y);
    if (does_ == "detaches the second") return right + 0.5 * at::cos(y.detach());
    if (does_ == "freezes b") return right + 0.5 * at::sin(3 * b.detach());
    if (does_ == "chance in the second") return right + number_ * (y - y.detach());
    return right;
  }

 private:
  std::string does_;
  int number_;
};

const Guest pair(R"(
plugin: pair
kind: layer
keys: [{name: does, type: text, text: its fault, default: nothing}]
inputs: [[D], [D]]
output: [D]
tensors: [{name: a, shape: [D], init: zeros}, {name: b, shape: [D], init: zeros}]
)",
                 made_of<plugin::Layer, Pair, LayerFacts>);

/// Subtracts a running mean; buffers may be of no use.
class Buffered final : public plugin::Layer {
 public:
  explicit Buffered(const LayerFacts& facts) : does_(facts.options.text("does")) {}

  at::Tensor run(const std::vector<at::Tensor>& inputs, const plugin::Tensors& tensors, const Pass& pass) override {
    const at::Tensor &x = inputs[0], &mean = tensors["mean"], &scale = tensors["scale"];
    const at::Tensor right = x * (1 + scale);
    if (does_ == "only measures") return pass.training ? right : right - mean;
    if (does_ == "only trains") return pass.training ? right - mean * scale : right;
    if (does_ == "only counts" && pass.training) mean.add_(1);
    if (does_ == "changes always") mean.add_(1);
    if (does_ == "moves" && pass.training) mean.mul_(0.5).add_(x.detach().mean(0), 0.5);
    if (does_ == "moves later") return moved_later(right, mean, pass);
    return does_ == "moves" ? right - mean : does_ == "chance in measuring" ? right + ++counted_ + mean : right;
  }

 private:
  /// The mean of earlier batches is subtracted.
  static at::Tensor moved_later(const at::Tensor& right, const at::Tensor& mean, const Pass& pass) {
    const at::Tensor before = mean.clone();
    if (pass.training) mean.mul_(0.5).add_(right.detach().mean(0), 0.5);
    return right - before;
  }

  std::string does_;
  int counted_ = 0;
};

const Guest buffered(R"(
plugin: buffered
kind: layer
keys: [{name: does, type: text, text: its fault, default: nothing}]
inputs: [[D]]
output: [D]
tensors: [{name: scale, shape: [D], init: zeros}, {name: mean, shape: [D], init: zeros, trainable: false}]
)",
                     made_of<plugin::Layer, Buffered, LayerFacts>);

/// Tensors that some sizes have, and some use.
class Partial final : public plugin::Layer {
 public:
  explicit Partial(const LayerFacts& facts) : does_(facts.options.text("does")) {}

  at::Tensor run(const std::vector<at::Tensor>& inputs, const plugin::Tensors& tensors, const Pass&) override {
    const at::Tensor& x = inputs[0];
    const bool uses = does_ == "uses it" || (does_ == "uses it at few sizes" && x.size(1) == 3);
    return uses && tensors.has("spare") ? x + tensors["spare"] : x * 2;
  }

 private:
  std::string does_;
};

const Guest partial(R"(
plugin: partial
kind: layer
keys:
  - {name: does, type: text, text: its fault, default: nothing}
  - {name: kept, type: integer, text: spare is left out above, default: 100}
inputs: [[D]]
output: [D]
let: {has_spare: 'min(1, max(0, kept + 1 - D))'}
tensors: [{name: spare, shape: [D], init: zeros, when: has_spare}]
)",
                    made_of<plugin::Layer, Partial, LayerFacts>);

const Guest partial_buffer(R"(
plugin: partial_buffer
kind: layer
keys: [{name: does, type: text, text: its fault, default: nothing}]
inputs: [[D]]
output: [D]
let: {has_spare: 'min(1, max(0, 7 - D))'}
tensors: [{name: spare, shape: [D], init: zeros, when: has_spare, trainable: false}]
)",
                           made_of<plugin::Layer, Partial, LayerFacts>);

/// Rows of a table for indices, which input it may be said to be.
class Looks final : public plugin::Layer {
 public:
  explicit Looks(const LayerFacts& facts) : does_(facts.options.text("does")) {}

  at::Tensor run(const std::vector<at::Tensor>& inputs, const plugin::Tensors& tensors, const Pass&) override {
    const bool first = !inputs[0].is_floating_point(), second = !inputs[1].is_floating_point();
    const std::string found = std::string(first ? "indices" : "numbers") + (second ? ", indices" : ", numbers");
    const bool fits = does_ == found || (does_ == "one" && first != second) || does_ == "any";
    if (!fits) throw std::runtime_error("it takes no " + found);
    at::Tensor sum = tensors["table"].select(0, 0) * 0;
    for (const at::Tensor& input : inputs) sum = sum + part(input, tensors["table"]);
    return sum;
  }

 private:
  at::Tensor part(const at::Tensor& input, const at::Tensor& table) const {
    if (!input.is_floating_point()) return table.index_select(0, input.reshape({-1})).reshape_as(input);
    return does_ == "one" ? at::sin(input.detach()) : at::sin(input);
  }

  std::string does_;
};

const Guest looks(R"(
plugin: looks
kind: layer
indices: true
keys: [{name: does, type: text, text: its fault, default: any}]
inputs: [[L], [L]]
output: [L]
tensors: [{name: table, shape: [2], init: ones}]
)",
                  made_of<plugin::Layer, Looks, LayerFacts>);

/// Dropout: draws in training alone.
class Draws final : public plugin::Layer {
 public:
  explicit Draws(const LayerFacts& facts) : does_(facts.options.text("does")) {}

  at::Tensor run(const std::vector<at::Tensor>& inputs, const plugin::Tensors&, const Pass& pass) override {
    if (pass.training != (pass.random != nullptr)) throw std::runtime_error("draws belong to training");
    if (does_ == "chance in measuring" && !pass.training) return inputs[0] + ++counted_;
    if (!pass.training) return inputs[0];
    at::Tensor kept = at::empty_like(inputs[0].detach());
    plugin::fill(kept, [&] { return pass.random->uniform() < 0.5 ? 2 : 0; });
    return inputs[0] * kept;
  }

 private:
  std::string does_;
  int counted_ = 0;
};

const Guest draws(R"(
plugin: draws
kind: layer
random: true
keys: [{name: does, type: text, text: its fault, default: nothing}]
inputs: [[D]]
output: [D]
)",
                  made_of<plugin::Layer, Draws, LayerFacts>);

/// Numbers that begin differently in each object.
class Starts final : public plugin::Layer {
 public:
  explicit Starts(const LayerFacts& facts) : does_(facts.options.text("does")) {}

  at::Tensor run(const std::vector<at::Tensor>& inputs, const plugin::Tensors& tensors, const Pass&) override {
    return inputs[0] * tensors["first"] * tensors["second"];
  }
  void initialise(const std::string& name, at::Tensor& tensor, plugin::Random& random) override {
    if (does_ == "throws") throw std::runtime_error("no numbers for " + name);
    const int more = does_ == name ? ++made : 0;
    plugin::fill(tensor, [&] { return random.normal() + more; });
  }

 private:
  std::string does_;
};

const Guest starts(R"(
plugin: starts
kind: layer
keys: [{name: does, type: text, text: its fault, default: nothing}]
inputs: [[D]]
output: [D]
tensors: [{name: first, shape: [D], init: plugin}, {name: second, shape: [D], init: plugin}]
)",
                   made_of<plugin::Layer, Starts, LayerFacts>);

std::string chapters(const std::string& name, const std::vector<const char*>& faults) {
  std::string text;
  for (const char* does : faults) {
    made = 0;
    text += chapter(plugin::Kind::layer, name, {{"does", does}});
  }
  return text;
}

}  // namespace

TEST_CASE("each fault of other kinds of layers has its messages", "[contracts][layer]") {
  const std::string text = chapters("pair", {"nothing", "ignores the second", "ignores a", "ignores b",
                                             "uses one number", "changes the second", "changes b",
                                             "detaches the second", "freezes b", "chance in the second"}) +
                           chapters("buffered", {"nothing", "only measures", "only trains", "only counts",
                                                 "changes always", "moves", "moves later", "chance in measuring"}) +
                           chapters("partial", {"nothing", "uses it", "uses it at few sizes"}) +
                           chapter(plugin::Kind::layer, "partial", {{"does", "nothing"}, {"kept", 4}}) +
                           chapter(plugin::Kind::layer, "partial", {{"does", "uses it"}, {"kept", 4}}) +
                           chapter(plugin::Kind::layer, "partial", {{"does", "nothing"}, {"kept", 6}}) +
                           chapter(plugin::Kind::layer, "partial", {{"does", "uses it"}, {"kept", 6}}) +
                           chapters("partial_buffer", {"nothing", "uses it"}) +
                           chapters("looks", {"any", "one", "indices, indices", "indices, numbers", "numbers, indices",
                                              "numbers, numbers", "neither"}) +
                           chapters("draws", {"nothing", "chance in measuring"}) +
                           chapters("starts", {"nothing", "first", "second", "throws"});
  contracts_test::require_golden("layer_kinds.txt", text);
}

}  // namespace layer_kinds_test
