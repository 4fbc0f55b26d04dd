// SPDX-License-Identifier: Apache-2.0
// dlrun tell STUDY TRIAL METRIC=VALUE...
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>

#include "asked_study.hpp"
#include "driver/asked_study.hpp"
#include "output/text_width.hpp"
#include "spec/search_section.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

template <class Number>
Number number_in(const std::string& text, const std::string& what) {
  Number number{};
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (fault == std::errc() && end == text.data() + text.size()) return number;
  throw Error(ErrorKind::usage, fmt::format("{} is to be a number, not '{}'", what, text));
}

trial::Metric metric_in(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0)
    throw Error(ErrorKind::usage, fmt::format("'{}' gives no metric a value", word), "write METRIC=VALUE");
  const std::string name = word.substr(0, equals);
  if (!spec::is_metric_name(name))
    throw Error(ErrorKind::usage, fmt::format("'{}' is no name for a metric", visible(name)),
                "letters, digits, '.', '_', '-' and '/'");
  return {name, number_in<double>(word.substr(equals + 1), fmt::format("the value of '{}'", name))};
}

void add_metric(std::vector<trial::Metric>& metrics, const trial::Metric& metric) {
  for (const trial::Metric& other : metrics) {
    if (other.name == metric.name) throw Error(ErrorKind::usage, fmt::format("'{}' is given twice", metric.name));
  }
  metrics.push_back(metric);
}

int member_number(const Arguments& arguments, const char* option) {
  const std::int64_t number = arguments.number(option, 0, 0);
  if (number >= trial::kMostMembers)
    throw Error(ErrorKind::usage,
                fmt::format("--{} {}: a trial has at most {} members", option, number, trial::kMostMembers));
  return static_cast<int>(number);
}

driver::Tell tell_of(const Arguments& arguments) {
  const auto& words = arguments.words();
  driver::Tell tell;
  tell.member.trial = trial::TrialId(number_in<std::int64_t>(words[1], "TRIAL"));
  tell.member.replicate = member_number(arguments, "replicate");
  tell.member.fold = member_number(arguments, "fold");
  if (arguments.has("step")) tell.step = arguments.number("step", 1, 1);
  if (arguments.has("failed")) tell.failure = arguments.text("failed");
  for (std::size_t i = 2; i < words.size(); ++i) add_metric(tell.metrics, metric_in(words[i]));
  if (tell.metrics.empty() && !tell.failure)
    throw Error(ErrorKind::usage, "nothing is told", "write METRIC=VALUE, or --failed REASON");
  return tell;
}

std::string outcome_text(const driver::Heard& heard) {
  if (!heard.missing.empty()) return fmt::format("still needs {}", fmt::join(heard.missing, ", "));
  const study::TrialView& trial = heard.trial;
  if (trial.state == trial::TrialState::paused) return fmt::format("waits at step {} for its verdict", trial.steps);
  if (trial.state == trial::TrialState::running || trial.state == trial::TrialState::waiting)
    return "noted; dlrun ask gives what is to be done next";
  return std::string(trial::to_string(trial.state));
}

Json to_json(const std::string& study, const driver::Heard& heard) {
  const study::TrialView& trial = heard.trial;
  return {{"study", study},
          {"trial", trial.id.value},
          {"state", trial::to_string(trial.state)},
          {"objective", trial.objective ? Json(*trial.objective) : Json()},
          {"known", heard.is_known},
          {"missing", heard.missing}};
}

int run_tell(const Arguments& arguments, Console& console) {
  const driver::Tell tell = tell_of(arguments);
  const spec::StudySpec spec = told_study(arguments.words()[0], arguments, console);
  Remarks remarks(console);
  const driver::Heard heard =
      driver::tell(spec, {.store = arguments.store(), .worker_binary = {}, .executor = {}, .command = arguments.line()},
                   remarks, tell);
  if (console.format() == "json") console.data(to_text(to_json(spec.name, heard)) + "\n");
  console.note(fmt::format("{}: {}{}", trial::describe(tell.member), heard.is_known ? "was told before; " : "",
                           outcome_text(heard)));
  return 0;
}

}  // namespace

Verb tell_verb() {
  return {
      .name = "tell",
      .summary = "say what a trial that was asked for has measured",
      .text =
          "A trial's piece ends when its last step has values of all objectives and bounds. The same again does no "
          "harm; another value for the same step is refused.",
      .arguments = {{.name = "STUDY", .text = "a study of the store, or its file", .kind = Kind::study},
                    {.name = "TRIAL", .text = "its number", .kind = Kind::text},
                    {.name = "METRIC=VALUE", .text = "what was measured", .kind = Kind::text, .least = 0, .most = -1}},
      .options = {{.name = "step", .value = "N", .text = "the step it belongs to (default: the last one asked for)"},
                  {.name = "failed", .value = "REASON", .text = "the trial cannot be carried out"},
                  {.name = "replicate", .value = "N", .text = "of a trial with replicates (default: 0)"},
                  {.name = "fold", .value = "N", .text = "of a trial with folds (default: 0)"},
                  store_option(),
                  format_option()},
      .examples = {{"dlrun tell coffee 3 taste=7.5", "trial 3"},
                   {"dlrun tell coffee 3 taste=6.8 --step 2", "on its way"},
                   {"dlrun tell coffee 4 --failed 'the machine was cold'", "it counts as failed"}},
      .run = run_tell};
}

}  // namespace dlrun::cli
