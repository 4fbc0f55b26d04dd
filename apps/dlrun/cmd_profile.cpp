// SPDX-License-Identifier: Apache-2.0
// dlrun profile STUDY.yaml: where the time and the memory of a training step go, layer by layer.
#include <cmath>

#include <fmt/format.h>

#include "driver/profile.hpp"
#include "study_source.hpp"
#include "util/units.hpp"
#include "verbs.hpp"

namespace dlrun::cli {

namespace {

constexpr double kMilli = 1e3;

/// Milliseconds to four digits behind the point.
Json milliseconds(double seconds) { return double(std::llround(seconds * kMilli * 1e4)) / 1e4; }

/// Share of the whole step, in per cent, one digit behind the point.
Json share(double seconds, double step) {
  return step > 0 ? Json(double(std::llround(1000 * seconds / step)) / 10) : Json();
}

/// Layers by name, then what a step does outside of them.
report::Table layer_table(const trial::ModelProfile& p) {
  report::Table table{.title = fmt::format("a step of {} examples by layer", p.batch),
                      .columns = {"layer", "op", "forward_ms", "backward_ms", "share_%", "parameters",
                                  "activation_bytes", "operations"}};
  for (const trial::LayerProfile& l : p.layers) {
    table.rows.push_back({l.name, l.op, milliseconds(l.forward), milliseconds(l.backward),
                          share(l.forward + l.backward, p.step), l.parameters, l.activation, l.operations});
  }
  return table;
}

/// The parts of a step, one after another; forward and backward hold the layers and the wiring between them.
report::Table phase_table(const trial::ModelProfile& p) {
  report::Table table{.title = fmt::format("a step, median of {}", p.steps), .columns = {"part", "ms", "share_%"}};
  for (const trial::PhaseProfile& phase : p.phases) {
    table.rows.push_back({phase.name, milliseconds(phase.seconds), share(phase.seconds, p.step)});
  }
  table.rows.push_back({"step", milliseconds(p.step), 100.0});
  return table;
}

report::Table whole_table(const trial::ModelProfile& p) {
  std::int64_t parameters = 0, activation = 0, operations = 0;
  for (const trial::LayerProfile& l : p.layers) {
    parameters += l.parameters;
    activation += l.activation;
    operations += l.operations;
  }
  report::Table table{.title = "the whole", .columns = {"what", "value"}};
  table.rows.push_back({"samples_per_second", p.step > 0 ? std::llround(double(p.batch) / p.step) : 0});
  table.rows.push_back({"parameters", parameters});
  table.rows.push_back({"activation_bytes", activation});
  table.rows.push_back({"operations", operations});
  table.rows.push_back({"peak_memory", bytes_text(double(p.peak_rss))});
  table.rows.push_back({"device", p.runtime.device});
  table.rows.push_back({"numerics", p.runtime.numerics});
  return table;
}

int run_profile(const Arguments& arguments, Console& console) {
  std::vector<std::string> sets;
  if (arguments.has("batch")) sets.push_back(fmt::format("batch_size={}", arguments.number("batch", 32, 1)));
  const spec::StudySpec spec = read_study(arguments.words()[0], arguments, console, sets);
  const trial::ProfileOptions fallback;
  const trial::ProfileOptions profile_options{arguments.number("steps", fallback.steps, 1), fallback.warmup};
  const trial::ModelProfile profile = driver::profile(spec, profile_options);
  console.print({layer_table(profile), phase_table(profile), whole_table(profile)});
  return 0;
}

std::vector<Option> profile_options() {
  std::vector<Option> all = study_options();
  std::erase_if(all, [](const Option& option) { return option.name == "name"; });  // no study is kept
  all.push_back(
      {.name = "batch", .value = "N", .text = "examples in a step (default: the study's batch_size)", .letter = 'b'});
  all.push_back(
      {.name = "steps", .value = "N", .text = "steps to measure (default: 30), after 10 to warm up", .letter = 'n'});
  all.push_back(format_option());
  return all;
}

}  // namespace

Verb profile_verb() {
  return {.name = "profile",
          .summary = "time a trial's training step, layer by layer",
          .text =
              "Trains the study's base trial for some steps in a process of its own and prints the medians: forward "
              "and backward of every layer, its parameters, the bytes of its output and its multiply-adds; then the "
              "parts of a step, speed and memory. Nothing is written; --set changes what is profiled.",
          .arguments = {{.name = "STUDY.yaml", .text = "the study file", .kind = Kind::file}},
          .options = profile_options(),
          .examples = {{"dlrun profile study.yaml", "where the time goes"},
                       {"dlrun profile study.yaml --batch 256 --format csv", "another batch size, for a script"}},
          .run = run_profile};
}

}  // namespace dlrun::cli
