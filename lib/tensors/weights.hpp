// SPDX-License-Identifier: Apache-2.0
// A file's tensors as the weights of a model: by name and shape, as PyTorch's load_state_dict matches them.
#pragma once
#include "tensors/safetensors.hpp"

namespace dlrun::tensors {

/// A tensor that a model has.
struct Wanted {
  std::string name;  ///< "conv1.weight"
  std::vector<std::int64_t> shape;
  bool is_count = false;  ///< an int64 (num_batches_tracked), else a float32
};

/// Match of a file's tensors and a model's.
struct Fit {
  std::vector<std::string> taken;    ///< in both, of one shape and kind
  std::vector<std::string> missing;  ///< the file has no such tensor
  std::vector<std::string> extra;    ///< the model has no such tensor
  std::vector<std::string> misfits;  ///< "fc.weight is [10, 64] in the file, but [5, 64] in the model"

  bool is_exact() const { return missing.empty() && extra.empty() && misfits.empty(); }
};

/// The weights of a file by their plain names: all of a foreign one; of a checkpoint of dlrun those called
/// "model.NAME", without that prefix, with the numbers of "average.NAME" where there is one.
/// @throws Error(store) where an average has another shape or type than what it is the average of.
std::vector<TensorView> weights_of(const SafeTensors& file);

/// Numbers of a tensor of floats that are NaN or infinite, as float32; 0 for other types.
std::int64_t count_not_finite(const TensorView& tensor);
/// "'fc.weight' has 3 numbers that are not finite"; empty: all are.
std::string not_finite(const TensorView& tensor);

/// Floats of any width go for floats: they are rounded to float32.
Fit fit(const std::vector<TensorView>& weights, const std::vector<Wanted>& model);

/// "3 tensors are missing (a, b, c), 1 is too many (d), fc.weight is …": what is_exact() denies; five names of each.
std::string describe(const Fit& fit);

}  // namespace dlrun::tensors
