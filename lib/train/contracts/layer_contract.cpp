// SPDX-License-Identifier: Apache-2.0
// The contract of layers, as include/dlrun/plugin/layer.hpp states it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "train/contracts/contract.hpp"
#include "train/contracts/draws.hpp"
#include "train/contracts/layer_gradients.hpp"
#include "train/contracts/slope.hpp"
#include "train/contracts/tested_layer.hpp"

namespace dlrun::train::contracts {

namespace {

constexpr std::int64_t kExamples = 3;
constexpr double kPassRounding = 1e-5;  ///< between a pass with autograd and one without
constexpr nn::Pass kTraining{.training = true, .step = 4}, kMeasuring{.training = false, .step = 4};

/// All cases of a layer, with inputs for them.
class LayerContract {
 public:
  explicit LayerContract(const Tested& tested) : tested_(tested) {}

  std::string sizes() {
    int runs = 0;
    std::string texts;
    for (const LayerCase& at : cases()) {
      TestedLayer layer(at);
      for (const std::int64_t examples : {1, 3, 8}) {
        for (const nn::Pass& pass : {kTraining, kMeasuring}) {
          require_finite(layer.forward(inputs(at, examples, "x"), pass), at);
          ++runs;
        }
      }
      texts += (texts.empty() ? "" : "; ") + at.text;
    }
    return fmt::format("{} runs with 1, 3 and 8 examples: {}", runs, texts);
  }

  std::string tensors() {
    const std::vector<nn::Parameter> all = TestedLayer(cases().front()).parameters();
    for (const nn::Parameter& parameter : all) {
      const std::string name = local_name(parameter);
      const bool is_used = std::any_of(cases().begin(), cases().end(), [&](const LayerCase& at) {
        return parameter.trainable ? gets_gradient(at, parameter.name) : matters(at, parameter.name);
      });
      if (is_used) continue;
      if (parameter.trainable) throw Broken{fmt::format("tensor '{}' is to be trained, but gets no gradient", name)};
      throw Broken{fmt::format("run() neither uses nor changes the buffer '{}'", name)};
    }
    return all.empty() ? "it has none" : fmt::format("{}, all in use", all.size());
  }

  std::string gradient() {
    int compared = 0;
    for (const LayerCase& at : cases()) compared += compare_gradients(at, inputs(at, kExamples, "x"), kTraining);
    return fmt::format("{} of inputs and tensors, within {:g} % of their lengths", compared, 100 * kSlopeTolerance);
  }

  std::string same_bits() {
    for (const LayerCase& at : cases()) {
      TestedLayer first(at), second(at);
      for (std::size_t i = 0; i < first.parameters().size(); ++i) {
        const nn::Parameter& parameter = first.parameters()[i];
        if (!are_equal(parameter.value, second.parameters()[i].value))
          throw Broken{fmt::format("two objects with one seed begin with different numbers in tensor '{}'",
                                   local_name(parameter))};
      }
      require_same(first, second, kTraining, "two objects with one seed");
      require_same(first, second, kMeasuring, "two objects with one seed");
    }
    return "two objects with one seed, in training and measuring";
  }

  std::string state() {
    for (const LayerCase& at : cases()) {
      TestedLayer old(at), fresh(at);
      old.stir();
      for (std::int64_t step = 0; step < 3; ++step) {
        const at::Tensor out = old.forward(inputs(at, kExamples, "past " + std::to_string(step)), {true, step});
        old.backward(drawn(out.sizes().vec(), "weights"));
      }
      fresh.load(old);
      require_same(old, fresh, kMeasuring, "an object that was trained and a new one with its tensors");
      require_same(old, fresh, kTraining, "an object that was trained and a new one with its tensors");
    }
    return "a new object with the tensors of a trained one continues as that one";
  }

  std::string training_and_measuring() {
    if (tested_.manifest().at("random")) return measured_twice("random: true, so that training may differ");
    if (has_buffers()) return measured_twice("it has buffers, so that training may differ");
    for (const LayerCase& at : cases()) {
      TestedLayer layer(at);
      layer.stir();
      const at::Tensor trained = layer.forward(inputs(at, kExamples, "x"), kTraining),
                       measured = layer.forward(inputs(at, kExamples, "x"), kMeasuring);
      if (difference(trained, measured) > kPassRounding)
        throw Broken{
            fmt::format("{}: the output differs in training, but plugin.yaml says neither `random: true` nor "
                        "that a tensor is not trainable",
                        at.text)};
    }
    return "the same output";
  }

  std::string unchanged() {
    for (const LayerCase& at : cases()) {
      TestedLayer layer(at);
      layer.stir();
      require_unchanged(layer, kMeasuring);
      require_unchanged(layer, kTraining);
    }
    return "the inputs and the tensors that are trained stay as they are";
  }

 private:
  /// Drawn at the first use, in whose test a fault is then shown.
  const std::vector<LayerCase>& cases() {
    if (cases_.empty()) cases_ = layer_cases(tested_);
    return cases_;
  }

  Inputs inputs(const LayerCase& at, std::int64_t examples, const std::string& name) {
    if (are_indices_.empty()) find_indices(at);
    return drawn_inputs(at, examples, name, are_indices_);
  }

  /// `indices: true` does not say which inputs hold indices: the first choice that the layer takes, all of them first.
  void find_indices(const LayerCase& at) {
    const std::size_t count = at.node().in.size();
    are_indices_.assign(count, false);
    if (!tested_.manifest().at("indices")) return;
    for (std::size_t choice = (std::size_t(1) << count); choice-- > 0;) {
      for (std::size_t i = 0; i < count; ++i) are_indices_[i] = (choice >> (count - 1 - i)) % 2 == 1;
      try {
        TestedLayer(at).forward(drawn_inputs(at, kExamples, "x", are_indices_), kMeasuring);
        return;
      } catch (const std::exception&) {
        if (choice == 0) throw;
      }
    }
  }

  bool has_buffers() {
    const std::vector<model::Tensor>& all = cases().front().node().tensors;
    return std::any_of(all.begin(), all.end(), [](const model::Tensor& tensor) { return !tensor.trainable; });
  }

  static void require_finite(const at::Tensor& out, const LayerCase& at) {
    if (!is_finite(out)) throw Broken{fmt::format("{}: the output is not finite", at.text)};
  }

  bool gets_gradient(const LayerCase& at, const std::string& name) {
    TestedLayer layer(at);
    layer.stir();
    const at::Tensor out = layer.forward(inputs(at, kExamples, "x"), kTraining);
    layer.backward(drawn(out.sizes().vec(), "weights"));
    for (const nn::Parameter& one : layer.parameters()) {
      if (one.name == name) return one.grad.ne(0).any().item<bool>();
    }
    return false;  // `when:` leaves it out at these sizes
  }

  /// Whether training changes the buffer, or a change of it the output.
  bool matters(const LayerCase& at, const std::string& name) {
    TestedLayer layer(at);
    layer.stir();
    const Inputs x = inputs(at, kExamples, "x");
    const std::vector<at::Tensor> before = layer.tensors();
    const at::Tensor trained = layer.forward(x, kTraining);
    for (std::size_t i = 0; i < before.size(); ++i) {
      const nn::Parameter& one = layer.parameters()[i];
      if (one.name != name) continue;
      if (!are_equal(before[i], one.value)) return true;
      const at::Tensor measured = layer.forward(x, kMeasuring);
      at::Tensor value = one.value;
      value.add_(1);
      if (!are_equal(measured, layer.forward(x, kMeasuring))) return true;
      value.copy_(before[i] + 1);
      return !are_equal(trained, layer.forward(x, kTraining));
    }
    return false;
  }

  void require_same(TestedLayer& first, TestedLayer& second, const nn::Pass& pass, const char* whose) {
    const Inputs x = inputs(first.at(), kExamples, "x");
    const at::Tensor one = first.forward(x, pass), other = second.forward(x, pass);
    if (!are_equal(one, other))
      throw Broken{fmt::format("{}: {} give different outputs in {}", first.at().text, whose,
                               pass.training ? "training" : "measuring")};
    if (!pass.training) return;
    const at::Tensor weights = drawn(one.sizes().vec(), "weights");
    const std::vector<at::Tensor> grads = first.backward(weights), others = second.backward(weights);
    for (std::size_t i = 0; i < grads.size(); ++i) {
      if (grads[i].defined() && !are_equal(grads[i], others[i]))
        throw Broken{fmt::format("{}: {} give input {} different gradients", first.at().text, whose, i + 1)};
    }
  }

  std::string measured_twice(const std::string& text) {
    for (const LayerCase& at : cases()) {
      TestedLayer layer(at);
      const Inputs x = inputs(at, kExamples, "x");
      if (!are_equal(layer.forward(x, kMeasuring), layer.forward(x, kMeasuring)))
        throw Broken{fmt::format("{}: measured twice, the output is another one", at.text)};
    }
    return text;
  }

  void require_unchanged(TestedLayer& layer, const nn::Pass& pass) {
    const Inputs x = inputs(layer.at(), kExamples, "x");
    Inputs given;
    for (const at::Tensor& input : x) given.push_back(input.clone());
    const std::vector<at::Tensor> before = layer.tensors();
    layer.forward(given, pass);
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (!are_equal(x[i], given[i])) throw Broken{fmt::format("{}: run() changes input {}", layer.at().text, i + 1)};
    }
    for (std::size_t i = 0; i < before.size(); ++i) {
      const nn::Parameter& one = layer.parameters()[i];
      const bool may_change = pass.training && !one.trainable;
      if (!may_change && !are_equal(before[i], one.value))
        throw Broken{fmt::format("{}: run() changes the tensor '{}'{}", layer.at().text, local_name(one),
                                 one.trainable ? "" : " outside of training")};
    }
  }

  const Tested& tested_;
  std::vector<LayerCase> cases_;
  std::vector<bool> are_indices_;
};

}  // namespace

std::vector<Check> layer_checks(const Tested& tested) {
  const auto contract = std::make_shared<LayerContract>(tested);
  return {{"sizes", [=] { return contract->sizes(); }},
          {"tensors", [=] { return contract->tensors(); }},
          {"gradients", [=] { return contract->gradient(); }},
          {"equal bits", [=] { return contract->same_bits(); }},
          {"state", [=] { return contract->state(); }},
          {"training and measuring", [=] { return contract->training_and_measuring(); }},
          {"nothing changed in place", [=] { return contract->unchanged(); }}};
}

}  // namespace dlrun::train::contracts
