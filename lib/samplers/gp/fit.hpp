// SPDX-License-Identifier: Apache-2.0
// Length scales, scale, noise and the share of the axes alone from the trials.
#pragma once
#include "samplers/gp/data.hpp"

namespace dlrun::samplers::gp {

struct FitOptions {
  int evaluations = 40;       ///< evaluations of the likelihood, at most, in one descent
  double least_noise = 1e-6;  ///< as a variance of standardised values
  bool has_alone = true;      ///< a share of the axes alone is fitted; otherwise there is none
};

/// The most probable hyperparameters a posteriori, by L-BFGS in their logarithms (w: its logit). Priors as Optuna 5 has
/// them: −Σ (0.1/θ + 0.1 θ), Gamma(2, 1) on the scale, Gamma(1.1, 30) on the noise; beside them Beta(1.1, 1.1) on w and
/// a normal one of variance 4 on log c. A pure function of the data.
Hyperparameters fit(const Data& data, const FitOptions& options = {});

}  // namespace dlrun::samplers::gp
