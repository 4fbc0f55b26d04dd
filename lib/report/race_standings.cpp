// SPDX-License-Identifier: Apache-2.0
#include "report/race_standings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "ablation/race.hpp"
#include "statistics/summary.hpp"

namespace dlrun::report {

namespace {

double level_of(const AblationStudy& study, const statistics::Race& race) {
  const std::vector<double> levels = ablation::race_rules(study.plan, study.maximize).levels;
  const auto look = std::size_t(std::max(0, race.rounds - 2));
  return 1 - levels.at(std::min(look, levels.size() - 1));
}

}  // namespace

Standings::Standings(const AblationStudy& study, Audience audience)
    : study_(study), audience_(audience), race_(race_of(study)), level_(level_of(study, race_)) {}

std::string Standings::name(std::size_t contender) const {
  return contender_name(study_, study_.variants[contender], audience_);
}

std::string Standings::text(std::size_t contender) const {
  const auto& out = race_.out[contender];
  if (contender == race_.leader) return race_.end.empty() ? "leads" : "wins";
  if (!out) return "not shown to be worse";
  return out->has_failed ? fmt::format("failed in replicate {}", out->replicates)
                         : fmt::format("worse than {} after {}, p {:.2g}", name(out->behind), out->replicates, out->p);
}

statistics::Effect Standings::behind(std::size_t contender) const {
  if (!race_.leader || contender == race_.leader) return {};
  const auto pair = study_.compared(study_.variants[*race_.leader], study_.variants[contender]);
  const std::vector<double> gains = statistics::paired_gains(pair.with, pair.without, study_.maximize);
  return statistics::effect_of(gains, {.level = level_}).value_or(statistics::Effect());
}

std::pair<int, double> Standings::rank(std::size_t contender) const {
  if (contender == race_.leader) return {-1, 0};
  if (race_.out[contender]) return {1 + int(study_.seeds.size()) - race_.out[contender]->replicates, double(contender)};
  const std::vector<double> measured = measured_of(study_.variants[contender]);
  return {0, measured.empty() ? 0 : (study_.maximize ? -1 : 1) * statistics::mean(measured)};
}

std::vector<std::size_t> Standings::order() const {
  std::vector<std::size_t> order(study_.variants.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return rank(a) < rank(b); });
  return order;
}

std::vector<std::size_t> Standings::rivals() const {
  std::vector<std::size_t> out;
  for (const std::size_t i : order()) {
    if (!race_.out[i] && i != race_.leader) out.push_back(i);
  }
  return out;
}

}  // namespace dlrun::report
