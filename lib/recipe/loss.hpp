// SPDX-License-Identifier: Apache-2.0
// `loss:` of a trial, what training minimises: its kinds, their settings, and which data and outputs each one fits.
// Definitions are PyTorch's if it has the loss; the formulas are in lib/train/losses.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "options/key.hpp"
#include "util/json.hpp"

namespace dlrun::recipe {

/// Settings that an op does not use keep their defaults.
struct LossConfig {
  std::string op = "cross_entropy";   ///< loss_kinds() | sum
  double label_smoothing = 0;         ///< cross_entropy
  bool balanced = false;              ///< class weights by the training split: n / (classes that occur * count)
  std::vector<double> class_weights;  ///< by class; empty: 1 each
  double gamma = 2;                   ///< focal
  double margin = 1;                  ///< multi_margin, hinge
  int p = 1;                          ///< multi_margin, hinge: 1 | 2
  double pos_weight = 1;              ///< binary_cross_entropy: of what is 1
  double delta = 1;                   ///< huber: delta; smooth_l1: beta; quantile: the quantile
  bool log_input = true;              ///< poisson_nll: outputs are logarithms of rates
  bool log_target = false;            ///< kl_div: targets are logarithms of probabilities
  Json plugin;                        ///< section of a plugin's loss; null: the loss is dlrun's own
  double weight = 1;                  ///< weight of a part, and of an output among several
  std::vector<LossConfig> parts;      ///< sum
};

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

/// In the order of the documentation, then those of plugins; `sum` is not among them.
const std::vector<LossKind>& loss_kinds();
/// nullptr if there is none.
const LossKind* find_loss(const std::string& name);
bool fits(const LossKind& kind, bool has_classes);

/// Widths of output the loss can use, the usual one first.
/// @param classes  0: regression to `targets` numbers
std::vector<std::int64_t> output_widths(const LossKind& kind, std::int64_t classes, std::int64_t targets);

/// The same by a trial's `loss:`, in any of its forms; empty if it names no known loss.
std::vector<std::int64_t> output_widths(const Json& trial, std::int64_t classes, std::int64_t targets);

options::Key loss_key();    ///< the key `loss`, with the keys of every kind
options::Key losses_key();  ///< the same for a model with named outputs: a loss for each

/// @param classifies  decides the loss of a section that names none
/// @param is_named    the loss is one of several outputs' and has a weight
/// @throws Error(usage) for an unknown op or a value out of its range, naming its place
LossConfig read_loss(const Json& trial, bool classifies, bool is_named = false);

/// For fingerprints: part of the store's format.
Json to_json(const LossConfig& l);

}  // namespace dlrun::recipe
