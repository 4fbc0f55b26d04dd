// SPDX-License-Identifier: Apache-2.0
// A data set held once in a process and lent to every trial that uses it.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <ATen/core/Tensor.h>

#include "data/augment.hpp"
#include "dataset/dataset.hpp"

namespace dlrun::data {

/// Examples side by side.
struct Examples {
  std::vector<at::Tensor> inputs;   ///< one for each of schema.inputs: [N, ...shape], numbers float32, indices int64
  at::Tensor targets;               ///< classes: [N, ...target_shape] int64; regression: [N, schema.targets] float32
  std::vector<at::Tensor> several;  ///< one for each of schema.several, `targets` among them
  /// Partners where classes are mixed (mixup, cutmix), else undefined: the class of each example's partner [N] int64,
  /// and the weight of its own class [N] float32; the partner's weighs the rest.
  at::Tensor other, share;

  std::int64_t size() const { return targets.defined() ? targets.size(0) : 0; }
  /// Targets named schema.several[index], or the only ones.
  const at::Tensor& target(std::size_t index) const { return several.empty() ? targets : several[index]; }
  /// Rows begin … begin + count - 1, sharing memory.
  Examples narrow(std::int64_t begin, std::int64_t count) const;
  /// The same inputs with targets in memory of their own.
  Examples with_own_targets() const;
  /// All in memory of its own.
  Examples clone() const;
};

class Data;

/// A split that is measured, in its order. A small one is held as tensors, a large one is gathered part by part, so
/// that it costs no memory beside its own bytes.
class Measured {
 public:
  Measured() = default;
  Measured(const Data& data, const std::vector<std::int64_t>& rows);

  std::int64_t size() const { return rows_ == nullptr ? 0 : std::int64_t(rows_->size()); }
  /// Examples begin … begin + count - 1.
  Examples part(std::int64_t begin, std::int64_t count) const;

 private:
  const Data* data_ = nullptr;
  const std::vector<std::int64_t>* rows_ = nullptr;
  Examples held_;  ///< copies of all rows, or empty
};

/// Never changed after it is made; stays where it is.
class Data {
 public:
  /// @param augment  of the section: its steps `normalise` hold for what is measured
  explicit Data(dataset::Dataset dataset, const Json& augment = nullptr);
  Data(const Data&) = delete;
  Data& operator=(const Data&) = delete;

  const dataset::Schema& schema() const { return dataset_.schema; }
  /// Examples in all splits.
  std::int64_t size() const { return dataset_.targets.examples; }
  /// Labels of the training split by class; empty for regression.
  /// @param target  of several: its name
  std::vector<std::int64_t> class_counts(const std::string& target = {}) const;
  /// Row numbers of the training split.
  const std::vector<std::int64_t>& train_rows() const { return dataset_.train; }
  /// Row numbers of the validation split.
  const std::vector<std::int64_t>& val_rows() const { return dataset_.val; }
  /// Group or stretch of time of each of them; empty: each is by itself.
  const std::vector<std::int64_t>& val_clusters() const { return dataset_.val_clusters; }
  /// Class of a row. REQUIRES: one class for each example.
  std::int64_t label(std::int64_t row) const { return dataset_.targets.index(row); }
  const dataset::Array& input(std::size_t k) const { return dataset_.inputs[k]; }
  const Measured& val() const { return val_; }
  const Measured& test() const { return test_; }

  /// Tensors for `count` examples, not filled; nothing for none.
  /// @param is_pinned  in memory that a GPU can copy from while the CPU goes on; needs CUDA
  Examples buffers(std::int64_t count, bool is_pinned = false) const;
  /// Fills buffers() with the rows rows[0 … buffers.size()), as they are in the data set.
  void gather(const std::int64_t* rows, const Examples& buffers) const;
  void gather_targets(const std::int64_t* rows, const Examples& buffers) const;
  /// A regression's target becomes share * its own + (1 - share) * that of `row`.
  void mix_target(std::int64_t row, double share, float* target) const;
  /// gather(), normalised.
  void gather_measured(const std::int64_t* rows, const Examples& buffers) const;

 private:
  dataset::Dataset dataset_;
  Normalise normalise_;
  Measured val_, test_;
};

/// The steps of a section's `augment` that concern every split.
Json normalising(const Json& section);

/// The data of a `data:` section, from this process's memory where it was loaded before under the same section and
/// seed; what the section says of batches makes no difference. The last two are held, for a study may search over the
/// data's own settings. Threads: one.
/// @throws DataError as dataset::load.
std::shared_ptr<const Data> load_shared(const Json& section, std::uint64_t seed);

}  // namespace dlrun::data
