// SPDX-License-Identifier: Apache-2.0
// dlrun ask STUDY
#include <fmt/format.h>
#include <fmt/ranges.h>

#include "asked_study.hpp"
#include "driver/asked_study.hpp"
#include "running.hpp"
#include "study/objective.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

Json to_json(const std::string& study, const driver::Asked& asked) {
  const study::StartPiece& piece = *asked.piece;
  return {{"study", study},
          {"trial", piece.key.member.trial.value},
          {"replicate", piece.key.member.replicate},
          {"fold", piece.key.member.fold},
          {"attempt", piece.attempt},
          {"from_step", piece.from_step},
          {"to_step", piece.to_step},
          {"params", asked.params}};
}

std::string steps_text(const study::StartPiece& piece) {
  const std::int64_t first = piece.from_step + 1;
  return first == piece.to_step ? fmt::format("step {}", first) : fmt::format("steps {} to {}", first, piece.to_step);
}

/// With all digits: these are the values that count.
std::string exact_text(const Json& value) { return value.is_string() ? value.get<std::string>() : to_text(value); }

report::Table to_table(const std::string& study, const driver::Asked& asked) {
  const study::StartPiece& piece = *asked.piece;
  report::Table table{fmt::format("{}: {}, {}", study, trial::describe(piece.key.member), steps_text(piece)),
                      {"parameter", "value"},
                      {}};
  for (const auto& [name, value] : asked.params.items()) table.rows.push_back({name, exact_text(value)});
  return table;
}

std::string metrics_text(const spec::StudySpec& spec) {
  const std::vector<std::string> metrics = study::needed_metrics(spec.rules);
  return fmt::format("{}{}=VALUE", metrics.front().starts_with("-") ? "-- " : "", fmt::join(metrics, "=VALUE "));
}

std::string member_text(const trial::Member& member) {
  std::string text = std::to_string(member.trial.value);
  if (member.replicate > 0) text += fmt::format(" --replicate {}", member.replicate);
  if (member.fold > 0) text += fmt::format(" --fold {}", member.fold);
  return text;
}

/// For scripts: names and values, the piece's own first.
report::Table to_rows(const std::string& study, const driver::Asked& asked) {
  const study::StartPiece& piece = *asked.piece;
  const trial::Member& member = piece.key.member;
  report::Table table{"", {"name", "value"}, {{"study", study}, {"trial", member.trial.value}}};
  table.rows.push_back({"replicate", member.replicate});
  table.rows.push_back({"fold", member.fold});
  table.rows.push_back({"from_step", piece.from_step});
  table.rows.push_back({"to_step", piece.to_step});
  for (const auto& [name, value] : asked.params.items()) table.rows.push_back({name, exact_text(value)});
  return table;
}

/// "trial=3", a line each.
void print_lines(const report::Table& rows, Console& console) {
  std::string text;
  for (const auto& row : rows.rows) text += fmt::format("{}={}\n", row[0].get<std::string>(), exact_text(row[1]));
  console.data(text);
}

void print_piece(const spec::StudySpec& spec, const driver::Asked& asked, Console& console) {
  if (console.format() == "json") return console.data(to_text(to_json(spec.name, asked)) + "\n");
  if (console.format() != "table") return console.print(to_rows(spec.name, asked));
  if (console.is_quiet()) return print_lines(to_rows(spec.name, asked), console);
  console.print(to_table(spec.name, asked));
  const std::string step = asked.piece->to_step > 1 ? fmt::format(" --step {}", asked.piece->to_step) : "";
  console.note(fmt::format("then: dlrun tell {} {}{} {}", spec.name, member_text(asked.piece->key.member), step,
                           metrics_text(spec)));
}

/// @throws Error(outside): another call may get a trial once these are told
[[noreturn]] void refuse_waiting(const std::string& study, const driver::Asked& asked, Console& console) {
  std::vector<std::string> names;
  Json waiting = Json::array();
  for (const auto& [member, piece] : asked.awaited) {
    names.push_back(trial::describe(member));
    waiting.push_back({{"trial", member.trial.value}, {"replicate", member.replicate}, {"fold", member.fold}});
  }
  if (console.format() == "json") console.data(to_text(Json{{"study", study}, {"waiting", waiting}}) + "\n");
  throw Error(ErrorKind::outside, fmt::format("the next decision of {} waits for {}", study, fmt::join(names, " and ")),
              fmt::format("tell what they measured; --trial {} says once more what is to be done",
                          asked.awaited.front().member.trial.value));
}

int run_ask(const Arguments& arguments, Console& console) {
  const spec::StudySpec spec = asked_study(arguments.words()[0], arguments, console);
  std::optional<trial::TrialId> only;
  if (arguments.has("trial")) only = trial::TrialId(arguments.number("trial", 0, 0));
  Remarks remarks(console);
  driver::Options options{.store = arguments.store(), .worker_binary = {}, .executor = {}, .command = arguments.line()};
  take_amendment(arguments, options);
  const driver::Asked asked = driver::ask(spec, options, remarks, only);
  if (asked.piece) {
    print_piece(spec, asked, console);
  } else if (asked.reason.empty() && !asked.awaited.empty()) {
    refuse_waiting(spec.name, asked, console);
  } else {
    if (console.format() == "json")
      console.data(to_text(Json{{"study", spec.name}, {"finished", true}, {"reason", asked.reason}}) + "\n");
    console.note(fmt::format("{} is finished: {}", spec.name, asked.reason));
  }
  return 0;
}

}  // namespace

Verb ask_verb() {
  std::vector<Option> options{
      {.name = "lanes", .value = "N", .text = "of a new study: how many trials may be out at a time (default: 1)"},
      {.name = "trial", .value = "N", .text = "what this trial is to do next, also if it was asked for before"},
      store_option(),
      format_option()};
  for (Option& option : study_options()) options.push_back(std::move(option));
  for (Option& option : amending_options()) options.push_back(std::move(option));
  return {
      .name = "ask",
      .summary = "get the values of the next trial, to carry it out yourself",
      .text =
          "For a study of kind asked, whose trials people, instruments or scripts carry out. Prints the values and "
          "the steps that are to be measured. Where the next decision has to see results that were not told yet, it "
          "names their trials and ends with 75; under `order: arrival` it does not wait for them. A study that is "
          "finished prints no trial.",
      .arguments = {{.name = "STUDY", .text = "a study file, or a study of the store", .kind = Kind::file}},
      .options = std::move(options),
      .examples = {{"dlrun ask coffee.yaml", "creates the study if it is new"},
                   {"dlrun ask coffee.yaml --lanes 3", "new, for three people at once"},
                   {"dlrun ask coffee --format json", "for a script"}},
      .run = run_ask};
}

}  // namespace dlrun::cli
