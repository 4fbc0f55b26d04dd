// SPDX-License-Identifier: Apache-2.0
// Optimisers over one flat buffer: a step is one loop over all parameters, whatever their number and shapes, unless
// groups have settings of their own or the method needs each tensor's norm.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "train/config.hpp"

namespace dlrun::train {

/// State of an optimiser beside the parameters, laid out like them: "momentum", or "exp_avg" and "exp_avg_sq".
struct Slot {
  std::string name;
  std::vector<float> values;
};

/// A stretch of the flat buffers under one set of settings. Layerwise methods need one for each tensor.
struct Range {
  std::size_t begin = 0, end = 0;
  double lr = 1;            ///< factor of the schedule's rate
  double weight_decay = 0;  ///< the range's own
  std::size_t rows = 0;     ///< rows of a hidden matrix (model::TrainedTensor), which give its columns; 0: it is none
};

/// The numbers that an optimiser moves; frozen ones lie outside of every range.
struct Layout {
  std::size_t size = 0;  ///< numbers in a flat buffer
  std::vector<Range> ranges;
  bool has_own_rates = false;  ///< ranges stay apart, for Pace::factors
};

/// Neighbours of equal settings as one range. The gaps between tensors hold zeros, which every method leaves at zero.
std::vector<Range> joined(const std::vector<Range>& ranges);

/// When and how fast one step is taken.
struct Pace {
  std::int64_t step = 1;                 ///< number of this step, from 1
  double lr = 0;                         ///< rate of this step
  std::optional<double> momentum;        ///< where the schedule moves it: sgd's momentum, adam's first beta
  std::span<const double> factors = {};  ///< further factors of the rate, by range; empty: none
};

/// Formulas and rounding follow torch.optim's single-tensor form, in float32. No operation is contracted or reordered,
/// so the result does not depend on the instruction set; only muon's products of matrices are libtorch's, as a layer's.
class Optimizer {
 public:
  explicit Optimizer(Layout layout) : layout_(std::move(layout)) {}
  virtual ~Optimizer() = default;

  /// @param values  parameters, changed in place    @param grads  their gradients, same length
  void step(float* values, const float* grads, const Pace& pace);

  std::vector<Slot>& slots() { return slots_; }
  const std::vector<Slot>& slots() const { return slots_; }
  const Layout& layout() const { return layout_; }
  /// Whether the number at this place of the flat buffers is moved by some range.
  bool moves(std::size_t place) const;

 protected:
  /// One range, with pointers to its first number.
  struct Part {
    float* p;
    const float* g;
    std::size_t n;
    std::size_t offset;
    std::int64_t step;
    double lr, weight_decay;
    std::size_t rows;
    std::optional<double> momentum;
  };

  virtual void update(const Part& part) = 0;

  void add_slot(const char* name, float value = 0) {
    slots_.push_back({name, std::vector<float>(layout_.size, value)});
  }
  float* slot(std::size_t index, const Part& part) { return slots_[index].values.data() + part.offset; }

 private:
  Layout layout_;
  std::vector<Slot> slots_;
};

/// The optimiser of one method. Each file of optimizers/ instantiates it for its own settings (optimizers/method.hpp).
template <class Settings>
std::unique_ptr<Optimizer> make_method(const Settings& settings, Layout layout);

/// @param layout  a range for each tensor, in order; neighbours of equal settings are joined where the op allows it
std::unique_ptr<Optimizer> make_optimizer(const OptimizerConfig& config, Layout layout);

/// Sum of the squares, in double, in an order of its own, equal on every machine.
double square(const float* values, std::size_t size);
/// Euclidean norm, the root of it.
double norm(const float* values, std::size_t size);

/// Scales `grads` so that their Euclidean norm is at most `limit`; returns the norm before. As
/// torch.nn.utils.clip_grad_norm_.
double clip_norm(float* grads, std::size_t size, double limit);

/// Brings every number into [-limit, limit]; a NaN stays. As torch.nn.utils.clip_grad_value_.
void clip_value(float* grads, std::size_t size, double limit);

}  // namespace dlrun::train
