// SPDX-License-Identifier: Apache-2.0
#include "ablation/section_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ablation/analysis.hpp"
#include "ablation/cells.hpp"
#include "ablation/claims.hpp"
#include "ablation/component_checks.hpp"
#include "ablation/plan_json.hpp"
#include "ablation/plan_maker.hpp"
#include "ablation/race.hpp"
#include "ablation/stopping.hpp"
#include "ablation/trial_difference.hpp"
#include "document/reader.hpp"
#include "recipe/metric_direction.hpp"
#include "recipe/metric_kinds.hpp"
#include "trial/runner.hpp"

namespace dlrun::ablation {

namespace {

/// Value of a key; nullptr if there is none, or null.
const Node* written_at(const Node& section, const char* key) {
  const Node* value = section.find(key);
  return value == nullptr || value->is_null() ? nullptr : value;
}

class SectionReader {
 public:
  SectionReader(Json& study, const Node& root, const Settings& settings, const Checker& checker, Faults& faults)
      : study_(study), base_(root), settings_(settings), checker_(checker), faults_(faults) {}

  void read(Node written) {
    faults_.wrote("ablation", {written.span, written.span});
    Faults folding;
    const Json constants = fold_constants(study_, base_, checker_, folding);
    for (const document::Diagnostic& fault : folding.list.list()) faults_.list.add(fault);
    if (folding.list.has_errors() || !add_differences(written)) return;
    Json json = document::read(&written, ablation_key(), "ablation", faults_);
    if (!json.is_object() || !check_components(json["components"])) return;
    take_section(written, json);
    const auto model = declared_model(study_);
    const std::vector<Unit> units = units_of(json["components"], study_["trial"], model, checker_, faults_);
    const std::optional<Plan> plan = planned_of(units, model);
    if (plan) fill_in(*plan, constants, units);
  }

 private:
  /// The components of a path from another configuration are the places in which it differs.
  bool add_differences(Node& written) {
    const Node *design = written.find("design"), *path = written.find("path");
    const bool is_path = design != nullptr && design->text == "path" && path != nullptr && path->is_map();
    const Node* from = is_path ? written_at(*path, "from") : nullptr;
    if (from == nullptr) return true;
    if (const Node* components = written_at(written, "components")) {
      faults_.list.error(components->span, "what a path from a file changes is where the two differ",
                         "remove the components, or `from`, whose end they would say");
      return false;
    }
    const Json start = checker_.trial_of(*from, faults_);
    if (start.is_null()) return false;
    Json components = Json::array();
    for (const auto& [place, value] : differences(start, study_["trial"]))
      components.push_back({{"id", place}, {"set", {{place, value}}}});
    if (components.empty()) {
      faults_.list.error(from->span, fmt::format("E230: {} is the same configuration", document::quote(from->text)));
      return false;
    }
    written.entries.push_back({"components", from->span, node_at(components, from->span)});
    return true;
  }

  bool check_components(const Json& components) {
    if (components.is_array() && !components.empty()) return true;
    if (!faults_.is_bad("ablation.components"))
      faults_.at_key("ablation.components", "an ablation needs components, a list of what can be left out",
                     "components: [{id: bn, drop: {kind: batchnorm}, as: group}]");
    return false;
  }

  /// Every default is filled in, but for the numbers that looks decide.
  void take_section(const Node& written, Json json) {
    has_looks_ = json["replicates"] == "auto" || written_at(written, "stopping") != nullptr;
    if (!asks_to_retune(written)) json.erase("retune");
    if (!has_looks_) json.erase("stopping");
    section_ = section_of(json);
    if (has_looks_ && !section_.stopping) section_.stopping.emplace();
    check_replicates();
    check_metric();
  }

  void check_replicates() {
    Replicates& replicates = section_.replicates;
    if (faults_.is_bad("ablation.replicates")) return;
    if (study_["trial"].value("replicates", 1) > 1)
      faults_.at_key("trial.replicates", "the ablation repeats every variant itself: replicates are given there",
                     "write ablation: {replicates: {n: …}} instead");
    if (replicates.vary && replicates.vary->empty()) replicates.vary.reset();  // an empty list says nothing
    if (replicates.seeds && replicates.seeds->empty()) replicates.seeds.reset();
    if (replicates.seeds) check_seeds(*replicates.seeds);
  }

  void check_seeds(const std::vector<std::int64_t>& seeds) {
    std::vector<std::int64_t> sorted = seeds;
    std::sort(sorted.begin(), sorted.end());
    if (std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end())
      faults_.at("ablation.replicates.seeds", "a seed is named twice", "name each once");
    int& n = section_.replicates.n;
    if (faults_.was_written("ablation.replicates.n") && n != int(seeds.size()))
      faults_.clash("ablation.replicates.n", fmt::format("n is {}, but there are {} seeds", n, seeds.size()),
                    "ablation.replicates.seeds", "the seeds", "leave n out");
    n = int(seeds.size());
  }

  void check_metric() {
    std::string& metric = section_.analysis.metric;
    if (metric.empty()) metric = objective_metric(study_);
    const Names known = checker_.metrics_of(study_);
    if (known.empty() || std::find(known.begin(), known.end(), metric) != known.end()) return check_direction();
    faults_.at("ablation.analysis.metric", "trials do not report " + document::quote(metric),
               suggest(metric, known, "they report"));
  }

  /// Verdicts need to know which way is better.
  void check_direction() {
    const std::string& metric = section_.analysis.metric;
    if (metric == objective_metric(study_) || !objective_direction(study_, metric).empty()) return;
    if (!recipe::direction_of(metric).empty()) return;
    faults_.at("ablation.analysis.metric", document::quote(metric) + " does not tell whether more of it is better",
               "analyse an objective of the study, which has a direction; `objective` may list it too");
  }

  /// All checks that need the components; nullopt after a fault.
  std::optional<Plan> planned_of(const std::vector<Unit>& units, const std::optional<model::Declared>& model) {
    check_kinds(units, study_["trial"]["kind"], faults_);
    check_loss(units, section_.analysis.metric, study_["trial"], faults_);
    const DesignPlan design = planned(section_, units, model, faults_);
    const std::size_t components = section_.has_named_variants() ? design.variants.size() : units.size();
    const bool is_known = !has_looks_ || settle_looks(section_, objective_metric(study_), components, faults_);
    if (section_.is_race()) check_race(section_, objective_metric(study_), units.size() + 1, faults_);
    if (is_known && !section_.is_race()) check_size(components);
    check_rounds(design);
    check_splits();
    if (!faults_.list.has_errors()) settle_claim(section_, units, study_);
    check_claims(section_, units, study_, faults_);
    const int folds = settle_folds(section_, units, study_, checker_, faults_);
    if (folds > 0) take_folds(folds);
    check_start(design);
    check_retune(section_, settings_, design, checker_, faults_);
    const Baseline baseline{study_, base_, checker_, section_.starts_from_baseline()};
    Plan plan = PlanMaker(section_, units, design, baseline, faults_).plan();
    plan.folds = folds;
    return faults_.list.has_errors() ? std::nullopt : std::optional(std::move(plan));
  }

  /// A plan that cannot call any effect one is refused before it costs anything.
  void check_size(std::size_t components) {
    for (const char* part : {"replicates.n", "analysis.alpha", "analysis.test", "analysis.correction"}) {
      if (faults_.is_bad(join("ablation", part))) return;
    }
    const Design design = design_of(section_, components);
    const int least = least_replicates(design);
    if (design.replicates >= least) return;
    faults_.at(faults_.was_written("ablation.replicates.seeds") ? "ablation.replicates.seeds" : "ablation.replicates.n",
               fmt::format("E251: {} replicate{} cannot tell any effect of {} component{} from luck, by {} at {:g}",
                           design.replicates, design.replicates == 1 ? "" : "s", components, components == 1 ? "" : "s",
                           design.test, design.alpha),
               fmt::format("it takes at least {}", least));
  }

  /// A round measures the objective while the study runs.
  void check_rounds(const DesignPlan& design) {
    const std::string objective = objective_metric(study_);
    if (!design.has_rounds() || section_.analysis.metric == objective) return;
    faults_.at("ablation.analysis.metric",
               fmt::format("rounds judge by the objective, which is {}", document::quote(objective)),
               "make it the study's objective");
  }

  /// Every replicate's split can be drawn, and leaves the model's inputs as they are.
  void check_splits() {
    if (!section_.has_own_splits() || faults_.list.has_errors()) return;
    if (study_["trial"]["kind"] != "train")
      return faults_.at("ablation.replicates.vary", "only trials that train have a split", "remove it");
    std::vector<std::int64_t> numbers = section_.replicates.numbers();
    for (std::int64_t k = 0; section_.retune && k < section_.tunings(); ++k) numbers.push_back(kFirstTuning - k);
    for (const std::int64_t number : numbers) {
      if (!check_split(number)) return;
    }
  }

  bool check_split(std::int64_t number) {
    const std::uint64_t seed = study_["seed"].get<std::uint64_t>();
    const Json sets{{"data.split.seed", seed + std::uint64_t(number)}};
    try {
      const Json data = trial::configured(study_["trial"], sets)["data"];
      if (checker_.inputs_of(data, seed) == study_["derived"]["data"]["inputs"]) return true;
      faults_.at("ablation.replicates.vary",
                 fmt::format("the split of replicate {} gives the model other inputs", number),
                 "a category that some training split lacks is no column there");
    } catch (const Error& fault) {
      faults_.at("ablation.replicates.vary",
                 fmt::format("no split of its own for replicate {}: {}", number, fault.what()), fault.hint());
    }
    return false;
  }

  /// The study of the trial in folds, of which the baseline is judged on the first.
  void take_folds(int folds) {
    const document::Span place = faults_.key_of("ablation");
    base_ = with_split(base_, in_folds(study_, folds), checker_, place);
    Faults own;
    Json study = checker_.check(base_, own);
    if (const document::Diagnostic* fault = first_fault(own))
      return faults_.at("ablation.analysis.claims", fmt::format("in {} folds: {}", folds, fault->message), fault->help);
    study_ = std::move(study);
  }

  void check_start(const DesignPlan& design) {
    if (!section_.starts_from_baseline()) return section_.start_from.reset();
    if (design.has_rounds())
      faults_.at("ablation.start_from", "a design in rounds has no one baseline to begin from", "remove it");
    if (study_["trial"]["kind"] != "train")
      faults_.at("ablation.start_from", "only trials that train have weights to begin with", "remove it");
    if (study_["trial"].contains("init"))
      faults_.warn("ablation.start_from",
                   "variants begin with the baseline's final weights, not with those of trial.init");
  }

  /// Settings that a variant does not tune.
  void hold_settings(Plan& plan, const std::vector<Unit>& units, const Json& constants) {
    const Baseline baseline{study_, base_, checker_};
    const SettingHolder holder(settings_, baseline, constants);
    for (Variant& variant : plan.variants) {
      std::vector<const Unit*> off;
      for (const Unit& unit : units) {
        const Names& ids = variant.components;
        if (std::find(ids.begin(), ids.end(), unit.id) != ids.end()) off.push_back(&unit);
      }
      if (off.empty()) continue;
      variant.held = holder.held(trial::configured(study_["trial"], variant.edits), off);
      for (const auto& [name, why] : variant.held)
        variant.notes.push_back(fmt::format("W311: '{}' is not tuned: {}", name, why));
    }
  }

  /// Shares of a baseline that predicts one class, if right answers are compared.
  std::map<std::string, double> majority() {
    if (study_["trial"]["kind"] != "train" || !section_.analysis.metric.ends_with(".accuracy")) return {};
    try {
      return checker_.majority_shares(study_);
    } catch (const Error& fault) {
      faults_.at("trial.data", fault.what(), fault.hint());
      return {};
    }
  }

  void fill_in(Plan plan, const Json& constants, const std::vector<Unit>& units) {
    if (section_.retune) hold_settings(plan, units, constants);
    plan.majority = majority();
    plan.maximizes_plugin = recipe::is_maximized_by_plugin(section_.analysis.metric);
    plan.has_own_seeds = section_.tunings() > 1 && section_.retune->sampler != "random";
    study_["space"] = cell_space(plan, constants, settings_.parameters);
    if (section_.retune && !settings_.constraints.is_null()) study_["constraints"] = settings_.constraints;
    study_["search"]["sampler"] = "grid";
    study_["search"]["lanes"] = lanes_of(plan);
    study_["limits"]["trials"] = nullptr;
    write_plan(plan, study_);
  }

  Json& study_;
  Node base_;  ///< the document, with its constants once they are read
  const Settings& settings_;
  const Checker& checker_;
  Faults& faults_;
  Section section_;
  bool has_looks_ = false;
};

}  // namespace

bool asks_to_retune(const Node& section) { return written_at(section, "retune") != nullptr; }

void add_ablation(Json& study, const Node& root, const Node& section, const Settings& settings, const Checker& checker,
                  Faults& faults) {
  SectionReader(study, root, settings, checker, faults).read(section);
}

}  // namespace dlrun::ablation
