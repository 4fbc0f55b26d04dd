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

std::vector<std::int64_t> geometric_rungs(const Ladder& ladder, const char* op) {
  if (ladder.eta < 2) throw Error(ErrorKind::usage, fmt::format("{} needs eta >= 2, but eta is {}", op, ladder.eta));
  require_budgets(ladder, op);
  std::vector<std::int64_t> rungs{ladder.min_budget};
  while (rungs.back() <= ladder.max_budget / ladder.eta) rungs.push_back(rungs.back() * ladder.eta);
  rungs.back() = ladder.max_budget;
  return rungs;
}

std::int64_t count_even_rungs(const EvenLadder& ladder) {
  return 1 + (ladder.max_budget - ladder.min_budget + ladder.interval - 1) / ladder.interval;
}

std::vector<std::int64_t> even_rungs(const EvenLadder& ladder, const char* op) {
  if (ladder.interval < 1) {
    throw Error(ErrorKind::usage, fmt::format("{} needs interval >= 1, but interval is {}", op, ladder.interval));
  }
  require_budgets(ladder, op);
  if (count_even_rungs(ladder) > kMostRungs) {
    throw Error(ErrorKind::usage,
                fmt::format("{} makes {} rungs, but may have {}", op, count_even_rungs(ladder), kMostRungs));
  }
  std::vector<std::int64_t> rungs;
  for (std::int64_t epoch = ladder.min_budget; epoch < ladder.max_budget; epoch += ladder.interval)
    rungs.push_back(epoch);
  rungs.push_back(ladder.max_budget);
  return rungs;
}

std::vector<double> geometric_shares(std::size_t rungs, int eta) {
  std::vector<double> shares(rungs, 1.0);
  for (std::size_t k = 1; k < rungs; ++k) shares[k] = shares[k - 1] / eta;
  return shares;
}

}  // namespace dlrun::pruners
