// SPDX-License-Identifier: Apache-2.0
#include "ablation/variants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "ablation/arguments.hpp"
#include "ablation/effects.hpp"
#include "ablation/features.hpp"
#include "ablation/project.hpp"
#include "ablation/refused.hpp"
#include "ablation/rewrite.hpp"
#include "trial/runner.hpp"
#include "util/sha256.hpp"

namespace dlrun::ablation {

namespace {

std::optional<model::Graph> graph_of_study(const Json& study) {
  const auto declared = declared_model(study);
  return declared ? std::optional(model::build(*declared)) : std::nullopt;
}

/// Sections that differ, each as a whole.
Json difference(const Json& base, const Json& trial) {
  Json edits = Json::object();
  for (const auto& [key, value] : trial.items()) {
    if (!base.contains(key) || base[key] != value) edits[key] = value;
  }
  for (const auto& [key, value] : base.items()) {
    if (!trial.contains(key)) edits[key] = nullptr;
  }
  return edits;
}

bool projects(const Unit& unit) {
  const bool is_cut = unit.kind() == "drop" || unit.kind() == "drop_between";
  return is_cut && unit.component.on_shape == "project";
}

/// @return the maps that stand in place of the dropped layers
Names replace_by_projections(const Unit& unit, model::Declared& model) {
  if (unit.kind() == "drop") return drop_projected(model, unit.nodes);
  const Ends ends = unit.ends();
  return drop_between_projected(model, ends.from, ends.to);
}

void rewrite(const Unit& unit, model::Declared& model) {
  const Component& component = unit.component;
  if (unit.kind() == "swap") return swap(model, unit.nodes, component.to);
  if (unit.kind() == "drop_branch") return drop_branch(model, component.what.get<std::string>());
  if (unit.kind() == "drop") return;  // all such layers go together
  const Ends ends = unit.ends();
  unit.kind() == "drop_edge" ? drop_edge(model, ends.from, ends.to) : drop_between(model, ends.from, ends.to);
}

}  // namespace

VariantMaker::VariantMaker(const Baseline& baseline, const std::vector<Unit>& units, double capacity_guard)
    : baseline_(baseline), units_(units), guard_(capacity_guard), graph_(graph_of_study(baseline.study)) {
  hash_ = hash_of(baseline.study, graph_);
}

/// Hash by which two variants are compared: names of layers without weights and places of files do not count.
std::string VariantMaker::hash_of(const Json& study, const std::optional<model::Graph>& graph) const {
  Json trial = baseline_.checker.identity(study.at("trial"));
  if (graph) trial["model"] = model::structural_hash(*graph);
  return Sha256::hex_of(to_text({trial, study.value("derived", Json())}));
}

Variant VariantMaker::described(const std::string& id, const Json& study) const {
  const std::optional<model::Graph> graph = graph_of_study(study);
  Variant out{.id = id, .hash = hash_of(study, graph)};
  if (graph) {
    out.parameters = graph->parameters();
    out.operations = graph->operations();
  }
  return out;
}

Variant VariantMaker::baseline() const {
  Variant out = described("baseline", baseline_.study);
  out.kind = "baseline";
  return out;
}

/// Checks the whole study with the variant's trial; its first fault counts.
Json VariantMaker::checked(const Json& trial, const Unit& unit, const char* code) const {
  Faults faults;
  Json study = baseline_.checker.check(with_trial(baseline_.root, trial, baseline_.checker), faults);
  if (const document::Diagnostic* fault = first_fault(faults))
    throw Refused(code, fmt::format("without '{}': {}", unit.id, fault->message), fault->help);
  return study;
}

bool VariantMaker::keeps_shapes(const Off& off) const {
  return std::any_of(off.begin(), off.end(),
                     [&](std::size_t index) { return units_[index].component.on_shape == "identity_only"; });
}

void VariantMaker::check_shapes(const model::Graph& graph, const Off& off) const {
  const std::vector<std::string> changes = changed_shapes(*graph_, graph);
  if (changes.empty()) return;
  for (const std::size_t index : off) {
    if (units_[index].component.on_shape != "identity_only") continue;
    throw Refused("E213", fmt::format("without '{}' {}", units_[index].id, changes.front()),
                  "on_shape: reinfer lets what follows take other shapes");
  }
}

void VariantMaker::note_projections(const Unit& unit, const Off& off, model::Declared& model, Names& notes) const {
  const Names made = replace_by_projections(unit, model);
  notes.insert(notes.end(), made.begin(), made.end());
  if (made.empty() && off.size() == 1 && unit.component.as != "each")
    throw Refused("E212", fmt::format("without '{}' no shape changes, so nothing is projected", unit.id),
                  "remove on_shape: project");
}

/// The trial's model without the layers that are off.
Json VariantMaker::rewritten(const Json& study, const Off& off, Names& notes) const {
  model::Declared model = declared_model(study).value();
  Names gone;
  for (const std::size_t index : off) {
    const Unit& unit = units_[index];
    if (unit.kind() == "drop" && !projects(unit)) gone.insert(gone.end(), unit.nodes.begin(), unit.nodes.end());
  }
  if (!gone.empty()) drop(model, gone);
  for (const std::size_t index : off) {
    const Unit& unit = units_[index];
    if (!unit.changes_model()) continue;
    projects(unit) ? note_projections(unit, off, model, notes) : rewrite(unit, model);
  }
  const Names dead = prune(model);
  if (!dead.empty()) notes.push_back(fmt::format("nothing reads any more: {}", fmt::join(dead, ", ")));
  std::vector<model::ModelError> faults;
  const model::Graph graph = model::build(model, &faults);
  if (!faults.empty())
    throw Refused(
        "E215", fmt::format("without '{}': {}", units_[off.back()].id, faults.front().what()),
        keeps_shapes(off) ? "on_shape: identity_only leaves out layers that keep the shape" : faults.front().hint());
  if (graph.parameters() == 0 && graph_->parameters() > 0)
    throw Refused("E221", fmt::format("without '{}' there is nothing left to train", units_[off.back()].id));
  check_shapes(graph, off);
  for (const std::string& change : changed_shapes(*graph_, graph)) notes.push_back(change);
  for (const std::string& warning : warnings_of(*graph_, graph, guard_)) notes.push_back(warning);
  return model::write(model, graph);
}

namespace {

/// Components that are off and change no model.
struct Outside {
  Json sets = Json::object();
  std::vector<const Unit*> features, arguments;

  bool is_empty() const { return sets.empty() && features.empty() && arguments.empty(); }
};

/// The trial with its settings, and features and arguments left out of that.
Json without(Json trial, const Outside& off) {
  const auto& [sets, features, arguments] = off;
  try {
    if (!sets.empty()) trial = trial::configured(trial, sets);
    if (!arguments.empty()) trial["command"] = without_arguments(trial.at("command"), arguments);
    if (features.empty()) return trial;
    return trial::configured(trial, without_features(trial.at("data"), features));
  } catch (const Refused&) {
    throw;
  } catch (const Error& fault) {
    throw Refused("E211", fault.what(), fault.hint());
  }
}

/// Places of the trial, or layers, and what a component puts there.
std::map<std::string, Json> changes_of(const Unit& unit) {
  std::map<std::string, Json> out;
  for (const auto& [place, value] : unit.sets.items()) out[place] = value;
  for (const std::string& argument : unit.arguments) out["command: " + argument] = unit.component.to;
  for (const std::string& node : unit.nodes) {
    if (unit.kind() == "swap") out["model: " + node] = unit.component.to;
  }
  return out;
}

/// Two components that put different things in one place are alternatives: both together would be the later one.
void check_apart(const std::vector<Unit>& units, const Off& off) {
  std::map<std::string, std::pair<std::string, Json>> known;
  for (const std::size_t index : off) {
    for (const auto& [place, value] : changes_of(units[index])) {
      const auto [first, is_new] = known.try_emplace(place, units[index].id, value);
      if (!is_new && first->second.second != value)
        throw Refused("E212", fmt::format("'{}' and '{}' put different things in place of '{}'", first->second.first,
                                          units[index].id, place));
    }
  }
}

}  // namespace

Json VariantMaker::edited_study(const Off& off, Names& notes) const {
  check_apart(units_, off);
  Outside outside;
  bool changes_model = false;
  for (const std::size_t index : off) {
    outside.sets.update(units_[index].sets);
    if (units_[index].drops_features()) outside.features.push_back(&units_[index]);
    if (units_[index].changes_arguments()) outside.arguments.push_back(&units_[index]);
    changes_model = changes_model || units_[index].changes_model();
  }
  const Unit& last = units_[off.back()];
  Json study = baseline_.study;
  for (std::string& kept : baseline_.checker.kept_defaults(study.at("trial"), outside.sets, baseline_.root))
    notes.push_back(std::move(kept));
  if (!outside.is_empty()) study = checked(without(study.at("trial"), outside), last, "E211");
  if (!changes_model) return study;
  Json trial = study.at("trial");
  trial["model"] = rewritten(study, off, notes);
  return checked(trial, last, "E215");
}

void VariantMaker::check_weights(const Json& study, const Unit& unit) const {
  if (!baseline_.gives_weights || !graph_ || shares_tensors(*graph_, *graph_of_study(study))) return;
  throw Refused("E222", fmt::format("without '{}' no tensor has the shape that it has in the baseline", unit.id),
                "remove start_from: baseline, for there is nothing to begin with");
}

/// A target, or a column that is left out already, is no input.
void VariantMaker::check_inputs(const Json& study, const Unit& unit) const {
  const auto inputs = [](const Json& of) { return of.at("derived").at("data").at("inputs"); };
  if (unit.how() != "remove" || inputs(study) != inputs(baseline_.study)) return;
  const bool is_series = study.at("trial").at("data").at("op") == "series";
  throw Refused("E201", fmt::format("'{}' names no input: without it the inputs are the same", unit.id),
                is_series ? "a target's own past is left out by set: {data.own_past: false}" : "name a feature");
}

Variant VariantMaker::make(const std::string& id, const Off& off) const {
  Names notes;
  const Json study = edited_study(off, notes);
  Variant out = described(id, study);
  const Unit& last = units_[off.back()];
  if (out.hash == hash_ && last.kind() == "set")
    throw Refused("E212", fmt::format("'{}' sets what is so already", last.id), "set another value");
  if (out.hash == hash_)
    throw Refused("E230",
                  fmt::format("without '{}' the {} is the same as with it", last.id, graph_ ? "model" : "trial"),
                  "an ablation of nothing would train the baseline twice");
  if (off.size() == 1 && last.drops_features()) check_inputs(study, last);
  check_weights(study, last);
  for (const std::size_t index : off) {
    const Unit& unit = units_[index];
    notes.insert(notes.end(), unit.notes.begin(), unit.notes.end());
    out.components.push_back(unit.id);
  }
  const bool is_projected = projects(last) && !notes.empty();
  out.kind = off.size() > 1 ? "several" : is_projected ? "project" : last.kind();
  out.edits = difference(baseline_.study.at("trial"), study.at("trial"));
  out.notes = std::move(notes);
  return out;
}

}  // namespace dlrun::ablation
