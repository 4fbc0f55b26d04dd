// SPDX-License-Identifier: Apache-2.0
#include "report/warm_race.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/race.hpp"
#include "statistics/summary.hpp"
#include "storage/store.hpp"

namespace dlrun::report {

namespace {

RacedArm raced_arm(const AblationStudy& study, const AblationVariant& variant) {
  const std::vector<double> measured = measured_of(variant);
  RacedArm arm{contender_name(study, variant, Audience::programs), measured.size()};
  if (!measured.empty()) arm.mean = statistics::mean(measured);
  return arm;
}

void take_cost(const OpenedStudy& opened, WarmRaceResult& out) {
  storage::Statement row = opened.query("SELECT sum(epochs), sum(seconds) FROM dl_trial");
  if (!row.step() || row.is_null(0)) return;
  out.epochs = row.integer(0);
  out.seconds = row.real(1);
}

}  // namespace

const RacedArm* WarmRaceResult::arm(const std::string& name) const {
  const auto found = std::find_if(arms.begin(), arms.end(), [&](const RacedArm& one) { return one.name == name; });
  return found == arms.end() ? nullptr : &*found;
}

std::optional<WarmRaceResult> warm_race(const std::filesystem::path& store, const std::string& study) {
  if (study.empty() || !storage::Store::find(store, study)) return std::nullopt;
  const OpenedStudy opened = open_study(store, study);
  const Snapshot snapshot(opened);
  const AblationStudy cells = ablation_study(opened);
  const statistics::Race race = race_of(cells);
  WarmRaceResult out{.study = study, .metric = cells.metric};
  out.arm_epochs = cells.spec.at("trial").value("epochs", std::int64_t(0));
  for (const AblationVariant& variant : cells.variants) out.arms.push_back(raced_arm(cells, variant));
  out.is_over = !race.end.empty();
  if (out.is_over && race.leader) out.chosen = out.arms[*race.leader].name;
  take_cost(opened, out);
  return out;
}

std::string means_text(const WarmRaceResult& race) {
  std::vector<std::string> texts;
  for (const RacedArm& arm : race.arms)
    texts.push_back(arm.runs > 0 ? fmt::format("`{}` {:.4g}", arm.name, arm.mean)
                                 : fmt::format("`{}` failed", arm.name));
  return fmt::format("{}", fmt::join(texts, ", "));
}

}  // namespace dlrun::report
