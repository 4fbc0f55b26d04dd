// SPDX-License-Identifier: Apache-2.0
// Loss functions with their gradients.
#pragma once
#include <memory>
#include <vector>

#include <ATen/core/Tensor.h>

#include "dataset/dataset.hpp"
#include "model/graph.hpp"
#include "train/config.hpp"

namespace dlrun::train {

/// Labels that count for nothing, as PyTorch's ignore_index.
inline constexpr std::int64_t kIgnored = -100;

/// The targets: what the outputs should have been.
struct Wanted {
  Wanted(at::Tensor of) : targets(std::move(of)) {}
  Wanted(at::Tensor of, at::Tensor mixed, at::Tensor part)
      : targets(std::move(of)), other(std::move(mixed)), share(std::move(part)) {}

  /// One example.
  Wanted narrow(std::int64_t example) const;

  at::Tensor targets;  ///< [B] or [B, L] int64 in [0, C) or kIgnored, or [B, T] float32
  /// Mixed examples: [B] int64, the other label, and [B] float32, the weight of the first. Undefined: not mixed.
  at::Tensor other, share;
};

/// A mean, and over how much it was taken: examples, labels that are not ignored, or the sum of their weights.
struct Measured {
  double mean = 0;
  double weight = 0;
  /// Parts of a sum that are means over different weights, each with its factor; empty if all have one weight.
  std::vector<Measured> parts = {};
};

/// As PyTorch's reduction "mean": over the batch and, for regression, over the targets.
class Loss {
 public:
  virtual ~Loss() = default;
  /// @param output  [B, C], [B, L, C] or [B, T] float32, contiguous; what it means the loss says (mostly logits)
  /// @param grad    where given: set to the gradient of the mean with respect to `output`
  /// @return        in double; NaN or infinite where the numbers are; 0 of 0 where every label is ignored
  virtual Measured measure(const at::Tensor& output, const Wanted& wanted, at::Tensor* grad) = 0;
  /// Loss of each example, as of a batch of its own: [B].
  virtual std::vector<float> each(const at::Tensor& output, const Wanted& wanted);
  /// Predictions from the outputs, in the targets' own unit; metrics compare them.
  virtual at::Tensor prediction(const at::Tensor& output) const { return output; }
};

/// @param output  shape of the model's output, which must fit the loss and the data
/// @param counts  labels of the training split by class, for balanced weights; may be empty where nothing asks for them
/// @throws Error(usage) where it does not, saying what would.
std::unique_ptr<Loss> make_loss(const LossConfig& config, const model::Shape& output, const dataset::Schema& data,
                                const std::vector<std::int64_t>& counts = {});

/// Number of Measured::parts of a loss: the parts of a sum whose class weights differ, else 0.
std::size_t separate_means(const LossConfig& config);

/// By class; empty where all are 1. Balanced as scikit-learn's: n / (classes that occur * count).
std::vector<double> class_weights(const LossConfig& config, const std::vector<std::int64_t>& counts);

/// Whether make_loss needs the counts.
bool is_balanced(const LossConfig& config);

// One file of losses/ each.
std::unique_ptr<Loss> make_cross_entropy(const LossConfig& config, std::vector<double> weights);
std::unique_ptr<Loss> make_focal(const LossConfig& config, std::vector<double> weights);
std::unique_ptr<Loss> make_nll(const LossConfig& config, std::vector<double> weights);
std::unique_ptr<Loss> make_multi_margin(const LossConfig& config);
/// Regression, and losses of logits. @param has_numbers  the targets are numbers, in whose unit predictions are told
std::unique_ptr<Loss> make_elementwise(const LossConfig& config, bool has_numbers);
std::unique_ptr<Loss> make_gaussian_nll(const LossConfig& config);
std::unique_ptr<Loss> make_kl_div(const LossConfig& config);
std::unique_ptr<Loss> make_plugin_loss(const LossConfig& config, std::vector<double> weights = {});

}  // namespace dlrun::train
