// SPDX-License-Identifier: Apache-2.0
// Tools that add to a study: a trial with given values, a note, and trials that the agent carries out itself.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "agent/record.hpp"
#include "agent/tables.hpp"
#include "agent/tools.hpp"
#include "driver/asked_study.hpp"
#include "enqueueing.hpp"
#include "report/selectors.hpp"
#include "steer.hpp"
#include "storage/store.hpp"
#include "util/error.hpp"

namespace dlrun::cli::agent {

namespace {

using mcp::Answer;
using mcp::Caller;
using mcp::Tool;
using mcp::Type;

/// "x1=0.5", as a person writes it.
std::vector<std::string> words_of(const Json& values) {
  std::vector<std::string> out;
  for (const auto& [name, value] : values.items())
    out.push_back(name + '=' + (value.is_string() ? value.get<std::string>() : to_text(value)));
  return out;
}

/// Trials that agents may still ask for: those of a study that an agent started count as theirs.
void require_room(const Grant& grant, const std::string& study) {
  std::int64_t used = enqueued_by_agents(grant.store, study);
  if (was_started_by_agent(grant.store, study)) {
    const Json spec = storage::Store::find(grant.store, study).value().spec;
    const Json trials = spec.value(Json::json_pointer("/limits/trials"), Json());
    used += trials.is_number_integer() ? trials.get<std::int64_t>() : grant.max_trials;
  }
  if (used < grant.max_trials) return;
  throw Error(ErrorKind::usage, fmt::format("agents have {} trials of {} already, as many as they may", used, study),
              "whoever runs this server gives more with --max-trials");
}

Answer enqueue_trial(const Grant& grant, const Json& arguments, const Caller& caller) {
  const std::string study = report::find_study(grant.store, text_in(arguments, "study"));
  const std::vector<std::string> words = words_of(arguments.at("values"));
  if (words.empty()) throw Error(ErrorKind::usage, "no parameter has a value");
  require_room(grant, study);
  const std::string note = enqueued_note(caller, fmt::format("{}", fmt::join(words, " ")));
  const Enqueued enqueued = enqueue(grant.store, {study, words, note});
  return {{{"study", study}, {"note", note}, {"is_running", enqueued.is_running}}};
}

void add_note(const Grant& grant, const report::Target& target, const std::string& text) {
  std::optional<trial::TrialId> id;
  if (target.trial) id = trial::TrialId(*target.trial);
  Json request = {{"command", "note"}, {"text", text}};
  if (target.trial) request["trial"] = *target.trial;
  steer(grant.store, target.study, request, [&](storage::Store& open) { open.note(id, text); });
}

Answer note(const Grant& grant, const Json& arguments, const Caller& caller) {
  const std::string words = text_in(arguments, "text");
  if (words.find_first_not_of(" \n") == std::string::npos) throw Error(ErrorKind::usage, "the note is empty");
  const report::Target target = report::find_target(grant.store, text_in(arguments, "target"));
  const std::string text = own_note(caller, words);
  add_note(grant, target, text);
  return {{{"study", target.study}, {"note", text}}};
}

/// Keeps remarks of a call for its answer.
class Remarks final : public driver::Display {
 public:
  void progress(const driver::Progress&) override {}
  void line(const std::string& text) override { lines_.push_back(text); }
  const Json& lines() const { return lines_; }

 private:
  Json lines_ = Json::array();
};

spec::StudySpec asked_spec(const Grant& grant, const std::string& study) {
  const storage::StudyRow row = storage::Store::versions(grant.store, study).back();
  return spec::from_json(row.spec, row.spec_text);
}

driver::Options options_of(const Grant& grant, const std::string& command, const Caller& caller) {
  return {
      .store = grant.store, .worker_binary = {}, .executor = {}, .command = command + "  # by agent " + caller.name};
}

Answer ask(const Grant& grant, const Json& arguments, const Caller& caller) {
  const std::string study = report::find_study(grant.store, text_in(arguments, "study"));
  Remarks remarks;
  const driver::Asked asked =
      driver::ask(asked_spec(grant, study), options_of(grant, "dlrun ask " + study, caller), remarks);
  Json out = {{"study", study}, {"remarks", remarks.lines()}};
  if (asked.piece) {
    out["trial"] = asked.piece->key.member.trial.value;
    out["replicate"] = asked.piece->key.member.replicate;
    out["fold"] = asked.piece->key.member.fold;
    out["from_step"] = asked.piece->from_step;
    out["to_step"] = asked.piece->to_step;
    out["params"] = asked.params;
    add_note(grant, {study, asked.piece->key.member.trial.value}, own_note(caller, "carries this trial out"));
    return {out};
  }
  out["finished"] = asked.awaited.empty();
  out["reason"] = asked.reason;
  for (const trial::PieceKey& key : asked.awaited) out["waits_for"].push_back(key.member.trial.value);
  return {out};
}

driver::Tell tell_in(const Json& arguments) {
  driver::Tell out;
  out.member = {trial::TrialId(arguments.at("trial").get<std::int64_t>()), arguments.value("replicate", 0),
                arguments.value("fold", 0)};
  if (arguments.contains("step")) out.step = arguments["step"].get<std::int64_t>();
  if (arguments.contains("failed")) out.failure = text_in(arguments, "failed");
  const Json metrics = arguments.value("metrics", Json::object());
  for (const auto& [name, value] : metrics.items()) {
    if (!value.is_number()) throw Error(ErrorKind::usage, fmt::format("the value of '{}' is to be a number", name));
    out.metrics.push_back({name, value.get<double>()});
  }
  if (out.metrics.empty() && !out.failure) throw Error(ErrorKind::usage, "nothing is told", "give metrics, or failed");
  return out;
}

Answer tell(const Grant& grant, const Json& arguments, const Caller& caller) {
  const std::string study = report::find_study(grant.store, text_in(arguments, "study"));
  Remarks remarks;
  const driver::Tell told = tell_in(arguments);
  const driver::Heard heard =
      driver::tell(asked_spec(grant, study), options_of(grant, "dlrun tell " + study, caller), remarks, told);
  const std::string note = own_note(caller, "told " + to_text(arguments.value("metrics", Json())));
  if (!heard.is_known) add_note(grant, {study, told.member.trial.value}, note);
  return {{{"study", study},
           {"trial", heard.trial.id.value},
           {"state", trial::to_string(heard.trial.state)},
           {"known", heard.is_known},
           {"missing", heard.missing}}};
}

Tool enqueue_tool(const Grant& grant) {
  return {
      .name = "enqueue_trial",
      .title = "Propose a trial",
      .text =
          "The next trial of the study gets these values; parameters left out are filled in by the sampler. "
          "Checked like a person's; the study keeps a note that says which agent asked for it.",
      .parameters = {study_parameter(true),
                     {.name = "values",
                      .type = Type::values,
                      .text = "parameters of the study's space, such as {\"lr\": 0.01}",
                      .is_required = true}},
      .right = mcp::Right::propose,
      .run = [grant](const Json& arguments, const Caller& caller) { return enqueue_trial(grant, arguments, caller); }};
}

Tool note_tool(const Grant& grant) {
  return {.name = "add_note",
          .title = "Add a note",
          .text = "Adds a note to a study or a trial. It begins with the agent's name.",
          .parameters = {{.name = "target", .text = "a study, or STUDY/17", .is_required = true, .longest = 200},
                         {.name = "text", .text = "the note", .is_required = true, .longest = 9'000}},
          .right = mcp::Right::propose,
          .run = [grant](const Json& arguments, const Caller& caller) { return note(grant, arguments, caller); }};
}

Tool ask_tool(const Grant& grant) {
  return {.name = "ask_trial",
          .title = "Ask for a trial",
          .text = "For a study of kind asked: values of the next trial, which you carry out and report by tell_trial.",
          .parameters = {study_parameter(true)},
          .right = mcp::Right::propose,
          .run = [grant](const Json& arguments, const Caller& caller) { return ask(grant, arguments, caller); }};
}

Tool tell_tool(const Grant& grant) {
  const auto member = [](const char* name, std::int64_t most) {
    return mcp::Parameter{
        .name = name, .type = Type::whole, .text = "as ask_trial gave it, 0 by default", .most = most};
  };
  return {.name = "tell_trial",
          .title = "Tell measurements",
          .text = "Measurements of a trial that you got from ask_trial, or that it cannot be carried out.",
          .parameters = {study_parameter(true),
                         {.name = "trial", .type = Type::whole, .text = "its number", .is_required = true},
                         {.name = "metrics", .type = Type::values, .text = "measured values by metric", .longest = 100},
                         {.name = "step", .type = Type::whole, .text = "the last one asked for by default", .least = 1},
                         {.name = "failed", .text = "why the trial cannot be carried out"},
                         member("replicate", trial::kMostMembers - 1),
                         member("fold", trial::kMostMembers - 1)},
          .right = mcp::Right::propose,
          .run = [grant](const Json& arguments, const Caller& caller) { return tell(grant, arguments, caller); }};
}

}  // namespace

std::vector<Tool> proposing_tools(const Grant& grant) {
  return {enqueue_tool(grant), note_tool(grant), ask_tool(grant), tell_tool(grant)};
}

}  // namespace dlrun::cli::agent
