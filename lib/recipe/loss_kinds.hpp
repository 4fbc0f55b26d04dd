// SPDX-License-Identifier: Apache-2.0
// Every loss of trials of kind `train`: its name and what data and outputs it fits. Shared by the check of a study and
// the training; the formulas are in lib/train/losses.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "util/json.hpp"

namespace dlrun::recipe {

enum class LossFit {
  classes,  ///< labels, an output for each class
  logits,   ///< labels or numbers from 0 to 1; of two classes one output is enough
  numbers   ///< numbers
};

struct LossKind {
  std::string name;
  LossFit fit;
  int outputs_per_target = 1;  ///< numbers: gaussian_nll needs a mean and a variance
};

/// In the order of the documentation; `sum` is not among them.
const std::vector<LossKind>& loss_kinds();
/// nullptr where there is none.
const LossKind* find_loss(const std::string& name);
bool fits(const LossKind& kind, bool has_classes);

/// Widths of output the loss can use, the usual one first.
/// @param classes  0: regression to `targets` numbers
std::vector<std::int64_t> output_widths(const LossKind& kind, std::int64_t classes, std::int64_t targets);

/// The same by a trial's `loss:`, in any of its forms; empty where it names no known loss.
std::vector<std::int64_t> output_widths(const Json& trial, std::int64_t classes, std::int64_t targets);

}  // namespace dlrun::recipe
