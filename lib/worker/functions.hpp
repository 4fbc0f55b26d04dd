// SPDX-License-Identifier: Apache-2.0
// Standard test functions of optimisation, to be minimised. Formulas and domains as in Surjanovic and Bingham, Virtual
// Library of Simulation Experiments; minima are in tests/unit/worker.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace dlrun::worker {

struct Function {
  const char* name;
  int dimensions;  ///< 0: any, at least 1
  double (*value)(std::span<const double> x);
};

/// All of them, by name.
const std::vector<Function>& functions();

/// @throws Error(usage) with the nearest known name.
const Function& find_function(const std::string& name);

/// The value at x. @throws Error(usage) where the number of coordinates does not fit.
double evaluate(const Function& function, std::span<const double> x);

}  // namespace dlrun::worker
