// SPDX-License-Identifier: Apache-2.0
// The test functions of `kind: function` by name: what a spec may say and a worker computes (lib/worker/functions.cpp).
#pragma once
#include <array>
#include <string>
#include <vector>

namespace dlrun::trial {

struct TestFunction {
  const char* name;
  int dimensions;       ///< 0: any, at least `least`
  int least = 1;        ///< dimensions
  int objectives = 1;   ///< reported as `value`, several as value1, value2, …
  int constraints = 0;  ///< reported as c1, c2, …
};

inline constexpr std::array kTestFunctions = {
    TestFunction{"ackley", 0},           TestFunction{"bbob", 0, 2},           TestFunction{"bnh", 2, 2, 2, 2},
    TestFunction{"branin", 2},           TestFunction{"c2_dtlz2", 0, 2, 2, 1}, TestFunction{"dtlz2", 0, 3, 3},
    TestFunction{"gramacy", 2, 2, 1, 2}, TestFunction{"hartmann6", 6},         TestFunction{"levy", 0},
    TestFunction{"quadratic", 0},        TestFunction{"rastrigin", 0},         TestFunction{"rosenbrock", 0},
    TestFunction{"sphere", 0},           TestFunction{"styblinski_tang", 0},   TestFunction{"zdt1", 0, 2, 2},
    TestFunction{"zdt2", 0, 2, 2},       TestFunction{"zdt3", 0, 2, 2}};

/// Names that a function reports, objectives first; empty: there is no such function.
inline std::vector<std::string> metric_names(const std::string& function) {
  std::vector<std::string> names;
  for (const TestFunction& f : kTestFunctions) {
    if (f.name != function) continue;
    for (int i = 1; i <= f.objectives; ++i) names.push_back(f.objectives == 1 ? "value" : "value" + std::to_string(i));
    for (int i = 1; i <= f.constraints; ++i) names.push_back("c" + std::to_string(i));
  }
  return names;
}

}  // namespace dlrun::trial
