// SPDX-License-Identifier: Apache-2.0
// Published findings about speed beside the virtual cluster's. Prints lines of four kinds:
//   straggled ALGORITHM SLOWER THROUGHPUT PUBLISHED CLOSED_FORM, throughputs as parts of those without a slow rank
//   cell COLUMN ALGORITHM SECONDS SECONDS_WAIT_FREE PUBLISHED_SPEEDUP PUBLISHED_SECONDS SECONDS_OF_A_GRADIENT
//   correlation COLUMN PLAIN WAIT_FREE
//   effect NAME WITHOUT WITH PUBLISHED_WITHOUT PUBLISHED_WITH, speed-ups
#include <fmt/core.h>

#include "bench/parallel/published.hpp"

namespace {

using namespace published;

void print_straggled(const Straggled& one) {
  const double healthy = straggled_throughput(one.method, 1);
  constexpr double kSlow[] = {2, 10, 100};
  for (std::size_t i = 0; i < 3; ++i) {
    const double ours = straggled_throughput(one.method, kSlow[i]) / healthy;
    fmt::print("straggled {} {} {} {} {}\n", one.name, kSlow[i], ours, one.speedups[i + 1] / one.speedups[0],
               straggler_law(8, kSlow[i]));
  }
}

void print_column(const Column& column) {
  std::vector<double> plain, wait_free, paper;
  const double gradient = column.profile().gradient_s;
  for (const Figure& figure : column.figures) {
    const double without = seconds_per_iteration(setup(column, figure.method));
    const double with = seconds_per_iteration(setup(column, figure.method, true));
    plain.push_back(1 / without);
    wait_free.push_back(1 / with);
    paper.push_back(figure.speedup);
    fmt::print("cell {} {} {} {} {} {} {}\n", column.name, figure.name, without, with, figure.speedup, figure.seconds,
               gradient);
  }
  fmt::print("correlation {} {} {}\n", column.name, rank_correlation(plain, paper), rank_correlation(wait_free, paper));
}

}  // namespace

int main() {
  for (const Straggled& one : straggled()) print_straggled(one);
  for (const Column& column : columns()) print_column(column);
  for (const Effect& one : effects()) {
    fmt::print("effect {} {} {} {} {}\n", one.name, speedup(one.without), speedup(one.with), one.published_without,
               one.published_with);
  }
}
