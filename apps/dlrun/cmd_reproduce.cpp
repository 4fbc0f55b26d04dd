// SPDX-License-Identifier: Apache-2.0
// dlrun reproduce TRIAL: run it again from lineage alone, and compare every bit.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "arguments.hpp"
#include "driver/reproduce.hpp"
#include "output/console.hpp"
#include "report/report.hpp"
#include "report/selectors.hpp"
#include "spec/gang_processes.hpp"
#include "trial/kinds.hpp"
#include "trial/runner.hpp"
#include "util/json.hpp"
#include "util/sha256.hpp"
#include "util/temporary_folder.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

constexpr int kDiffers = 6;
constexpr std::size_t kMostShown = 10;  ///< differences

std::optional<int> whole(const Arguments& arguments, const char* option, int least) {
  if (!arguments.has(option)) return std::nullopt;
  return int(arguments.number(option, 0, least));
}

/// "14 of 14 values and 2 of 2 checkpoints"
std::string counts(const driver::Reproduction& found) {
  std::string text = fmt::format("{} of {} values", found.equal_values, found.values);
  if (found.checkpoints > 0)
    text += fmt::format(" and {} of {} checkpoints", found.equal_checkpoints, found.checkpoints);
  return text;
}

/// Why it may have come out otherwise, as far as lineage knows.
std::string reason(const driver::Reproduction& found, const driver::ReproducePlan& plan) {
  const bool is_program = trial::runs_program(plan.spec.kind);
  const std::string what = is_program ? "the program" : "the trial";
  if (found.is_steady == false)
    return fmt::format("; {} is not deterministic: two runs here do not agree with each other either", what);
  if (!found.inputs.empty()) {
    std::vector<std::string> names;
    for (const driver::InputDifference& input : found.inputs) names.push_back(input.input);
    return fmt::format("; two runs here agree, and what they ran on differs: {}", fmt::join(names, ", "));
  }
  if (is_program && !plan.knows_program)
    return "; two runs here agree, so that the program or a file it reads must have changed, of which nothing is "
           "recorded";
  if (is_program)
    return "; two runs here agree, and no recorded file of the program has changed, so that one it reads must have";
  return "; two runs here agree, and no input that is recorded differs: `dlrun verify` says whether the store is whole";
}

std::string verdict(const driver::Reproduction& found, const driver::ReproducePlan& plan) {
  if (found.is_equal()) return fmt::format("reproduced: {} are bit-equal", counts(found));
  return fmt::format("not reproduced: {} are bit-equal{}", counts(found), reason(found, plan));
}

report::Table differences(const driver::Reproduction& found) {
  const std::size_t all = found.differences.size();
  report::Table table{
      all > kMostShown ? fmt::format("what differs (the first {} of {})", kMostShown, all) : "what differs",
      {"what", "replicate", "fold", "epoch", "recorded", "now"},
      {}};
  for (std::size_t i = 0; i < all && i < kMostShown; ++i) {
    const driver::Difference& one = found.differences[i];
    const auto cell = [](const std::string& text) { return text.empty() ? Json() : Json(text); };
    table.rows.push_back(
        {one.what, one.member.replicate, one.member.fold, one.step, cell(one.recorded), cell(one.now)});
  }
  return table;
}

report::Table inputs(const driver::Reproduction& found) {
  report::Table table{"inputs that differ", {"input", "recorded", "now"}, {}};
  for (const driver::InputDifference& one : found.inputs) table.rows.push_back({one.input, one.recorded, one.now});
  return table;
}

report::Table failures(const driver::Reproduction& found) {
  report::Table table{"pieces that ended otherwise", {"piece"}, {}};
  for (const std::string& text : found.failures) table.rows.push_back({text});
  return table;
}

void print(const driver::Reproduction& found, const driver::ReproducePlan& plan, Console& console) {
  std::vector<report::Table> tables = {{"reproduction", {"reproduction"}, {{verdict(found, plan)}}}};
  for (report::Table& table : std::vector{differences(found), failures(found), inputs(found)}) {
    if (!table.rows.empty()) tables.push_back(std::move(table));
  }
  console.print(tables);
}

void say_restored(const std::vector<std::string>& artifacts, Console& console) {
  if (artifacts.empty()) console.note("the store has all of the trial's artifacts that it keeps: nothing was restored");
  for (const std::string& sha256 : artifacts) console.note(fmt::format("restored artifact {}", short_hash(sha256)));
}

void say_changes(const std::vector<driver::InputDifference>& program, Console& console) {
  for (const driver::InputDifference& one : program)
    console.note(fmt::format("the program has changed: {} was {}, is {}", one.input, one.recorded, one.now));
}

bool is_recorded(const driver::ReproducePlan& plan) {
  return std::all_of(plan.pieces.begin(), plan.pieces.end(),
                     [](const auto& piece) { return !driver::records_of(piece).empty(); });
}

/// Ranks that do not take their steps together measure something else each time, but for those that are replayed.
void say_unsteady(const driver::ReproducePlan& plan, Console& console) {
  if (plan.spec.kind != "train") return;
  const Json config = trial::configured(plan.spec.json.at("trial"), plan.spec.space.sets(plan.trial.values));
  const std::string reason = spec::unsteady_reason(config);
  if (!reason.empty() && is_recorded(plan))
    return console.note("its ranks are replayed in the order that was recorded");
  if (!reason.empty()) console.warn(reason + ": equal bits are not promised");
}

int run_reproduce(const Arguments& arguments, Console& console) {
  const report::OneTrial trial = report::find_trial(arguments.store(), arguments.words()[0]);
  const TemporaryFolder folder("dlrun-reproduce");
  const driver::ReproduceOptions options{.rerun = {arguments.store(), folder.path(), {}},
                                         .replicate = whole(arguments, "replicate", 0),
                                         .fold = whole(arguments, "fold", 0),
                                         .threads = whole(arguments, "threads", 1)};
  const driver::ReproducePlan plan = driver::plan_reproduction(trial.study, trial::TrialId(trial.number), options);
  say_changes(plan.program, console);
  say_unsteady(plan, console);
  console.note(fmt::format("running {}/{} again in a temporary folder: {} piece{}, {} epoch{}", trial.study,
                           trial.number, plan.pieces.size(), plan.pieces.size() == 1 ? "" : "s", plan.epochs,
                           plan.epochs == 1 ? "" : "s"));
  const driver::Reproduction found = driver::reproduce(plan, options);
  for (const std::string& cited : found.cited) console.note("its result was cited from " + cited);
  if (arguments.has("restore")) say_restored(driver::restore(plan, options), console);
  print(found, plan, console);
  return found.is_equal() ? 0 : kDiffers;
}

}  // namespace

Verb reproduce_verb() {
  return {
      .name = "reproduce",
      .summary = "run a trial again from lineage alone, and compare every bit",
      .text =
          "Runs the pieces of a trial with their recorded boundaries, values and seed, in a temporary folder: the "
          "study is only read. Compares every committed value of every epoch and the hash of every checkpoint. Where "
          "something came out otherwise it is run once more, to tell a trial that is not deterministic from one "
          "whose inputs differ, and those are named. A trial that was pruned or paused runs as far as it had. Data "
          "that is gone or has changed is an error before anything runs. With --restore artifacts that are missing or "
          "damaged in the store are written back, if they came out bit-equal. Ends with 6 where something differs.",
      .arguments = {{.name = "TRIAL", .text = "a number, STUDY/17, last or best", .kind = Kind::trial}},
      .options = {{.name = "replicate", .value = "N", .text = "this replicate only"},
                  {.name = "fold", .value = "N", .text = "this fold only"},
                  {.name = "restore",
                   .text = "put artifacts that the store lacks or has damaged back, where they are bit-equal"},
                  {.name = "threads", .value = "N", .text = "inside the trial (default: as recorded)"},
                  format_option(),
                  store_option()},
      .examples = {{"dlrun reproduce best", "the best trial of the study started last"},
                   {"dlrun reproduce first/3 --threads 2", "do its bits depend on threads?"},
                   {"dlrun reproduce first/3 --restore", "bring its missing checkpoints back"}},
      .run = run_reproduce};
}

}  // namespace dlrun::cli
