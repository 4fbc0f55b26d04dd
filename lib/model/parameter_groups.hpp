// SPDX-License-Identifier: Apache-2.0
// Tensors of a graph that the groups of an optimiser name: by patterns, and by the purpose of a tensor. Shared by the
// check of a study and by the training, so that both mean the same tensors.
#pragma once
#include <regex>
#include <string>
#include <vector>

#include "model/graph.hpp"

namespace dlrun::model {

/// A regular expression (ECMAScript) that has to match the whole name of a tensor, or of a layer or group of layers the
/// tensor lies in: "fc1" names fc1.weight and fc1.bias but not fc10.weight; "block[12]" all of two blocks.
class TensorPattern {
 public:
  /// @throws Error(usage) where it is no regular expression, saying why.
  explicit TensorPattern(const std::string& text);
  bool names(const std::string& tensor) const;

 private:
  std::regex regex_;
};

/// A tensor that training changes, with the facts that decide its settings.
struct TrainedTensor {
  std::string name;           ///< full, "fc1.weight"
  bool is_bias = false;       ///< a tensor called bias (bias, bias_ih_l0, in_proj_bias)
  bool is_norm = false;       ///< a tensor of a normalisation
  bool is_embedding = false;  ///< a tensor of an embedding or of learnt positions
  /// Rows of a hidden matrix: the first size of a tensor of two or more dimensions, which is none of the above and lies
  /// in no layer that is the first behind an input or the last before an output. 0: no hidden matrix.
  std::int64_t hidden_rows = 0;
  int group = -1;  ///< the first group that names it; -1: none
};

/// @param groups  by group, its patterns
/// @return        trainable tensors in the graph's order, each name once
std::vector<TrainedTensor> trained_tensors(const Graph& graph, const std::vector<std::vector<TensorPattern>>& groups);

}  // namespace dlrun::model
