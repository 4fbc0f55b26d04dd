// SPDX-License-Identifier: Apache-2.0
// Tools that start studies and stop them.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <thread>

#include "agent/children.hpp"
#include "agent/guarded_study.hpp"
#include "agent/log_tail.hpp"
#include "agent/record.hpp"
#include "agent/starting.hpp"
#include "agent/tables.hpp"
#include "agent/tools.hpp"
#include "driver/driver.hpp"
#include "report/selectors.hpp"
#include "storage/store.hpp"
#include "util/error.hpp"

namespace dlrun::cli::agent {

namespace {

using mcp::Answer;
using mcp::Caller;
using mcp::Tool;
using mcp::Type;

constexpr std::chrono::milliseconds kLook{20}, kPatience{5'000};
constexpr std::size_t kLogLines = 20;

Json state_of(Started& started) {
  LogTail tail(kLogLines);
  tail.add_file(started.log);
  Json out = {{"study", started.study}, {"log", started.log.string()}, {"last_lines", tail.lines()}};
  const bool has_ended = started.child.has_ended();
  out["process"] = has_ended ? process::end_text(started.child.status()) : "running";
  return out;
}

/// Waits until the store has the study, or the process has ended.
void wait_for_begin(const Grant& grant, Started& started) {
  const auto until = std::chrono::steady_clock::now() + kPatience;
  try {
    while (std::chrono::steady_clock::now() < until && !started.child.has_ended()) {
      if (driver::ask_running(grant.store, started.study, {{"command", "status"}})) return;
      std::this_thread::sleep_for(kLook);
    }
  } catch (const Error&) {  // the study runs, but its driver is too busy to answer
  }
}

std::string limit_text(const spec::StudySpec& spec) {
  const auto& trials = spec.rules.limits.trials;
  return fmt::format("{} trials, {} s", trials ? std::to_string(*trials) : "as planned, at most", *spec.wall_seconds);
}

Answer start(const Grant& grant, Children& children, const Json& arguments, const Caller& caller) {
  StartOrder order{{text_in(arguments, "file"), text_in(arguments, "ablation"), texts_in(arguments, "set")},
                   arguments.value("workers", 0),
                   caller.name};
  const Guarded read = read_startable(order, grant);
  const std::filesystem::path log = grant.store / "mcp" / (read.spec.name + ".log");
  Started& started = children.start(read.spec.name, words_of(order, grant), log);
  wait_for_begin(grant, started);
  Answer out{state_of(started)};
  out.data["limits"] = limit_text(read.spec);
  out.data["warnings"] = read.warnings;
  out.is_error = started.child.has_ended() && started.child.status() != 0;
  return out;
}

Answer stop(const Grant& grant, Children& children, const Json& arguments, const Caller& caller) {
  const std::string study = report::find_study(grant.store, text_in(arguments, "study"));
  if (!was_started_by_agent(grant.store, study))
    throw Error(ErrorKind::usage, fmt::format("a person started {}", study),
                "only studies that agents started can be stopped");
  const bool was_running =
      driver::ask_running(grant.store, study, {{"command", "stop"}, {"reason", "stopped by agent " + caller.name}})
          .has_value();
  Json out = {{"study", study}, {"was_running", was_running}};
  for (Started& started : children.all()) {
    if (started.study == study) out["log"] = started.log.string();
  }
  return {out};
}

Answer list(Children& children) {
  Json out = Json::array();
  for (Started& started : children.all()) out.push_back(state_of(started));
  return {{{"started", std::move(out)}}};
}

Tool start_tool(const Grant& grant, Children& children) {
  return {
      .name = "start_study",
      .title = "Start a study",
      .text = fmt::format("Runs a study file below the root in the background, as `dlrun tune` does, or an ablation as "
                          "`dlrun ablate` does. At most {} trials and {} s; check_study finds faults before. The same "
                          "call again goes on with a study that was stopped.",
                          grant.max_trials, grant.max_wall),
      .parameters = {{.name = "file", .text = "the study file, below the root", .is_required = true},
                     {.name = "ablation", .text = "a second file below the root, with `ablation:`"},
                     {.name = "set", .type = Type::texts, .text = "KEY=VALUE, each overrides one key"},
                     {.name = "workers",
                      .type = Type::whole,
                      .text = "worker processes, one per core by default and at most",
                      .least = 1,
                      .most = most_workers()}},
      .right = mcp::Right::start,
      .run = [grant, &children](const Json& arguments, const Caller& caller) {
        return start(grant, children, arguments, caller);
      }};
}

Tool stop_tool(const Grant& grant, Children& children) {
  return {.name = "stop_study",
          .title = "Stop a study",
          .text = "Lets a study that an agent started save and end. start_study goes on with it.",
          .parameters = {study_parameter(true)},
          .right = mcp::Right::start,
          .run = [grant, &children](const Json& arguments, const Caller& caller) {
            return stop(grant, children, arguments, caller);
          }};
}

Tool list_tool(Children& children) {
  return {.name = "started_studies",
          .title = "Started studies",
          .text = "Studies that this server started: whether each still runs, and the last lines of its log.",
          .parameters = {},
          .right = mcp::Right::start,
          .run = [&children](const Json&, const Caller&) { return list(children); }};
}

}  // namespace

std::vector<Tool> starting_tools(const Grant& grant, Children& children) {
  return {start_tool(grant, children), list_tool(children), stop_tool(grant, children)};
}

}  // namespace dlrun::cli::agent
