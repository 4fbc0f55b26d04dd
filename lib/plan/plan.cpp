// SPDX-License-Identifier: Apache-2.0
#include "plan/plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "dataset/batch_section.hpp"
#include "plan/ablation_plan.hpp"
#include "plan/device_plan.hpp"
#include "plan/gang_plan.hpp"
#include "plan/program_plan.hpp"
#include "plan/stage_plan.hpp"
#include "pruners/pruner.hpp"
#include "recipe/optimizer.hpp"
#include "recipe/outputs.hpp"
#include "recipe/training.hpp"
#include "space/feasible_draw.hpp"
#include "space/feasible_points.hpp"
#include "spec/lanes.hpp"
#include "trial/kinds.hpp"
#include "util/units.hpp"
#include "warmstart/race.hpp"

namespace dlrun::plan {

namespace {

/// Bytes of a checkpoint: float32 weights, and as much again for each value the optimiser keeps of them; of a gang, the
/// same of every node.
double checkpoint_bytes(const spec::StudySpec& spec) {
  if (!spec.base_model) return 0;
  const int slots = recipe::slots_of(recipe::read_optimizer(spec.json.at("trial")));
  return 4.0 * double(spec.base_model->parameters()) * (1 + slots) + gang_bytes(spec);
}

/// Pieces that a member of a trial is trained in, each of which leaves a checkpoint: the mean of all trials, where the
/// pruner plans for one, and the most.
struct Pieces {
  double mean = 1;
  double most = 1;
};

Pieces pieces_of(const spec::StudySpec& spec) {
  if (pruners::is_none(spec.pruner.kind)) return {};
  const auto pruner = pruners::make_pruner(spec.pruner);
  const std::vector<double> shares = pruner->shares();
  const double most = std::max(1.0, double(pruner->rungs().size()));
  return {shares.empty() ? most : std::accumulate(shares.begin(), shares.end(), 0.0), most};
}

/// Checkpoints that stay at each member of the trials, at most: of the best trials all, of others the newest ones and
/// with `rungs` those of each piece, and those of the epochs that are named.
double kept_checkpoints(const spec::StudySpec& spec, double trials) {
  const Pieces pieces = pieces_of(spec);
  const double best_epochs = spec.rules.objective.at_best ? pieces.most : 0, all = trials * pieces.mean;
  const double each = trials * double(spec.keep.epochs.size());
  if (spec.keep.all) return all + trials * best_epochs + each;
  const double whole = std::min(trials, double(spec.keep.best));
  const double of_others = spec.keep.rungs ? all : std::min(all, trials * double(spec.keep.last));
  return whole * (best_epochs + (spec.keep.rungs ? 0 : pieces.most)) + of_others + each;
}

/// Upper end: the checkpoints of every member that are kept, and rows.
double disk_bytes(const spec::StudySpec& spec, const Work& work) {
  constexpr double kRow = 100;  // bytes of one metric of one epoch, with its index
  constexpr double kMetrics = 4;
  const double trials = work.trials_of_epochs.value_or(double(work.trials.value_or(0)));
  const double checkpoints = kept_checkpoints(spec, trials) * double(spec.rules.members.count());
  return checkpoints * checkpoint_bytes(spec) + work.epochs * kMetrics * kRow + trials * 2000;
}

std::string shape_text(const std::vector<std::int64_t>& shape) { return fmt::format("{}", fmt::join(shape, " x ")); }

std::string space_text(const spec::StudySpec& spec) {
  const auto points = spec.space.cardinality();
  return fmt::format("{} parameter{}, {}", spec.space.size(), spec.space.size() == 1 ? "" : "s",
                     points ? grouped(double(*points)) + (*points == 1 ? " point" : " points") : "continuous");
}

/// Feasible part of the points, or of the box by draws.
std::string feasible_text(const space::Space& space) {
  const space::FeasiblePoints points(space);
  if (points.size() && points.all()) {
    return fmt::format("{} of {} points", grouped(double(*points.size())), grouped(double(*points.all())));
  }
  constexpr int kDraws = 100'000;
  RandomStream random(0, {"check", "feasible"});
  int allowed = 0;
  for (int i = 0; i < kDraws; ++i) allowed += space.satisfies(space::uniform_point(space, random)) ? 1 : 0;
  if (allowed == 0) return "less than 0.003 % of the space";
  return fmt::format("about {:.2g} % of the space", 100.0 * allowed / kDraws);
}

std::string rungs_text(const std::vector<std::int64_t>& rungs) {
  constexpr std::size_t kMost = 8;
  if (rungs.size() <= kMost) return fmt::format("{}", fmt::join(rungs, ", "));
  return fmt::format("{}, …, {}", fmt::join(rungs.begin(), rungs.begin() + 3, ", "), rungs.back());
}

std::string search_text(const spec::StudySpec& spec) {
  std::string text = fmt::format("{} sampler", spec.sampler);
  if (!pruners::is_none(spec.pruner.kind)) {
    const std::vector<std::int64_t> rungs = pruners::make_pruner(spec.pruner)->rungs();
    text += fmt::format(", {} pruner", pruners::name_of(spec.pruner.kind));
    if (!rungs.empty()) text += fmt::format(" with rungs at epochs {};", rungs_text(rungs));
  }
  text += text.back() == ';' ? " " : ", ";
  if (spec::has_auto_lanes(spec.json)) return text + "as many lanes as workers";
  return text + fmt::format("{} lane{}", spec.rules.lanes, spec.rules.lanes == 1 ? "" : "s");
}

std::string members_text(const trial::Members& members) {
  std::string text;
  if (members.replicates > 1) text = fmt::format("{} replicates", members.replicates);
  if (members.folds > 1) text += fmt::format("{}{} folds", text.empty() ? "" : " of ", members.folds);
  return text.empty() ? "" : " of " + text;
}

std::string trials_text(const spec::StudySpec& spec, const Work& work) {
  const std::string members = members_text(spec.rules.members);
  if (!work.trials) return "until another limit, or `dlrun stop`" + (members.empty() ? "" : "; each" + members);
  if (work.trials_of_epochs)
    return fmt::format("about {}{}, then limits.epochs ends the search", grouped(*work.trials_of_epochs), members);
  return grouped(double(*work.trials)) + members;
}

std::string epochs_text(const spec::StudySpec& spec, const Work& work) {
  if (!work.trials) return fmt::format("at most {} a trial", spec.rules.epochs);
  if (work.epochs == work.most_epochs) {
    const bool is_exact = pruners::is_none(spec.pruner.kind) && !work.trials_of_epochs;
    return (is_exact ? "" : "at most ") + grouped(work.epochs);
  }
  return fmt::format("about {} (without the pruner: {})", grouped(work.epochs), grouped(work.most_epochs));
}

std::string inputs_text(const dataset::Schema& data) {
  std::vector<std::string> texts;
  for (const dataset::Input& input : data.inputs) {
    const std::string name = data.inputs.size() > 1 ? input.name + " " : "";
    const std::string kind =
        input.is_index() ? fmt::format(" indices below {}", grouped(double(input.vocabulary))) : "";
    texts.push_back(fmt::format("{}{}{}", name, shape_text(input.shape), kind));
  }
  return fmt::format("{}", fmt::join(texts, " and "));
}

std::string target_text(std::int64_t classes, std::int64_t values) {
  return classes > 0 ? fmt::format("{} classes", classes)
                     : fmt::format("regression, {} value{}", values, values == 1 ? "" : "s");
}

std::string data_text(const dataset::Schema& data) {
  std::vector<std::string> kinds;
  for (const dataset::Target& target : data.several)
    kinds.push_back(fmt::format("{}: {}", target.name, target_text(target.classes, target.width)));
  if (kinds.empty()) kinds.push_back(target_text(data.classes, data.targets));
  const std::string kind = fmt::format("{}", fmt::join(kinds, "; "));
  return fmt::format("{} + {} + {} examples (train, val, test) of {}, {}", grouped(double(data.train)),
                     grouped(double(data.val)), grouped(double(data.test)), inputs_text(data), kind);
}

std::string race_text(const spec::StudySpec& spec) {
  const spec::Winner& winner = *spec.winner;
  const int most = winner.candidates * winner.seeds;
  return fmt::format("then the best {} trials run again, at most {} runs of {} epochs; see docs/winner.md",
                     winner.candidates, std::min(most, winner.budget.value_or(most)), spec.rules.epochs);
}

/// The race for the start of the final training; empty: there is none.
std::string warm_race_text(const spec::StudySpec& spec) {
  const Json final = spec.json.value("final", Json());
  const auto race = final.is_object() ? warmstart::race_of(final.value("warm_start", Json())) : std::nullopt;
  if (!race || final.value("of", Json()).is_string()) return {};
  const Json asked = final.value("epochs", Json()), horizon = spec.json.at("trial").value("horizon", Json());
  const auto whole = asked.is_number()     ? asked.get<std::int64_t>()
                     : horizon.is_number() ? horizon.get<std::int64_t>()
                                           : spec.rules.epochs;
  const std::size_t usual = trial::runs_program(spec.kind) ? 2 : warmstart::kMostArms;
  const auto arms = std::int64_t(race->arms.empty() ? usual : race->arms.size());
  const std::int64_t each = race->arm_epochs(whole);
  return fmt::format(
      "then a race of {} starts, {} seeds of {} epochs each: at most {} epochs; its winner trains {}; "
      "see docs/warm-start.md",
      arms, race->seeds, each, arms * race->seeds * each, whole);
}

std::string objective_text(const study::Objective& objective) {
  return fmt::format("{} {}{}", objective.maximize ? "maximize" : "minimize", objective.metric,
                     objective.at_best ? " of the best epoch" : " of the last epoch");
}

/// Without the batch that `data.drop_last` leaves out.
double examples_of_epoch(const spec::StudySpec& spec) {
  const Json& trial = spec.json.at("trial");
  const std::int64_t examples = dataset::examples_of_epoch(trial.at("data"), *spec.data, spec.json.at("seed"));
  if (!trial.at("data").value("drop_last", false)) return double(examples);
  const std::int64_t size = recipe::read_training(trial, spec.data->val > 0).batch_size;
  return double(std::min(examples, size * dataset::batches_of(examples, size, true)));
}

report::Table plan_table(const spec::StudySpec& spec, const Known& known, const std::string& shared,
                         const std::optional<GangPlan>& gang) {
  const Work work = expected_work(spec);
  report::Table table{.title = "plan of " + spec.name, .columns = {"what", "value"}};
  const auto add = [&](const char* what, std::string value) { table.rows.push_back({what, std::move(value)}); };
  add("trial", spec.kind);
  add("objective", objective_text(spec.rules.objective));
  for (const study::Objective& objective : spec.rules.further) add("and", objective_text(objective));
  for (const study::Bound& bound : spec.rules.bounds) {
    add("feasible", fmt::format("{} {} {}", bound.metric, bound.is_upper ? "<=" : ">=", bound.limit));
  }
  add("space", space_text(spec));
  const std::size_t constraints = spec.space.constraints().size();
  if (constraints > 0) {
    add("constraints", fmt::format("{}, which leave {}", constraints, feasible_text(spec.space)));
  }
  add("search", search_text(spec));
  for (const std::string& lesson : known.lessons) add("learns from", lesson);
  add("trials", trials_text(spec, work));
  add("epochs", epochs_text(spec, work));
  if (spec.winner && !spec.winner->of) add("winner", race_text(spec));
  if (const std::string race = warm_race_text(spec); !race.empty()) add("final", race);
  if (gang) add("gang", gang->summary);
  if (const auto devices = device_plan(spec)) add("devices", *devices);
  if (const auto programs = program_plan(spec, work, known)) add("programs", *programs);
  if (!shared.empty()) add("shared", shared);
  if (spec.data) {
    add("data", data_text(*spec.data));
    if (work.trials) add("examples trained on", grouped(work.epochs * examples_of_epoch(spec)));
  }
  if (spec.base_model) {
    add("model",
        fmt::format("{} parameters, {} multiply-adds an example", grouped(double(spec.base_model->parameters())),
                    grouped(double(spec.base_model->operations()))));
  }
  const bool says_epochs = !spec.keep.epochs.empty() || spec.json.value("final", Json()).is_object();
  if (spec.kind == "train" && says_epochs) add("kept checkpoints", kept_text(spec));
  if (work.trials) add("disk", "about " + bytes_text(disk_bytes(spec, work)));
  return table;
}

std::int64_t parameters_of(const model::Node& node) {
  std::int64_t total = 0;
  for (const model::Tensor& tensor : node.tensors) {
    std::int64_t numbers = 1;
    for (const std::int64_t size : tensor.shape) numbers *= size;
    if (tensor.trainable) total += numbers;
  }
  return total;
}

report::Table model_table(const model::Graph& graph) {
  report::Table table{.title = "model", .columns = {"layer", "op", "in", "out", "parameters"}};
  for (const model::Node& node : graph.nodes) {
    std::vector<std::string> inputs;
    for (const model::Shape& shape : node.in) inputs.push_back(shape_text(shape));
    table.rows.push_back(
        {node.name, node.op, fmt::format("{}", fmt::join(inputs, ", ")), shape_text(node.out), parameters_of(node)});
  }
  return table;
}

/// Epochs of a trial that nothing stops early, of all members; of an ablation the mean of its variants.
double epochs_each(const spec::StudySpec& spec) {
  if (spec.ablation) return replicate_epochs(spec) / double(spec.ablation->variants.size());
  return double(spec.rules.epochs) * double(spec.rules.members.count());
}

/// Epochs of so many trials by a pruner that plans shares, one member each.
double epochs_of(const pruners::Pruner& pruner, double trials) {
  const std::vector<double> shares = pruner.shares(), first = pruner.first_shares();
  const std::vector<std::int64_t> rungs = pruner.rungs();
  const auto whole = [&](double share) { return std::floor(trials * share + 1e-9); };
  double epochs = 0;
  for (std::size_t k = 0; k < rungs.size(); ++k) {
    const std::int64_t from = k == 0 ? 0 : rungs[k - 1];
    epochs += whole(shares[k]) * double(rungs[k] - from);
    if (!first.empty()) epochs += whole(first[k]) * double(from);  // a trial that begins here skips the rungs below
  }
  return epochs;
}

/// Work of a search that nothing but its trials ends.
Work work_of_trials(const spec::StudySpec& spec) {
  Work work{.trials = spec.rules.limits.trials};
  const auto points = spec.space.cardinality();
  if (points && (!work.trials || *points < *work.trials)) work.trials = points;
  const double trials = double(work.trials.value_or(0));
  const double members = double(spec.rules.members.count());
  work.most_epochs = trials * epochs_each(spec);
  work.epochs = work.most_epochs;
  const auto pruner = pruners::make_pruner(spec.pruner);
  if (pruner->shares().empty()) return work;
  work.epochs = epochs_of(*pruner, trials) * members;
  return work;
}

}  // namespace

Work expected_work(const spec::StudySpec& spec) {
  Work work = work_of_trials(spec);
  if (!work.trials || !spec.rules.limits.epochs) return work;
  const double most = double(*spec.rules.limits.epochs);
  if (work.epochs > most) {
    work.trials_of_epochs = std::floor(double(*work.trials) * most / work.epochs);
    work.epochs = most;
  }
  work.most_epochs = std::min(work.most_epochs, most);
  return work;
}

namespace {

/// Outputs of a model that names them, with losses and metrics.
report::Table outputs_table(const spec::StudySpec& spec) {
  report::Table table{.title = "outputs", .columns = {"output", "layer", "target", "loss", "weight", "metrics"}};
  const std::vector<recipe::OutputSection> sections = recipe::outputs_of(spec.json.at("trial"));
  for (std::size_t i = 0; i < sections.size(); ++i) {
    const recipe::OutputSection& section = sections[i];
    std::vector<std::string> metrics;
    for (const Json& name : section.metrics) metrics.push_back(name.get<std::string>());
    const std::string measured = section.is_auxiliary ? "auxiliary" : fmt::format("{}", fmt::join(metrics, ", "));
    table.rows.push_back({section.name, spec.base_model->outputs[i].node,
                          spec.data->several.empty() ? "" : section.target, section.loss.value("op", ""),
                          section.loss.value("weight", 1.0), measured});
  }
  return table;
}

}  // namespace

std::vector<report::Table> plan_tables(const spec::StudySpec& spec, const Known& known) {
  const std::optional<StagePlan> stages = stage_plan(spec);
  const std::optional<GangPlan> gang = gang_plan(spec);
  std::vector<report::Table> tables = {plan_table(spec, known, stages ? stages->summary : "", gang)};
  if (gang) tables.push_back(gang->memory);
  if (stages) tables.push_back(stages->tree);
  if (spec.base_model) tables.push_back(model_table(*spec.base_model));
  if (spec.base_model && recipe::has_outputs(spec.json.at("trial"))) tables.push_back(outputs_table(spec));
  return tables;
}

}  // namespace dlrun::plan
