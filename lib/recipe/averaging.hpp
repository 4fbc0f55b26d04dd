// SPDX-License-Identifier: Apache-2.0
// Epochs whose weights a trial averages (`swa`). Shared by the check of a study and the training.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>

#include "options/key.hpp"

namespace dlrun::recipe {

/// Stochastic weight averaging (Izmailov et al., UAI 2018, arXiv:1803.05407): the weights at the end of every nth epoch
/// of the last part of a training.
struct AveragedEpochs {
  double start = 0.75;      ///< share of the epochs that are done before it begins
  std::int64_t every = 1;   ///< n, counted from the first epoch of that part
  std::int64_t epochs = 1;  ///< length of the whole training

  /// Epochs before the averaging part.
  std::int64_t before() const { return std::int64_t(std::floor(start * double(epochs) + 1e-9)); }
  /// How many weights are averaged once `done` epochs are done.
  std::int64_t count(std::int64_t done) const {
    const std::int64_t inside = std::min(done, epochs) - before();
    return inside <= 0 ? 0 : (inside - 1) / every + 1;
  }
  /// The first epoch after `done` whose weights are averaged.
  std::int64_t first_after(std::int64_t done) const { return before() + 1 + every * count(done); }
};

/// Stochastic weight averaging; names and defaults of the rate are torch.optim.swa_utils.SWALR's.
struct SwaConfig {
  AveragedEpochs when;
  std::optional<double> lr;  ///< the rate that the averaged part goes to; none: the schedule's own goes on
  std::int64_t anneal_epochs = 10;
  std::string anneal_strategy = "cos";  ///< cos | linear
};

/// The key `swa` with its table.
options::Key swa_key();

/// None if no epochs are averaged, which is so without `start`.
/// @throws Error(usage) for a value out of its range, or a part of fewer than two averages
std::optional<SwaConfig> read_swa(const Json& trial, std::int64_t epochs);

}  // namespace dlrun::recipe
