// SPDX-License-Identifier: Apache-2.0
// Layers of one input and one tensor that break one rule of their contract each, and good ones close to the edge of a
// rule. The tensor begins with zeros, so that faults show at other weights only.
#include <ATen/ATen.h>

#include <dlrun/plugin/layer.hpp>
#include <set>

#include "guests.hpp"
#include "support/catch.hpp"

namespace layer_guests_test {

using namespace dlrun;
using contracts_test::chapter;
using contracts_test::Guest;
using contracts_test::made_of;
using plugin::LayerFacts;
using plugin::Pass;

namespace {

int counted = 0;             ///< runs in this chapter
std::set<std::string> seen;  ///< passes of this chapter

/// The same numbers, with `factor` times their gradient.
at::Tensor with_slope(const at::Tensor& x, double factor) { return x.detach() + factor * (x - x.detach()); }

/// sin(x) + weight cos(x), and one fault.
class Planted final : public plugin::Layer {
 public:
  explicit Planted(const LayerFacts& facts)
      : does_(facts.options.text("does")), factor_(facts.options.real("factor")) {}

  at::Tensor run(const std::vector<at::Tensor>& inputs, const plugin::Tensors& tensors, const Pass& pass) override {
    const at::Tensor &x = inputs[0], &weight = tensors["weight"];
    see(x, pass);
    change_in_place(x, weight, pass);
    count(pass);
    const at::Tensor right = sound(does_ == "slope" ? with_slope(x, factor_) : x,
                                   does_ == "tensor slope" ? with_slope(weight, factor_) : weight);
    if (is_wrong_output()) return wrong_output(x, right);
    if (does_ == "remembers backward" && pass.training) right.register_hook([this](const at::Tensor&) { ++passes_; });
    return right + fault_of_values(x, right, pass) + fault_of_gradients(x, weight, right) +
           fault_of_memory(weight, pass);
  }

 private:
  static at::Tensor sound(const at::Tensor& x, const at::Tensor& weight) { return at::sin(x) + weight * at::cos(x); }

  static void see(const at::Tensor& x, const Pass& pass) {
    std::string text = (pass.training ? "training, step " : "measuring, step ") + std::to_string(pass.step) + ":";
    for (const std::int64_t size : x.sizes()) text += ' ' + std::to_string(size);
    seen.insert(text);
  }

  void count(const Pass& pass) {
    ++counted;
    const std::string step = "remembers step " + std::to_string(pass.step);
    const bool is_step = !does_.starts_with("remembers step") || does_ == step;
    if (pass.training && does_ != "remembers backward" && is_step) ++passes_;
  }

  bool is_wrong_output() const {
    return does_ == "squeezes" || does_ == "returns nothing" || does_ == "doubles" || does_ == "wholes" ||
           does_ == "throws";
  }

  at::Tensor wrong_output(const at::Tensor& x, const at::Tensor& right) const {
    if (does_ == "throws") throw std::runtime_error("the wind has turned\nand more");
    if (does_ == "returns nothing") return {};
    if (does_ == "doubles") return right.to(at::kDouble);
    if (does_ == "wholes") return right.to(at::kLong);
    return x.size(0) == 1 ? right.squeeze(0) : right;
  }

  void change_in_place(const at::Tensor& x, const at::Tensor& weight, const Pass& pass) const {
    if (does_ == "input in training" && pass.training) x.detach().add_(1);
    if (does_ == "input in measuring" && !pass.training) x.detach().add_(1);
    if (does_ == "weight in training" && pass.training) weight.detach().mul_(0.9);
    if (does_ == "weight in measuring" && !pass.training) weight.detach().mul_(0.9);
  }

  at::Tensor fault_of_values(const at::Tensor& x, const at::Tensor& right, const Pass& pass) const {
    const bool is_infinite =
        (does_ == "infinite alone" && x.size(0) == 1) || (does_ == "infinite of eight" && x.size(0) == 8) ||
        (does_ == "infinite in training" && pass.training) || (does_ == "infinite in measuring" && !pass.training) ||
        (does_ == "infinite but at step 4" && pass.step != 4);
    if (is_infinite) return at::full_like(right, INFINITY);
    if (does_ == "differs" && pass.training) return right.detach() * factor_;
    if (does_ == "chance in training" && pass.training) return at::full_like(right, counted);
    if (does_ == "chance in measuring" && !pass.training) return at::full_like(right, counted);
    return at::zeros_like(right);
  }

  at::Tensor fault_of_gradients(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& right) const {
    if (does_ == "detached") return 0.2 * at::sin(x.detach());
    if (does_ == "detached where sizes are two") return (x.dim() == 3 ? 0.2 : 0.0) * at::sin(x.detach());
    if (does_ == "frozen") return 0.2 * at::sin(weight.detach());
    if (does_ == "root") return at::sqrt(x * 0);
    if (does_ == "kinks") return at::relu(x);
    if (does_ == "steep") return 0.01 * at::sin(150 * x);
    if (does_ == "chance in gradients") return with_slope(x, counted) - x.detach();
    return at::zeros_like(right);
  }

  at::Tensor fault_of_memory(const at::Tensor& weight, const Pass& pass) const {
    if (does_ == "drops" && pass.training) return 0.1 * weight;
    if (does_.starts_with("remembers") && does_ != "remembers for training") return passes_ * weight;
    if (does_ == "remembers for training" && pass.training) return passes_ * weight;
    return 0 * weight;
  }

  std::string does_;
  double factor_;
  int passes_ = 0;
};

const Guest planted(R"(
plugin: planted
kind: layer
keys:
  - {name: does, type: text, text: its fault, default: nothing}
  - {name: factor, type: real, text: of the fault, default: 1}
inputs: [["...", D]]
output: ["...", D]
tensors: [{name: weight, shape: [D], init: zeros}]
)",
                    made_of<plugin::Layer, Planted, LayerFacts>);

std::string planted_chapter(const std::string& does, double factor = 1) {
  counted = 0;
  return chapter(plugin::Kind::layer, "planted", {{"does", does}, {"factor", factor}});
}

}  // namespace

TEST_CASE("each fault of a layer has its messages", "[contracts][layer]") {
  std::string text;
  for (const char* does : {"nothing",
                           "squeezes",
                           "returns nothing",
                           "doubles",
                           "wholes",
                           "throws",
                           "infinite alone",
                           "infinite of eight",
                           "infinite in training",
                           "infinite in measuring",
                           "infinite but at step 4",
                           "detached",
                           "detached where sizes are two",
                           "frozen",
                           "root",
                           "kinks",
                           "steep",
                           "chance in training",
                           "chance in measuring",
                           "chance in gradients",
                           "drops",
                           "remembers",
                           "remembers step 2",
                           "remembers step 3",
                           "remembers backward",
                           "remembers for training",
                           "input in training",
                           "input in measuring",
                           "weight in training",
                           "weight in measuring"})
    text += planted_chapter(does);
  contracts_test::require_golden("layer_faults.txt", text);
}

TEST_CASE("tolerances of a layer's contract are neither wider nor narrower", "[contracts][layer]") {
  std::string text;
  for (const double factor : {0.9, 0.95, 0.98, 1.02, 1.05, 1.1}) text += planted_chapter("slope", factor);
  for (const double factor : {0.9, 0.95, 0.98, 1.02, 1.05, 1.1}) text += planted_chapter("tensor slope", factor);
  for (const double factor : {0.9e-5, -0.9e-5, 1.2e-5, -1.2e-5}) text += planted_chapter("differs", factor);
  contracts_test::require_golden("layer_tolerances.txt", text);
}

TEST_CASE("layers are run with 1, 3 and 8 examples, at step 4 or after three steps", "[contracts][layer]") {
  seen.clear();
  planted_chapter("nothing");
  std::string text;
  for (const std::string& one : seen) text += one + "\n";
  contracts_test::require_golden("layer_passes.txt", text);
}

}  // namespace layer_guests_test
