// SPDX-License-Identifier: Apache-2.0
// How far each parameter moves the predictions of a forest.
#pragma once
#include "importance/evidence.hpp"
#include "importance/forest.hpp"

namespace dlrun::importance {

struct ShapleyOptions {
  ForestOptions forest;
  int points = 100;  ///< points of the whole space at which predictions are explained
};

/// The mean size of a parameter's Shapley value (Lundberg and Lee, NeurIPS 2017), as a share of all parameters': what
/// it adds to the prediction of a point when it becomes known, averaged over all orders in which the parameters of the
/// point become known; what is not known is averaged over the space. Effects that need two parameters are shared among
/// them, so the shares sum to 1. Points are drawn from the space, not from the trials: where a search looked does not
/// matter. Each tree is explained exactly; shares are means over the trees, intervals their middle 90 %. Objectives are
/// fenced as for fanova().
///
/// A leaf is a product of intervals, and for a product the mean over all orders is an integral over the share t of
/// parameters that are known already, of a polynomial in t (Owen's multilinear extension, 1972): Gauss-Legendre nodes,
/// half as many as there are parameters, give it exactly.
Importances shapley(const Evidence& evidence, const ShapleyOptions& options = {});

}  // namespace dlrun::importance
