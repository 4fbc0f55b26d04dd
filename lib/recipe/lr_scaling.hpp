// SPDX-License-Identifier: Apache-2.0
// `lr_scaling:` of a trial: how the learning rate follows the number of micro-batches that make one step.
#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "options/key.hpp"

namespace dlrun::recipe {

/// Micro-batches are the batches that `accumulate` sums, or those of the ranks of `parallel`.
struct LrScalingConfig {
  std::string op = "linear";               ///< linear | sqrt | adascale | lena
  std::optional<std::int64_t> base_batch;  ///< examples of a step that lr was chosen for; none: one micro-batch
  std::string warmup = "none";             ///< none | fixed | layer_wise
  double warmup_share = 0.055;             ///< share of all updates (fixed); Ko et al., WWW 2022
  double alpha = 0.05;                     ///< share of all micro-batches that gains sum up to (layer_wise)
  double longest = 0.25;                   ///< share of all updates in which layer_wise ends at the latest
  std::optional<double> smoothing;         ///< weight of a step in the running means; none: micro-batches / 1000
  double eps = 1e-6;                       ///< added to both squared norms of a gain

  /// Whether gains are measured by the norms of gradients.
  bool measures() const { return op == "adascale" || op == "lena" || warmup == "layer_wise"; }
  /// Whether tensors have rates of their own.
  bool is_layer_wise() const { return op == "lena" || warmup == "layer_wise"; }
};

options::Key lr_scaling_key();

/// None where the rate stays what it is: without the section, and where a step is one micro-batch of the base's size.
/// @param micro_batches  of a step
/// @throws Error(usage) for a value out of its range, naming its place
std::optional<LrScalingConfig> read_lr_scaling(const Json& trial, std::int64_t batch_size, std::int64_t micro_batches);

/// For fingerprints: part of the store's format.
Json to_json(const LrScalingConfig& scaling);

}  // namespace dlrun::recipe
