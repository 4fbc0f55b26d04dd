// SPDX-License-Identifier: Apache-2.0
// The contract of losses, as include/dlrun/plugin/loss.hpp states it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "model/shape.hpp"
#include "train/contracts/contract.hpp"
#include "train/contracts/draws.hpp"
#include "train/contracts/key_edges.hpp"
#include "train/contracts/slope.hpp"
#include "train/loss.hpp"

namespace dlrun::train::contracts {

namespace {

constexpr double kOrderRounding = 1e-5;  ///< libtorch's kernels differ in last bits between the middle and the end
constexpr double kLarge = 30;            ///< size of an output that is sure of a class

/// Outputs of a model, and their targets.
struct Batch {
  std::string text;  ///< "8 examples of 3 classes"
  at::Tensor outputs, targets;
};

/// Batches of everything that `fits` promises.
std::vector<Batch> batches_of(const Tested& tested) {
  std::vector<Batch> all;
  const bool has_labels = tested.manifest().at("fits") == "classes";
  const auto width = tested.manifest().at("outputs_per_target").get<std::int64_t>();
  for (const std::int64_t count : {1, 8, 17}) {
    for (const std::int64_t wide : {1, 2, 3, 10}) {
      if (has_labels && wide == 1) continue;
      const std::string text = fmt::format("{} examples of {} {}", count, wide, has_labels ? "classes" : "numbers");
      if (has_labels) all.push_back({text, drawn({count, wide}, text), drawn_labels(count, wide, text)});
      if (!has_labels)
        all.push_back({text, drawn({count, wide * width}, text), drawn({count, wide}, text + " wanted")});
    }
  }
  return all;
}

class LossContract {
 public:
  explicit LossContract(const Tested& tested)
      : tested_(tested), is_of_classes_(tested.manifest().at("fits") == "classes"), batches_(batches_of(tested)) {
    config_.op = tested.plugin.manifest->name;
    config_.plugin = tested.section;
  }

  std::string values() {
    const std::size_t sure = require_all_finite(*made());
    if (sure == 0) return fmt::format("{} batches, finite", batches_.size());
    return fmt::format("{} batches, and {} whose outputs are sure of a class, finite", batches_.size(), sure);
  }

  std::string edges() {
    const std::vector<KeyEdge> edges = key_edges(tested_);
    for (const KeyEdge& edge : edges) {
      LossConfig config = config_;
      config.plugin = edge.section;
      try {
        require_all_finite(*make_plugin_loss(config));
      } catch (const Broken& fault) {
        throw Broken{edge.text + ": " + fault.message};
      }
    }
    return fmt::format("{} sections with a number at or near its bound, finite", edges.size());
  }

  std::string gradients() {
    const auto loss = made();
    for (const Batch& batch : batches_) {
      at::Tensor gradient;
      loss->measure(batch.outputs, Wanted(batch.targets), &gradient);
      const auto mean = [&](const at::Tensor& point) {
        const Measured measured = loss->measure(point, Wanted(batch.targets), nullptr);
        return Summed{measured.mean, std::abs(measured.mean)};
      };
      require_slope({fmt::format("the mean at {}", batch.text), batch.outputs, gradient, mean});
    }
    return fmt::format("{} of the mean, within {:g} % of their lengths", batches_.size(), 100 * kSlopeTolerance);
  }

  std::string order() {
    const auto loss = made();
    for (const Batch& batch : batches_) {
      const at::Tensor order = drawn_order(batch.outputs.size(0));
      const Batch moved{batch.text, batch.outputs.index_select(0, order), batch.targets.index_select(0, order)};
      if (difference(each(*loss, batch).index_select(0, order), each(*loss, moved)) > kOrderRounding)
        throw Broken{fmt::format("{}: in another order the examples have other losses", batch.text)};
    }
    return "each example keeps its loss in any order, and so does the mean";
  }

  std::string alone() {
    const auto loss = made();
    for (const Batch& batch : batches_) {
      const at::Tensor all = each(*loss, batch);
      for (const std::int64_t row : {std::int64_t(0), all.numel() - 1}) {
        const Batch one{batch.text, batch.outputs.narrow(0, row, 1), batch.targets.narrow(0, row, 1)};
        if (difference(all.narrow(0, row, 1), each(*loss, one)) > kOrderRounding)
          throw Broken{fmt::format("{}: alone, example {} has another loss than among others", batch.text, row)};
      }
    }
    return "an example has the same loss alone and among others";
  }

  std::string same_bits() {
    const auto used = made();
    for (const Batch& batch : batches_) each(*used, batch);
    for (const Batch& batch : batches_) {
      if (!are_equal(each(*made(), batch), each(*used, batch)))
        throw Broken{fmt::format("{}: a new object and a used one give different losses", batch.text)};
    }
    return "a new object and a used one";
  }

  std::string unchanged() {
    const auto loss = made();
    for (const Batch& batch : batches_of(tested_)) {  // new ones: the tests before may have changed theirs
      const Batch given{batch.text, batch.outputs.clone(), batch.targets.clone()};
      at::Tensor gradient;
      loss->measure(given.outputs, Wanted(given.targets), &gradient);
      each(*loss, given);
      loss->prediction(given.outputs);
      if (!are_equal(batch.outputs, given.outputs) || !are_equal(batch.targets, given.targets))
        throw Broken{fmt::format("{}: outputs or targets are changed in place", batch.text)};
    }
    return "outputs and targets stay as they are";
  }

  std::string predictions() {
    const auto loss = made();
    for (const Batch& batch : batches_) {
      const at::Tensor found = loss->prediction(batch.outputs);
      const model::Shape wanted = is_of_classes_ ? batch.outputs.sizes().vec() : batch.targets.sizes().vec();
      if (found.sizes().vec() != wanted || found.scalar_type() != at::kFloat)
        throw Broken{fmt::format("{}: prediction() gives {} of {}, not {} of float32", batch.text,
                                 model::to_text(found.sizes().vec()), c10::toString(found.scalar_type()),
                                 model::to_text(wanted))};
      if (!is_finite(found)) throw Broken{fmt::format("{}: prediction() is not finite", batch.text)};
    }
    return "of the right sizes, finite";
  }

 private:
  std::unique_ptr<Loss> made() const { return make_plugin_loss(config_); }

  static at::Tensor each(Loss& loss, const Batch& batch) {
    const std::vector<float> all = loss.each(batch.outputs, Wanted(batch.targets));
    return at::tensor(all, at::kFloat);
  }

  static void require_finite(Loss& loss, const Batch& batch) {
    at::Tensor gradient;
    const Measured measured = loss.measure(batch.outputs, Wanted(batch.targets), &gradient);
    if (!std::isfinite(measured.mean)) throw Broken{fmt::format("{}: the mean is not finite", batch.text)};
    if (!is_finite(gradient)) throw Broken{fmt::format("{}: the gradient is not finite", batch.text)};
    const double mean = each(loss, batch).to(at::kDouble).mean().item<double>();
    if (std::abs(mean - measured.mean) > kOrderRounding * std::max(1.0, std::abs(mean)))
      throw Broken{fmt::format("{}: the mean is {:g}, but the losses of the examples have the mean {:g}", batch.text,
                               measured.mean, mean)};
  }

  /// @return  count of the batches whose outputs are sure of a class
  std::size_t require_all_finite(Loss& loss) const {
    for (const Batch& batch : batches_) require_finite(loss, batch);
    return is_of_classes_ ? try_sure_outputs(loss) : 0;
  }

  /// Right and wrong with all certainty, where logarithms and powers tend to fail. @return  count of the batches
  std::size_t try_sure_outputs(Loss& loss) const {
    std::size_t tried = 0;
    for (const Batch& batch : batches_) {
      for (const double sign : {1.0, -1.0}) {
        const at::Tensor hot = at::one_hot(batch.targets, batch.outputs.size(1)).to(at::kFloat);
        require_finite(loss, {batch.text + ", sure of a class", sign * kLarge * (2 * hot - 1), batch.targets});
        ++tried;
      }
    }
    return tried;
  }

  const Tested& tested_;
  bool is_of_classes_;
  std::vector<Batch> batches_;
  LossConfig config_;
};

}  // namespace

std::vector<Check> loss_checks(const Tested& tested) {
  const auto contract = std::make_shared<LossContract>(tested);
  return {{"values", [=] { return contract->values(); }},
          {"edges of its keys", [=] { return contract->edges(); }},
          {"gradients", [=] { return contract->gradients(); }},
          {"order of the examples", [=] { return contract->order(); }},
          {"an example alone", [=] { return contract->alone(); }},
          {"equal bits", [=] { return contract->same_bits(); }},
          {"predictions", [=] { return contract->predictions(); }},
          {"nothing changed in place", [=] { return contract->unchanged(); }}};
}

}  // namespace dlrun::train::contracts
