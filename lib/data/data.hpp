// SPDX-License-Identifier: Apache-2.0
// A data set as tensors, held once in a process and lent to every trial that uses it.
#pragma once
#include <cstdint>
#include <memory>

#include <ATen/core/Tensor.h>

#include "dataset/dataset.hpp"

namespace dlrun::data {

/// Examples side by side.
struct Examples {
  at::Tensor inputs;   ///< [N, ...schema.input] float32
  at::Tensor targets;  ///< classification: [N] int64; regression: [N, schema.targets] float32
  std::int64_t size() const { return inputs.defined() ? inputs.size(0) : 0; }
};

/// Never changed after it is made.
class Data {
 public:
  explicit Data(dataset::Dataset dataset);

  const dataset::Schema& schema() const { return dataset_.schema; }
  /// Every example, in the files' order; the tensors lie over the data set's own memory.
  const Examples& all() const { return all_; }
  /// Row numbers of the training split.
  const std::vector<std::int64_t>& train_rows() const { return dataset_.train; }
  /// The examples of a split side by side, in its order, copied once.
  const Examples& val() const { return val_; }
  const Examples& test() const { return test_; }

 private:
  Examples gather(const std::vector<std::int64_t>& rows) const;

  dataset::Dataset dataset_;
  Examples all_, val_, test_;
};

/// The data of a `data:` section, from this process's memory where it was loaded before under the same section and
/// seed. The last two are held, for a study may search over the data's own settings. Threads: one.
/// @throws DataError as dataset::load.
std::shared_ptr<const Data> load_shared(const Json& section, std::uint64_t seed);

}  // namespace dlrun::data
