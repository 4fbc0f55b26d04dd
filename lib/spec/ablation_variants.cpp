// SPDX-License-Identifier: Apache-2.0
#include "spec/ablation_variants.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "ablation/effects.hpp"
#include "ablation/project.hpp"
#include "ablation/refused.hpp"
#include "ablation/rewrite.hpp"
#include "dataset/schema_json.hpp"
#include "spec/ablation_features.hpp"
#include "spec/concise.hpp"
#include "spec/normal.hpp"
#include "spec/trial_section.hpp"
#include "trial/runner.hpp"
#include "util/sha256.hpp"

namespace dlrun::spec {

using ablation::Off;
using ablation::Refused;
using document::Node;

namespace {

model::Interface interface_of_study(const Json& study) {
  return interface_of(dataset::schema_from_json(study.at("derived").at("data")), study.at("trial"));
}

/// What counts when two variants are compared: names of layers without weights and places of files do not.
std::string hash_of_variant(const Json& study, const std::optional<model::Graph>& graph) {
  Json trial = identity_of({{"trial", study.at("trial")}}).at("trial");
  if (graph) trial["model"] = model::structural_hash(*graph);
  return Sha256::hex_of(to_text({trial, study.value("derived", Json())}));
}

std::optional<model::Graph> graph_of_study(const Json& study) {
  if (study.at("trial").at("kind") != "train") return std::nullopt;
  return model::build(study.at("trial").at("model"), interface_of_study(study));
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
  const bool is_cut = unit.kind == "drop" || unit.kind == "drop_between";
  return is_cut && unit.written.value("on_shape", Json()) == "project";
}

/// @return what stands in place of what was dropped
std::vector<std::string> replace_by_projections(const Unit& unit, model::Declared& model) {
  if (unit.kind == "drop") return ablation::drop_projected(model, unit.nodes);
  const Json& what = unit.written.at(unit.kind);
  return ablation::drop_between_projected(model, what.at("from"), what.at("to"));
}

void rewrite(const Unit& unit, model::Declared& model) {
  const Json& what = unit.written.at(unit.kind);
  if (unit.kind == "swap") ablation::swap(model, unit.nodes, unit.written.at("to"));
  if (unit.kind == "drop_branch") ablation::drop_branch(model, what.get<std::string>());
  if (unit.kind == "drop_edge") ablation::drop_edge(model, what.at("from"), what.at("to"));
  if (unit.kind == "drop_between") ablation::drop_between(model, what.at("from"), what.at("to"));
}

}  // namespace

Node node_at(const Json& value, const document::Span& span) {
  Node node;
  node.span = span;
  if (value.is_object()) {
    node.kind = Node::Kind::map;
    for (const auto& [key, inner] : value.items()) node.entries.push_back({key, span, node_at(inner, span)});
  } else if (value.is_array()) {
    node.kind = Node::Kind::list;
    for (const Json& inner : value) node.items.push_back(node_at(inner, span));
  } else if (!value.is_null()) {
    node.kind = Node::Kind::scalar;
    node.is_plain = !value.is_string();
    node.text = value.is_string() ? value.get<std::string>() : value.dump();
  }
  return node;
}

std::optional<model::Declared> declared_model(const Json& study) {
  if (study.at("trial").at("kind") != "train") return std::nullopt;
  return model::declare(study.at("trial").at("model"), interface_of_study(study));
}

Node with_trial_at(Node root, const Json& trial, const document::Span& span) {
  root.find_entry("trial")->value = node_at(concise_section("trial", trial), span);
  return root;
}

VariantMaker::VariantMaker(const Baseline& baseline, const std::vector<Unit>& units, double capacity_guard,
                           const CheckStudy& check)
    : baseline_(baseline),
      units_(units),
      guard_(capacity_guard),
      check_(check),
      graph_(graph_of_study(baseline.study)) {
  hash_ = hash_of_variant(baseline.study, graph_);
}

Json VariantMaker::described(const Json& study) const {
  const std::optional<model::Graph> graph = graph_of_study(study);
  Json out{{"hash", hash_of_variant(study, graph)}, {"parameters", nullptr}, {"operations", nullptr}};
  if (graph) {
    out["parameters"] = graph->parameters();
    out["operations"] = graph->operations();
  }
  return out;
}

Json VariantMaker::baseline() const {
  Json out = described(baseline_.study);
  out.update({{"id", "baseline"},
              {"kind", "baseline"},
              {"components", Json::array()},
              {"edits", Json::object()},
              {"notes", Json::array()}});
  return out;
}

/// The first fault of what is now the whole study.
Json VariantMaker::checked(const Json& trial, const Unit& unit, const char* code) const {
  Faults faults;
  Json study = check_(with_trial_at(baseline_.root, trial, {}), faults);
  for (const document::Diagnostic& fault : faults.list.list()) {
    if (!fault.is_warning) throw Refused(code, fmt::format("without '{}': {}", unit.id, fault.message), fault.help);
  }
  return study;
}

void VariantMaker::check_shapes(const model::Graph& graph, const Off& off) const {
  const std::vector<std::string> changes = ablation::changed_shapes(*graph_, graph);
  if (changes.empty()) return;
  for (const std::size_t index : off) {
    if (units_[index].written.value("on_shape", Json()) != "identity_only") continue;
    throw Refused("E213", fmt::format("without '{}' {}", units_[index].id, changes.front()),
                  "on_shape: reinfer lets what follows take other shapes");
  }
}

void VariantMaker::note_projections(const Unit& unit, const Off& off, model::Declared& model, Json& notes) const {
  const std::vector<std::string> made = replace_by_projections(unit, model);
  for (const std::string& note : made) notes.push_back(note);
  if (made.empty() && off.size() == 1 && unit.written.value("as", Json()) != "each")
    throw Refused("E212", fmt::format("without '{}' no shape changes, so nothing is projected", unit.id),
                  "remove on_shape: project");
}

/// The trial's model without the layers that are off.
Json VariantMaker::rewritten(const Json& study, const Off& off, Json& notes) const {
  model::Declared model = declared_model(study).value();
  std::vector<std::string> gone;
  for (const std::size_t index : off) {
    const Unit& unit = units_[index];
    if (unit.kind == "drop" && !projects(unit)) gone.insert(gone.end(), unit.nodes.begin(), unit.nodes.end());
  }
  if (!gone.empty()) ablation::drop(model, gone);
  for (const std::size_t index : off) {
    const Unit& unit = units_[index];
    if (!unit.changes_model()) continue;
    projects(unit) ? note_projections(unit, off, model, notes) : rewrite(unit, model);
  }
  const std::vector<std::string> dead = ablation::prune(model);
  if (!dead.empty()) notes.push_back(fmt::format("nothing reads any more: {}", fmt::join(dead, ", ")));
  std::vector<model::ModelError> faults;
  const model::Graph graph = model::build(model, &faults);
  if (!faults.empty())
    throw Refused("E215", fmt::format("without '{}': {}", units_[off.back()].id, faults.front().what()),
                  faults.front().hint());
  if (graph.parameters() == 0 && graph_->parameters() > 0)
    throw Refused("E221", fmt::format("without '{}' there is nothing left to train", units_[off.back()].id));
  check_shapes(graph, off);
  for (const std::string& change : ablation::changed_shapes(*graph_, graph)) notes.push_back(change);
  for (const std::string& warning : ablation::warnings_of(*graph_, graph, guard_)) notes.push_back(warning);
  return model::write(model, graph);
}

namespace {

/// What is set comes first, features are left out of that.
Json with_sets(Json trial, const Json& sets, const std::vector<const Unit*>& features) {
  try {
    if (!sets.empty()) trial = trial::configured(trial, sets);
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
  for (const std::string& node : unit.nodes) {
    if (unit.kind == "swap") out["model: " + node] = unit.written.at("to");
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

Json VariantMaker::edited_study(const Off& off, Json& notes) const {
  check_apart(units_, off);
  Json sets = Json::object();
  bool changes_model = false;
  std::vector<const Unit*> features;
  for (const std::size_t index : off) {
    sets.update(units_[index].sets);
    if (units_[index].drops_features()) features.push_back(&units_[index]);
    changes_model = changes_model || units_[index].changes_model();
  }
  const Unit& last = units_[off.back()];
  Json study = baseline_.study;
  if (!sets.empty() || !features.empty()) study = checked(with_sets(study.at("trial"), sets, features), last, "E211");
  if (!changes_model) return study;
  Json trial = study.at("trial");
  trial["model"] = rewritten(study, off, notes);
  return checked(trial, last, "E215");
}

void VariantMaker::check_weights(const Json& study, const Unit& unit) const {
  if (!baseline_.gives_weights || !graph_ || ablation::shares_tensors(*graph_, *graph_of_study(study))) return;
  throw Refused("E222", fmt::format("without '{}' no tensor has the shape that it has in the baseline", unit.id),
                "remove start_from: baseline, for there is nothing to begin with");
}

Json VariantMaker::make(const std::string& id, const Off& off) const {
  Json notes = Json::array(), components = Json::array();
  const Json study = edited_study(off, notes);
  for (const std::size_t index : off) {
    for (const std::string& note : units_[index].notes) notes.push_back(note);
  }
  Json out = described(study);
  const Unit& last = units_[off.back()];
  if (out["hash"] == hash_ && last.kind == "set")
    throw Refused("E212", fmt::format("'{}' sets what is so already", last.id), "set another value");
  if (out["hash"] == hash_)
    throw Refused("E230", fmt::format("without '{}' the model is the same as with it", last.id),
                  "an ablation of nothing would train the baseline twice");
  check_weights(study, last);
  for (const std::size_t index : off) components.push_back(units_[index].id);
  out.update({{"id", id},
              {"kind", off.size() > 1                     ? "several"
                       : projects(last) && !notes.empty() ? "project"
                                                          : last.kind},
              {"components", components},
              {"edits", difference(baseline_.study.at("trial"), study.at("trial"))},
              {"notes", notes}});
  return out;
}

}  // namespace dlrun::spec
