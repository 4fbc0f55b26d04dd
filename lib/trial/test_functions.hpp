// SPDX-License-Identifier: Apache-2.0
// The test functions of `kind: function` by name: what a spec may say and a worker computes (lib/worker/functions.cpp).
#pragma once
#include <array>

namespace dlrun::trial {

struct TestFunction {
  const char* name;
  int dimensions;  ///< 0: any, at least 1
};

inline constexpr std::array<TestFunction, 9> kTestFunctions = {{{"ackley", 0},
                                                                {"branin", 2},
                                                                {"hartmann6", 6},
                                                                {"levy", 0},
                                                                {"quadratic", 0},
                                                                {"rastrigin", 0},
                                                                {"rosenbrock", 0},
                                                                {"sphere", 0},
                                                                {"styblinski_tang", 0}}};

}  // namespace dlrun::trial
