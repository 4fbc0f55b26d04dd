// SPDX-License-Identifier: Apache-2.0
// What importances cost: prints "method milliseconds" of processor time for 1,000 trials of 8 parameters, medians of 5.
#include <fmt/format.h>

#include <algorithm>
#include <ctime>

#include "importance/fanova.hpp"
#include "importance/ped_anova.hpp"
#include "importance/shapley.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

using namespace dlrun;
using importance::Evidence;

namespace {

Evidence evidence() {
  std::vector<space::Parameter> parameters;
  for (int i = 0; i < 8; ++i) parameters.push_back({.name = "x" + std::to_string(i)});
  Evidence out{space::Space(parameters), {}, {}, std::vector<double>(1000, 1.0)};
  RandomStream random(1, {"bench"});
  for (int n = 0; n < 1000; ++n) {
    space::Values values;
    double sum = 0;
    for (int i = 0; i < 8; ++i) {
      const double x = random.uniform();
      values.emplace_back(x);
      sum += (x - 0.3) * (x - 0.3) * (i + 1);
    }
    out.values.push_back(values);
    out.objectives.push_back(sum);
  }
  return out;
}

template <class Ask>
void print(const char* name, const Evidence& given, Ask ask) {
  std::vector<double> milliseconds;
  for (int i = 0; i < 5; ++i) {
    const std::clock_t start = std::clock();
    ask(given);
    milliseconds.push_back(1000.0 * double(std::clock() - start) / CLOCKS_PER_SEC);
  }
  std::sort(milliseconds.begin(), milliseconds.end());
  fmt::print("{} {:.4f}\n", name, milliseconds[2]);
}

}  // namespace

int main() {
  const Evidence given = evidence();
  print("fanova", given, [](const Evidence& e) { return importance::fanova(e); });
  print("ped_anova", given, [](const Evidence& e) { return importance::ped_anova(e); });
  print("shapley", given, [](const Evidence& e) { return importance::shapley(e); });
}
