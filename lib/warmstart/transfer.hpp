// SPDX-License-Identifier: Apache-2.0
// Tensors of a file and their places in a model, decided by name, shape and kind before a number is copied.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tensors/weights.hpp"

namespace dlrun::warmstart {

using tensors::TensorView;
using tensors::Wanted;

enum class TransferRule {
  copied,  ///< as it is; floats of another width are rounded to float32
  sliced,  ///< the part that both shapes have, the rest stays fresh
  fresh    ///< as the layer draws it, nothing from the file
};
std::string_view to_string(TransferRule rule);

/// Why a tensor of the model begins fresh.
enum class Fresh {
  left_out,  ///< the rules do not take it
  absent,    ///< the file has none
  other_shape,
  other_kind,  ///< counts in place of reals, or the other way round
};
/// "left out", "the file has none", "of another shape", "of another kind"
std::string_view to_string(Fresh reason);

struct Transfer {
  std::string name;    ///< in the model
  std::string source;  ///< in the file; empty where it has none
  TransferRule rule = TransferRule::fresh;
  std::vector<std::int64_t> from, to;  ///< shapes in file and model
  std::optional<Fresh> fresh = {};     ///< if the rule is fresh
};

/// Ways to handle names or shapes that differ.
enum class Mismatch { error, skip, slice };

struct TransferRules {
  std::function<bool(const std::string& name)> is_taken;          ///< names of the model; none: all
  std::function<std::string(const std::string& source)> renamed;  ///< a file's name to the model's; none: as it is
  Mismatch mismatch = Mismatch::error;
};

struct TransferPlan {
  std::vector<Transfer> tensors;   ///< in the model's order
  std::vector<std::string> extra;  ///< names of the file that the model lacks
  /// E404 another shape or kind, E405 missing: none unless mismatches are errors. E407 numbers that are not finite,
  /// E408 two tensors of one name: always.
  std::vector<std::string> faults;
  double share = 0;  ///< share of the model's numbers that come from the file
};

/// @param weights  by their plain names, see weights_of()
TransferPlan plan_transfer(const std::vector<TensorView>& weights, const std::vector<Wanted>& model,
                           const TransferRules& rules);

}  // namespace dlrun::warmstart
