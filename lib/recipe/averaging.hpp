// SPDX-License-Identifier: Apache-2.0
// Which epochs' weights a trial averages (`swa`). Shared by the check of a study and the training.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>

namespace dlrun::recipe {

/// Stochastic weight averaging (Izmailov et al., UAI 2018, arXiv:1803.05407): the weights at the end of every nth epoch
/// of the last part of a training.
struct AveragedEpochs {
  double start = 0.75;      ///< share of the epochs that are done before it begins
  std::int64_t every = 1;   ///< n, counted from the first epoch of that part
  std::int64_t epochs = 1;  ///< of the whole training

  /// Epochs before the averaging part.
  std::int64_t before() const { return std::int64_t(std::floor(start * double(epochs) + 1e-9)); }
  /// How many weights are averaged once `done` epochs are done.
  std::int64_t count(std::int64_t done) const {
    const std::int64_t inside = std::min(done, epochs) - before();
    return inside <= 0 ? 0 : (inside - 1) / every + 1;
  }
};

}  // namespace dlrun::recipe
