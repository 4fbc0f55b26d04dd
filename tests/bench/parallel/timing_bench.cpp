// SPDX-License-Identifier: Apache-2.0
// Published findings about speed beside the virtual cluster's. Prints lines of three kinds:
//   law SLOWER THROUGHPUT CLOSED_FORM
//   cell COLUMN ALGORITHM SECONDS SECONDS_WAIT_FREE PUBLISHED_SPEEDUP PUBLISHED_SECONDS SECONDS_OF_A_GRADIENT
//   correlation COLUMN PLAIN WAIT_FREE
#include <fmt/core.h>

#include "bench/parallel/published.hpp"

namespace {

using namespace published;

void print_law() {
  const double healthy = aladdin_throughput(1);
  for (const double slow : {2.0, 10.0, 100.0}) {
    fmt::print("law {} {} {}\n", slow, aladdin_throughput(slow) / healthy, straggler_law(8, slow));
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
  print_law();
  for (const Column& column : columns()) print_column(column);
}
