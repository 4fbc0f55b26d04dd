// SPDX-License-Identifier: Apache-2.0
#include "pruners/ladder.hpp"

#include <fmt/format.h>

#include "util/error.hpp"

namespace dlrun::pruners {

namespace {

template <class Rungs>
void require_budgets(const Rungs& o, const char* op) {
  if (o.min_budget < 1) {
    throw Error(ErrorKind::usage, fmt::format("{} needs min_budget >= 1, but min_budget is {}", op, o.min_budget));
  }
  if (o.max_budget >= o.min_budget) return;
  throw Error(ErrorKind::usage,
              fmt::format("{} needs max_budget >= min_budget, but they are {} and {}", op, o.max_budget, o.min_budget));
}

}  // namespace

std::vector<std::int64_t> geometric_rungs(const Ladder& o, const char* op) {
  if (o.eta < 2) throw Error(ErrorKind::usage, fmt::format("{} needs eta >= 2, but eta is {}", op, o.eta));
  require_budgets(o, op);
  std::vector<std::int64_t> rungs{o.min_budget};
  while (rungs.back() <= o.max_budget / o.eta) rungs.push_back(rungs.back() * o.eta);
  rungs.back() = o.max_budget;
  return rungs;
}

std::int64_t count_even_rungs(const EvenLadder& o) {
  return 1 + (o.max_budget - o.min_budget + o.interval - 1) / o.interval;
}

std::vector<std::int64_t> even_rungs(const EvenLadder& o, const char* op) {
  if (o.interval < 1) {
    throw Error(ErrorKind::usage, fmt::format("{} needs interval >= 1, but interval is {}", op, o.interval));
  }
  require_budgets(o, op);
  if (count_even_rungs(o) > kMostRungs) {
    throw Error(ErrorKind::usage,
                fmt::format("{} makes {} rungs, but may have {}", op, count_even_rungs(o), kMostRungs));
  }
  std::vector<std::int64_t> rungs;
  for (std::int64_t epoch = o.min_budget; epoch < o.max_budget; epoch += o.interval) rungs.push_back(epoch);
  rungs.push_back(o.max_budget);
  return rungs;
}

std::vector<double> geometric_shares(std::size_t rungs, int eta) {
  std::vector<double> shares(rungs, 1.0);
  for (std::size_t k = 1; k < rungs; ++k) shares[k] = shares[k - 1] / eta;
  return shares;
}

}  // namespace dlrun::pruners
