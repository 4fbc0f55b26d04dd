// SPDX-License-Identifier: Apache-2.0
#include "guest/guest_pruner.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "pruners/ladder.hpp"
#include "util/error.hpp"
#include "util/utf8.hpp"

namespace dlrun::guest {

namespace {

Guest guest_of(const PrunerSetting& setting) {
  return {.kind = plugin::Kind::pruner,
          .name = setting.name,
          .options = setting.options,
          .setting = {{"seed", setting.study.seed},
                      {"rungs", pruners::even_rungs(setting.ladder, setting.name.c_str())},
                      {"maximize", setting.study.maximize},
                      {"members", setting.study.members}}};
}

}  // namespace

GuestPruner::GuestPruner(const PrunerSetting& setting, Limits limits)
    : StoppingPruner(pruners::even_rungs(setting.ladder, setting.name.c_str()), setting.study.maximize),
      process_(guest_of(setting), std::move(limits)) {}

void GuestPruner::on_curve(trial::TrialId trial, const std::vector<pruners::Point>& curve) {
  Json points = Json::array();
  for (const pruners::Point& point : curve) points.push_back({point.epoch, point.value});
  process_.tell({{"on_curve", {trial.value, std::move(points)}}});
}

void GuestPruner::on_score(trial::TrialId trial, int rung, const std::optional<pareto::Score>& score) {
  violation_ = score ? std::max(score->violation, 0.0) : 0;
  StoppingPruner::on_score(trial, rung, score);
  violation_ = 0;
}

void GuestPruner::on_gone(trial::TrialId trial) {
  process_.tell({{"on_end", {trial.value, false}}});
  StoppingPruner::on_gone(trial);
}

void GuestPruner::on_complete(trial::TrialId trial) {
  process_.tell({{"on_end", {trial.value, true}}});
  StoppingPruner::on_gone(trial);
}

void GuestPruner::require_sound() const {
  if (fault_) std::rethrow_exception(fault_);
}

std::optional<pruners::Promotion> GuestPruner::next() const {
  require_sound();
  return StoppingPruner::next();
}

bool GuestPruner::wants_new() const {
  require_sound();
  return StoppingPruner::wants_new();
}

pruners::StoppingPruner::Verdict GuestPruner::judge(trial::TrialId trial, int rung, double value) {
  try {
    if (!fault_) return ask(trial, rung, value);
  } catch (const Error& fault) {
    if (fault.kind() != ErrorKind::outside) throw;
    fault_ = std::current_exception();
  }
  return {true, "no verdict"};  // require_sound() ends the run before anybody gets it
}

pruners::StoppingPruner::Verdict GuestPruner::ask(trial::TrialId trial, int rung, double value) {
  const Json answer = process_.call({{"call", "judge"}, {"at", at(trial, rung, value)}});
  const bool is_whole =
      answer.is_object() && answer.value("stops", Json()).is_boolean() && answer.value("reason", Json()).is_string();
  if (!is_whole) process_.refuse("gave a damaged answer in judge");
  Verdict verdict{!answer["stops"].get<bool>(), answer["reason"].get<std::string>()};
  if (!is_utf8(verdict.reason)) process_.refuse("gave a reason that is no valid UTF-8 in judge");
  if (verdict.reason.empty()) verdict.reason = verdict.goes_on ? "it may go on" : "it has to stop";
  return verdict;
}

void GuestPruner::note_whole(trial::TrialId trial, double value) {
  process_.tell({{"on_whole", at(trial, int(rungs().size()) - 1, value)}});
  on_complete(trial);
}

void GuestPruner::note_failed(trial::TrialId trial, int rung) { process_.tell({{"on_failed", {trial.value, rung}}}); }

}  // namespace dlrun::guest
