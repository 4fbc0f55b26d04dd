// SPDX-License-Identifier: Apache-2.0
// dlrun check STUDY.yaml: every fault of the file, or the plan. Touches nothing.
#include <fmt/format.h>

#include "build_check.hpp"
#include "driver/learning.hpp"
#include "plan/ablation_plan.hpp"
#include "plan/plan.hpp"
#include "spec/lanes.hpp"
#include "study_source.hpp"
#include "util/error.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

/// One line for each earlier study.
std::vector<std::string> lessons_of(const spec::StudySpec& spec, const Arguments& arguments, Console& console) {
  if (spec.learn_from.empty()) return {};
  const driver::Lessons lessons = driver::learn(spec, arguments.store());
  for (const std::string& warning : lessons.warnings) console.warn(warning);
  std::vector<std::string> lines;
  for (const study::Learned& learned : lessons.studies) lines.push_back(driver::describe(learned));
  return lines;
}

std::vector<Option> check_options() {
  std::vector<Option> all = study_options();
  all.push_back({.name = "workers",
                 .value = "N",
                 .text = "the plan with so many; warn where they would stand idle",
                 .letter = 'w'});
  all.push_back({.name = "build", .text = "make every variant once, and train it for a step of two examples"});
  all.push_back({.name = "show-defaults", .text = "print every key with its default, as commented YAML"});
  all.push_back(store_option());
  all.push_back(format_option());
  return all;
}

/// The defaults are of no study.
void require_alone(const Arguments& arguments) {
  std::vector<std::string> others = arguments.words();
  for (const Option& option : check_options()) {
    const bool is_other = option.name != "show-defaults" && option.name != "store" && option.name != "format";
    if (is_other && arguments.has(option.name)) others.push_back("--" + option.name);
  }
  if (others.empty()) return;
  throw Error(ErrorKind::usage,
              fmt::format("--show-defaults prints the keys of any study; '{}' changes nothing", others[0]),
              "leave one of the two out");
}

/// The study as it would be created with so many workers; 0: nobody knows.
spec::StudySpec for_workers(const spec::StudySpec& file, int workers) {
  if (workers == 0 || !spec::has_auto_lanes(file.json)) return file;
  return spec::with_lanes(file, spec::lanes_for(workers, file));
}

int run_check(const Arguments& arguments, Console& console) {
  if (arguments.has("show-defaults")) {
    require_alone(arguments);
    console.data(spec::show_defaults());
    return 0;
  }
  if (arguments.words().empty()) {
    throw Error(ErrorKind::usage, "'check' needs STUDY.yaml", "usage: dlrun check STUDY.yaml [options]");
  }
  const std::int64_t workers = arguments.number("workers", 0, 1);
  const spec::StudySpec spec = for_workers(read_any_study(arguments, console), int(workers));
  if (workers > spec.rules.lanes) {
    console.warn(
        fmt::format("{} workers but {} lanes: {} of them will stand idle; search.lanes is part of the study, "
                    "raise it before it starts",
                    workers, spec.rules.lanes, workers - spec.rules.lanes));
  }
  std::vector<report::Table> tables =
      spec.ablation ? plan::ablation_tables(spec)
                    : plan::plan_tables(spec, {.lessons = lessons_of(spec, arguments, console),
                                               .program_bytes = report::peak_memory(arguments.store(), spec.name)});
  BuildCheck built;
  if (arguments.has("build")) tables.push_back((built = check_build(spec)).table);
  console.print(tables);
  return built.is_fine ? 0 : int(ErrorKind::usage);
}

}  // namespace

Verb check_verb() {
  return {
      .name = "check",
      .summary = "find the faults of a study, or print its plan",
      .text =
          "Says every fault with file, line, column and what would be right. A study without faults gets its "
          "plan: trials, the model layer by layer, expected work and disk; of an ablation every variant. Nothing is "
          "written, and but for --build, which makes each in a worker process, nothing is started.",
      .arguments = {{.name = "STUDY.yaml", .text = "the study file", .kind = Kind::file, .least = 0},
                    {.name = "ABLATION.yaml", .text = "laid over it: its `ablation:`", .kind = Kind::file, .least = 0}},
      .options = check_options(),
      .examples = {{"dlrun check study.yaml", "before it runs"},
                   {"dlrun check study.yaml ablation.yaml --build", "whether every variant can be trained"},
                   {"dlrun check --show-defaults", "all keys with their defaults"}},
      .run = run_check};
}

}  // namespace dlrun::cli
