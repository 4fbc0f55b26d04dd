// SPDX-License-Identifier: Apache-2.0
// Many ablations of one study, good and bad, in ablations/many.txt; beside it what each of them is planned as, or its
// faults: variants on a line each, the settings that were decided, what is searched, and the splits of replicates.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include "ablation/cells.hpp"
#include "ablation/claims.hpp"
#include "ablation/plan_json.hpp"
#include "ablation/race.hpp"
#include "case_list.hpp"
#include "short_copy.hpp"
#include "spec/study_spec.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"

namespace plans_test {

using namespace dlrun;
namespace fs = std::filesystem;

namespace {

/// Nodes of a model that the baseline's does not have as they are.
std::string nodes_text(const Json& model, const Json& baseline) {
  std::string out = fmt::format("{} nodes", model["nodes"].size());
  for (const Json& node : model["nodes"]) {
    const Json& known = baseline["nodes"];
    if (std::find(known.begin(), known.end(), node) == known.end()) out += " " + node.dump();
  }
  return out;
}

/// The value, or of a map the entries in which it differs.
std::string edit_text(const Json& value, const Json& before) {
  if (!value.is_object() || !before.is_object()) return value.dump();
  Json others = Json::object();
  for (const auto& [key, inner] : value.items()) {
    if (before.value(key, Json()) != inner) others[key] = inner;
  }
  return others.dump();
}

std::string variant_text(const ablation::Variant& variant, const Json& trial) {
  std::string out = fmt::format("{} ({}) of {}", variant.id, variant.kind, variant.components);
  if (variant.parameters)
    out += fmt::format(", {} parameters, {} operations", *variant.parameters, *variant.operations);
  for (const auto& [place, value] : variant.edits.items())
    out +=
        fmt::format("\n  {} = {}", place,
                    place == "model" ? nodes_text(value, trial[place]) : edit_text(value, trial.value(place, Json())));
  for (const std::string& note : variant.notes) out += "\n  note: " + note;
  for (const auto& [name, why] : variant.held) out += fmt::format("\n  held {}: {}", name, why);
  return out + "\n";
}

/// Values of replicates and tunings, with the edits that each makes.
std::string edits_text(const ablation::Plan& plan, std::uint64_t seed) {
  std::string out;
  for (const std::int64_t number : plan.section.replicates.numbers())
    out += fmt::format(" {}:{}", number, ablation::replicate_edits(plan, seed, number).dump());
  for (std::int64_t k = 1; plan.section.retune && k <= plan.section.tunings(); ++k)
    out += fmt::format(" tuning {}:{}", k, ablation::tuning_edits(plan, seed, k).dump());
  return out;
}

std::string settings_text(const spec::StudySpec& study, const ablation::Plan& plan) {
  Json section = study.json["ablation"], derived = study.json["derived"]["ablation"];
  section.erase("components");
  derived.erase("variants");
  const Json& trial = study.json["trial"];
  const Json split = trial.contains("data") ? trial["data"]["split"] : Json();
  derived.erase("majority");
  const Json optimizer = trial.value("optimizer", Json());
  return fmt::format(
             "optimizer {}\nderived {}\nsection {}\nspace {}\nsearch {}\nconstraints {}\nsplit {}\nreplicates{}\nruns "
             "{}\n",
             optimizer.dump(), derived.dump(), section.dump(), study.json["space"].dump(), study.json["search"].dump(),
             study.json.value("constraints", Json()).dump(), split.dump(),
             edits_text(plan, study.json["seed"].get<std::uint64_t>()), ablation::most_runs(plan)) +
         "claim " + ablation::claim_text(plan, trial) + "\n";
}

std::string plan_text(const std::string& text) {
  std::vector<spec::Warning> warnings;
  std::string out;
  try {
    const spec::StudySpec study =
        spec::read({.file = "many.yaml", .ablation = spec::Ablation::allowed, .text = text}, &warnings);
    for (const spec::Warning& warning : warnings) out += warning.text;
    const ablation::Plan plan = ablation::plan_of(study.json).value();
    for (const ablation::Variant& variant : plan.variants) out += variant_text(variant, study.json["trial"]);
    return out + settings_text(study, plan);
  } catch (const Error& fault) {
    return out + fault.what() + (fault.hint().empty() ? "" : "\n" + fault.hint());
  }
}

}  // namespace

TEST_CASE("ablations of one study have the plans, or the faults, that stand in a file", "[golden][specs]") {
  const fs::path place = fs::path(DLRUN_SPECS).parent_path() / "ablations";
  const support::ShortCopy copy(place);
  std::string all;
  for (const auto& [name, text] : support::parts_of(read_file("many.txt"), "=== ")) {
    const std::string study = text.starts_with("study: ") ? text : "extends: base.txt\n" + text;
    all += fmt::format("=== {}\n{}\n", name, plan_text(study));
  }
  support::replace_all(all, fs::current_path().string(), "HERE");
  const std::string expected = support::golden(place / "many.expected", all);
  const auto [found, wanted] = support::first_difference(all, expected, "=== ");
  CHECK(found == wanted);
}

}  // namespace plans_test
