// SPDX-License-Identifier: Apache-2.0
#include "driver/commands.hpp"

#include <algorithm>

#include "space/asked.hpp"
#include "util/whole.hpp"

namespace dlrun::driver {

using trial::TrialState;

namespace {

/// Ends an answer; its text becomes the reply's "error".
struct Refusal {
  std::string text;
};

Commanded granted() { return {.reply = {{"ok", true}}}; }

std::string state_of(trial::TrialId id, TrialState state) {
  return "trial " + std::to_string(id.value) + " is " + std::string(trial::to_string(state));
}

}  // namespace

Commanded Commands::answer(const Json& request) const {
  try {
    return obey(request.at("command").get<std::string>(), request);
  } catch (const Refusal& refusal) {
    return {.reply = {{"error", refusal.text}}};
  } catch (const Json::exception& fault) {
    return {.reply = {{"error", std::string("malformed request: ") + fault.what()}}};
  }
}

Commanded Commands::obey(const std::string& command, const Json& request) const {
  if (command == "status") return {.reply = status_()};
  if (command == "cancel") return cancel(request);
  if (command == "retry") return retry(request);
  if (command == "enqueue") return enqueue(request.at("values"));
  if (command == "note" || command == "tag") return annotate(request, command == "tag");
  Commanded out = granted();
  if (command == "stop") {
    out.stops = request.value("reason", std::string("stopped by request"));
  } else if (command == "hand_over") {
    out.hands_over = "handed over to " + request.at("to").get<std::string>();
  } else {
    const bool is_long = command.size() > 40;  // a reply with a megabyte would not fit into a frame
    throw Refusal{is_long ? "there is no such command" : "there is no command '" + command + "'"};
  }
  return out;
}

trial::TrialId Commands::trial_in(const Json& request) const {
  const trial::TrialId id(whole<std::int64_t>(request.at("trial")));
  if (id.value < 0 || id.value >= study_.trial_count()) throw Refusal{"there is no trial " + std::to_string(id.value)};
  return id;
}

Commanded Commands::cancel(const Json& request) const {
  const trial::TrialId id = trial_in(request);
  const TrialState state = study_.trial(id).state;
  if (trial::is_final(state)) throw Refusal{state_of(id, state) + " already"};
  Commanded out = granted();
  out.event = study::CancelAsked{id};
  return out;
}

Commanded Commands::retry(const Json& request) const {
  const trial::TrialId id = trial_in(request);
  const TrialState state = study_.trial(id).state;
  if (state != TrialState::failed) throw Refusal{state_of(id, state) + ", not failed"};
  if (!study_.can_be_retried(id))
    throw Refusal{state_of(id, state) + ", but the study was amended: its pruner is another one now"};
  Commanded out = granted();
  out.event = study::RetryAsked{id};
  return out;
}

Commanded Commands::enqueue(const Json& asked) const {
  const auto faults = space::faults_of_asked(spec_.space, asked);
  if (!faults.empty()) throw Refusal{faults.front().message};
  const space::Values values = space::asked_from_json(spec_.space, asked);
  for (std::int64_t i = 0; i < study_.trial_count(); ++i) {
    if (study_.trial(trial::TrialId(i)).values == values)
      throw Refusal{"trial " + std::to_string(i) + " has these values"};
  }
  const std::vector<space::Values> waiting = study_.asked();
  const bool waits = std::find(waiting.begin(), waiting.end(), values) != waiting.end();
  if (waits && space::is_complete(spec_.space, values)) throw Refusal{"these values are asked for already"};
  Commanded out = granted();
  out.event = study::EnqueueAsked{values};
  return out;
}

/// Rows beside the log, which no decision looks at.
Commanded Commands::annotate(const Json& request, bool is_tag) const {
  Remark remark{.is_tag = is_tag};
  remark.text = request.at(is_tag ? "tag" : "text").get<std::string>();
  remark.is_removed = request.value("remove", false);
  if (request.contains("trial")) remark.trial = trial_in(request);
  Commanded out = granted();
  out.remark = std::move(remark);
  return out;
}

}  // namespace dlrun::driver
