// SPDX-License-Identifier: Apache-2.0
// What happened outside, turned into events.
#include <fmt/format.h>

#include <utility>

#include "driver/loop.hpp"
#include "trial/json.hpp"

namespace dlrun::driver {

using trial::TrialState;

void Loop::take(const executor::StrangerRefused& refused) {
  const std::string more = refused.count > 1 ? fmt::format(" (and {} before it)", refused.count - 1) : "";
  display_.line(fmt::format("refused a connection from {}{}: {}", refused.who, more, refused.reason));
}

void Loop::take(const executor::ControlAsked& asked) {
  Commanded commanded = commands_.answer(asked.request);
  const bool is_first = !ending_.has_begun();
  if (commanded.event) incoming_.push_back({std::move(*commanded.event)});
  if (commanded.remark) side_rows_.add(std::move(*commanded.remark));
  if (commanded.stops && is_first) incoming_.push_back({study::StopAsked{*commanded.stops}});
  if (commanded.stops) drain(Ending::By::person, *commanded.stops);
  if (commanded.hands_over) drain(Ending::By::successor, *commanded.hands_over);
  outbox_.reply(asked.client, std::move(commanded.reply));
}

Json Loop::status() const {
  Json json = {{"ok", true},
               {"study", spec_.name},
               {"state", ending_.has_begun() ? "ending" : "running"},
               {"trials", tally_.started()},
               {"running", dispatcher_.busy_workers()},
               {"workers", dispatcher_.workers()},
               {"waiting", dispatcher_.waiting()},
               {"hosts", blame_.to_json(clock_.now())},
               {"seconds", time_limits_.seconds_at(clock_.now())}};
  for (const auto state : {TrialState::completed, TrialState::pruned, TrialState::failed, TrialState::cancelled}) {
    json[std::string(trial::to_string(state))] = tally_.in(state);
  }
  if (const auto best = study_.best()) {
    json["best"] = trial::number_to_json(study_.trial(*best).objective.value_or(0));
    json["best_trial"] = best->value;
  }
  return json;
}

}  // namespace dlrun::driver
