// SPDX-License-Identifier: Apache-2.0
// Standard test functions of optimisation, to be minimised. Formulas and domains as in Surjanovic and Bingham, Virtual
// Library of Simulation Experiments; minima are in tests/unit/worker.
// Of several objectives: ZDT1 to 3 (Zitzler, Deb and Thiele 2000), DTLZ2 with three (Deb et al. 2002), BNH (Binh and
// Korn 1997: c1 <= 25, c2 >= 7.7) and C2-DTLZ2 with two (Jain and Deb 2014: c1 <= 0). With constraints: Gramacy et al.,
// Technometrics 2016, section 1 (c1 <= 0, c2 <= 0; the best is 0.5998 at (0.1954, 0.4044)).
// `bbob` stands for the functions of bbob/bbob.hpp, which have settings of their own.
#pragma once
#include <span>
#include <string>
#include <vector>

namespace dlrun::worker {

struct Function {
  const char* name;
  int dimensions;  ///< 0: any, at least `least`
  int least;
  int objectives;
  double (*value)(std::span<const double> x);                ///< nullptr: it has several values, or is bbob
  std::vector<double> (*values)(std::span<const double> x);  ///< objectives, then constraints; nullptr for bbob
};

/// All of them, by name.
const std::vector<Function>& functions();

/// @throws Error(usage) with the nearest known name.
const Function& find_function(const std::string& name);

/// @throws Error(usage) where the function cannot have so many coordinates.
void require_coordinates(const Function& function, std::size_t count);

/// The value at x. @throws Error(usage) where the number of coordinates does not fit.
double evaluate(const Function& function, std::span<const double> x);

/// All values at x, objectives first, in the order of trial::metric_names. Errors as evaluate().
std::vector<double> evaluate_all(const Function& function, std::span<const double> x);

}  // namespace dlrun::worker
