// SPDX-License-Identifier: Apache-2.0
#include "running.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <utility>

#include "driver/driver.hpp"
#include "libtorch/load.hpp"
#include "machine.hpp"
#include "output/progress.hpp"
#include "plan/plan.hpp"
#include "report/report.hpp"
#include "report/trials.hpp"
#include "util/error.hpp"
#include "util/network.hpp"
#include "util/number_text.hpp"

namespace dlrun::cli {

namespace {

constexpr int kShown = 5;  // trials of the table at the end

std::string count_text(const driver::Summary& summary) {
  std::string text = fmt::format("{} completed", summary.completed);
  if (summary.pruned > 0) text += fmt::format(", {} pruned", summary.pruned);
  if (summary.failed > 0) text += fmt::format(", {} failed", summary.failed);
  if (summary.cancelled > 0) text += fmt::format(", {} cancelled", summary.cancelled);
  return text;
}

std::string store_words(const Arguments& arguments) {
  return arguments.has("store") ? fmt::format(" --store {}", arguments.store()) : "";
}

/// No failure counts as long as something succeeded, unless the study sets a limit.
bool has_too_many_failures(const spec::StudySpec& spec, const driver::Summary& summary) {
  if (spec.failure_limit >= 0) return summary.failed > spec.failure_limit;
  return summary.failed > 0 && summary.completed + summary.pruned == 0;
}

int say_interrupted(const spec::StudySpec& spec, const driver::Summary& summary, const Arguments& arguments,
                    Console& console) {
  const std::string why = summary.reason.empty() ? "interrupted" : summary.reason;
  console.note(fmt::format("{}: {} ({}); go on with: dlrun resume {}{}", spec.name, why, count_text(summary), spec.name,
                           store_words(arguments)));
  return static_cast<int>(ErrorKind::interrupted);
}

/// The test split is measured once, for the best trial of kind train; of several members the mean counts. Programs may
/// report a metric of such a name at any step.
void say_test(const std::string& store, const spec::StudySpec& spec, const driver::Summary& summary, Console& console) {
  if (summary.best_trial < 0 || spec.kind != "train") return;
  const report::Table values = report::sql(
      store, {spec.name},
      fmt::format("select metric, avg(value) from metrics where trial = {} and metric like 'test.%' group by metric "
                  "order by metric",
                  summary.best_trial));
  std::vector<std::string> texts;
  for (const auto& row : values.rows) {
    if (row[1].is_number()) texts.push_back(fmt::format("{} {}", row[0].get<std::string>(), short_number(row[1])));
  }
  if (!texts.empty()) {
    console.note(fmt::format("test split, measured once for trial {}: {}", summary.best_trial, fmt::join(texts, ", ")));
  }
}

/// The winner is chosen by its luck too, so its value is not left alone.
void say_shrunken(const std::string& store, const spec::StudySpec& spec, Console& console) {
  const auto best = report::shrunken_best(store, spec.name);
  if (!best) return;
  console.note(fmt::format(
      "{} of trial {}, without the luck of having been chosen among {} trials: {} [{}, {}]; see: dlrun report {} "
      "--section winner",
      best->metric, best->trial, best->contenders, short_number(best->value), short_number(best->low),
      short_number(best->high), spec.name));
}

/// Final trainings beside their rivals.
bool is_comparison(const report::Reader& reader) { return reader.is_ablation() && reader.is_final(); }

/// Section of the report that has the whole answer; empty: the first.
std::string answering_section(const report::Reader& reader) {
  return reader.has_findings() ? "ablation" : is_comparison(reader) ? "final" : "";
}

/// Answer of an ablation or of a comparison, or the best trials of a search.
void print_answer(const report::Reader& reader, Console& console) {
  if (reader.has_findings()) return console.print(reader.findings(audience_of(console)));
  if (is_comparison(reader)) return console.print(reader.final().front());
  console.print(reader.best(kShown));
}

/// @throws Error(failures) unless the study's failures are few enough
void require_few_failures(const spec::StudySpec& spec, const driver::Summary& summary) {
  if (!has_too_many_failures(spec, summary)) return;
  const std::string limit = spec.failure_limit >= 0 ? fmt::format("limits.failures is {}", spec.failure_limit)
                                                    : std::string("no trial succeeded");
  throw Error(ErrorKind::failures,
              fmt::format("{} trial{} failed: {}", summary.failed, summary.failed == 1 ? "" : "s", limit),
              fmt::format("`dlrun show {}/TRIAL` and `dlrun logs {}/TRIAL` say why", spec.name, spec.name));
}

/// @throws Error(failures) if an arm of a comparison of final trainings has no result
void require_arms(const report::Reader& reader, const spec::StudySpec& spec) {
  const std::vector<std::string> failed = reader.failed_arms();
  if (failed.empty()) return;
  throw Error(ErrorKind::failures,
              fmt::format("nothing is known of '{}': all its trainings failed", fmt::join(failed, "', '")),
              fmt::format("`dlrun show {}/TRIAL` and `dlrun logs {}/TRIAL` say why", spec.name, spec.name));
}

int say_finished(const spec::StudySpec& spec, const driver::Summary& summary, const Arguments& arguments,
                 Console& console) {
  console.note(fmt::format("{}: {}{}", spec.name, count_text(summary),
                           summary.reason.empty() ? "" : fmt::format(" ({})", summary.reason)));
  const bool is_for_people = console.format() == "table";
  const report::Reader reader(arguments.store(), {spec.name});
  if (summary.best || !is_for_people) print_answer(reader, console);
  const std::string section = answering_section(reader);
  if (section.empty() && !spec.winner) {
    say_shrunken(arguments.store(), spec, console);
    say_test(arguments.store(), spec, summary, console);
  }
  console.note(fmt::format("results: {}/studies/{}.db; see: dlrun report {}{}{}", arguments.store(), spec.name,
                           spec.name, section.empty() ? "" : " --section " + section, store_words(arguments)));
  if (!summary.finished) {
    console.note(fmt::format("there is more to do: dlrun resume {}{}", spec.name, store_words(arguments)));
  }
  require_few_failures(spec, summary);
  if (summary.finished && spec.failure_limit < 0) require_arms(reader, spec);
  return 0;
}

/// --workers, --listen and --executor.
void take_workers(const Arguments& arguments, driver::Options& options) {
  options.executor = arguments.text("executor");
  if (arguments.has("listen")) options.listen = host_port(arguments.text("listen"));
  options.workers = int(arguments.number("workers", 0, 0));
  options.only_joined = arguments.has("workers") && options.workers == 0;
  if (!options.only_joined || options.listen) return;
  throw Error(ErrorKind::usage, "--workers 0 leaves nobody to work",
              "add --listen ADDRESS, and workers of other machines can join");
}

/// --dry-run
int say_plan(const spec::StudySpec& spec, const driver::Options& options, Console& console) {
  const std::string script = driver::batch_script(spec, options);
  if (const auto plugin = driver::executor_plugin(spec, options)) {
    console.note(
        fmt::format("{}: the plugin '{}' would start workers; `dlrun check` has the plan", spec.name, *plugin));
  } else if (script.empty()) {
    console.note(fmt::format("{}: workers would be processes of this machine; `dlrun check` has the plan", spec.name));
  } else {
    console.data(script);
  }
  return 0;
}

bool is_on_cpu(const spec::StudySpec& spec) {
  return spec.kind == "train" && (spec.device.empty() || spec.device == "cpu");
}

/// Rejects a study that trains in workers of this machine if there is no libtorch: each trial would fail of it.
void require_libtorch(const spec::StudySpec& spec, const driver::Options& options) {
  const bool is_elsewhere = driver::executor_plugin(spec, options) || !driver::batch_script(spec, options).empty();
  if (spec.kind != "train" || options.only_joined || is_elsewhere) return;
  const libtorch::Surroundings around = libtorch::surroundings();
  if (std::filesystem::exists(libtorch::trainer_file(around.program_folder))) {
    libtorch::require(libtorch::candidates(around));
  }
}

}  // namespace

Expected expected_of(const spec::StudySpec& spec) {
  const plan::Work work = plan::expected_work(spec);
  return {.epochs = work.trials ? work.epochs : double(spec.rules.limits.epochs.value_or(0)),
          .is_estimate = work.trials && work.epochs < work.most_epochs,
          .per_member = spec.rules.epochs,
          .metric = spec.rules.objective.metric};
}

std::vector<Option> amending_options() {
  return {{.name = "amend", .text = "go on with a study whose file has changed, where that can be; shows what changes"},
          {.name = "default",
           .value = "NAME=VALUE",
           .text = "with --amend: what the trials so far had of a new parameter that has no place in the trial",
           .repeats = true}};
}

void take_amendment(const Arguments& arguments, driver::Options& options) {
  options.amend = arguments.has("amend");
  for (const std::string& text : arguments.list("default")) {
    const std::size_t sign = text.find('=');
    if (sign == std::string::npos || sign == 0) {
      throw Error(ErrorKind::usage, fmt::format("--default '{}' is not NAME=VALUE", text),
                  "write --default momentum=0.9");
    }
    if (!options.amend) throw Error(ErrorKind::usage, "--default is for --amend", "leave it out, or add --amend");
    options.defaults[text.substr(0, sign)] = text.substr(sign + 1);
  }
}

std::vector<Option> running_options() {
  return {
      {.name = "workers",
       .value = "N",
       .text =
           "worker processes (default: one per core, at most search.lanes); a new study whose lanes are auto gets as "
           "many lanes, and from then on no result depends on it",
       .letter = 'w'},
      {.name = "listen",
       .value = "ADDRESS[:PORT]",
       .text = "let workers of other machines join: dlrun-worker --endpoint FILE; with --workers 0 only those"},
      {.name = "executor",
       .value = "NAME",
       .text = "where workers run: local, slurm or a plugin (default: as the study says)"},
      {.name = "dry-run", .text = "start nothing; with Slurm print the script that sbatch would get"},
      store_option(),
      format_option()};
}

void require_no_running(const Arguments& arguments, const std::string& beside) {
  if (!arguments.has(beside)) return;
  for (const char* option : {"workers", "listen", "executor", "dry-run", "format"}) {
    if (arguments.has(option))
      throw Error(ErrorKind::usage, fmt::format("--{} changes nothing: --{} runs no trial", option, beside),
                  "leave one of the two out");
  }
}

namespace {

int run_with(driver::Options options, const spec::StudySpec& spec, const Arguments& arguments, Console& console) {
  take_workers(arguments, options);
  driver::executor_plugin(spec, options);  // is there such an executor?
  options.take_over = arguments.has("take-over");
  if (arguments.has("dry-run")) return say_plan(spec, options, console);
  require_libtorch(spec, options);
  if (const Gpu gpu = find_gpu(); is_on_cpu(spec) && gpu.state == Gpu::State::present) {
    console.warn(fmt::format("a GPU is there ({}), but resources.device is cpu", gpu.detail));
  }
  const auto display = make_progress(console, expected_of(spec));
  driver::Summary summary;
  try {
    summary = driver::run_study(spec, options, *display);
  } catch (...) {
    display->finish();
    throw;
  }
  display->finish();
  return summary.finished || summary.out_of_time ? say_finished(spec, summary, arguments, console)
                                                 : say_interrupted(spec, summary, arguments, console);
}

driver::Options plain_options(const Arguments& arguments) {
  return {.store = arguments.store(), .command = arguments.line()};
}

}  // namespace

void check_running_options(const spec::StudySpec& spec, const Arguments& arguments) {
  driver::Options options = plain_options(arguments);
  take_workers(arguments, options);
  driver::executor_plugin(spec, options);  // is there such an executor?
  require_libtorch(spec, options);
}

int run_study(const spec::StudySpec& spec, const Arguments& arguments, Console& console) {
  driver::Options options = plain_options(arguments);
  take_amendment(arguments, options);
  return run_with(std::move(options), spec, arguments, console);
}

int run_following(const spec::StudySpec& spec, const Arguments& arguments, Console& console) {
  return run_with(plain_options(arguments), spec, arguments, console);
}

}  // namespace dlrun::cli
