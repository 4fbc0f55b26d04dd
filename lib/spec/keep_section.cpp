// SPDX-License-Identifier: Apache-2.0
#include "spec/keep_section.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

#include "pruners/pruner.hpp"
#include "warmstart/settings.hpp"

namespace dlrun::spec {

namespace {

void check_all(const Json& keep, Faults& faults) {
  if (!keep.value("all", false)) return;
  for (const char* other : {"best", "last", "rungs"}) {
    const std::string path = std::string("keep.") + other;
    if (faults.was_written(path))
      faults.clash(path, fmt::format("'{}' gives up checkpoints", other), "keep.all", "all of them are kept here",
                   "remove one of them");
  }
}

void check_epochs(const Json& study, const Json& epochs, Faults& faults) {
  const Json& trial = study["trial"];
  if (trial.value("kind", "") != "train") {
    faults.at("keep.epochs", "only trials of kind train can keep checkpoints of epochs",
              "a program reports each `checkpoint` that it wants to be kept");
    return;
  }
  std::set<std::int64_t> seen;
  const Json all = trial.value("epochs", Json());
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const std::int64_t epoch = epochs[i].get<std::int64_t>();
    const std::string path = fmt::format("keep.epochs.{}", i);
    if (!seen.insert(epoch).second) faults.at(path, fmt::format("epoch {} stands twice", epoch), "remove one");
    if (all.is_number_integer() && epoch > all.get<std::int64_t>())
      faults.at(path, fmt::format("there is no epoch {}: a trial has {}", epoch, to_text(all)), "");
  }
}

}  // namespace

void check_keep(Json& study, Faults& faults) {
  if (!study["keep"].is_object() || faults.is_bad("keep")) return;
  const bool is_function = study["trial"].is_object() && study["trial"].value("kind", "") == "function";
  if (is_function && faults.was_written("keep"))
    return faults.at_key("keep", "keep changes nothing: test functions leave no checkpoints", "remove it");
  Json& keep = study["keep"];
  if (keep["all"].is_null() || keep["all"] == false) keep.erase("all");
  if (keep["epochs"].is_null() || keep["epochs"].empty()) keep.erase("epochs");
  check_all(keep, faults);
  if (keep.contains("epochs") && study["trial"].is_object()) check_epochs(study, keep["epochs"], faults);
}

namespace {

/// After which epochs the search leaves checkpoints, whatever `keep:` makes of them.
std::vector<std::int64_t> checkpointed(const StudySpec& spec) {
  std::vector<std::int64_t> epochs = pruners::make_pruner(spec.pruner)->rungs();
  std::erase_if(epochs, [&](std::int64_t epoch) { return epoch > spec.rules.epochs; });
  epochs.push_back(spec.rules.epochs);
  epochs.insert(epochs.end(), spec.keep.epochs.begin(), spec.keep.epochs.end());
  std::sort(epochs.begin(), epochs.end());
  epochs.erase(std::unique(epochs.begin(), epochs.end()), epochs.end());
  return epochs;
}

bool contains(const std::vector<std::int64_t>& epochs, std::int64_t epoch) {
  return std::find(epochs.begin(), epochs.end(), epoch) != epochs.end();
}

void check_epoch(const StudySpec& spec, std::int64_t epoch, Faults& faults) {
  const char* const path = "final.warm_start.from.at";
  if (epoch > spec.rules.epochs) {
    faults.at(path, fmt::format("there is no epoch {}: a trial of the search has {}", epoch, spec.rules.epochs));
  } else if (const auto all = checkpointed(spec); !contains(all, epoch)) {
    faults.at(path,
              fmt::format("no trial of the search leaves a checkpoint after epoch {}, but after {}", epoch,
                          fmt::join(all, ", ")),
              fmt::format("keep: {{epochs: [{}]}} leaves one", epoch));
  } else if (const Keep& keep = spec.keep; !keep.all && !contains(keep.epochs, epoch) && keep.best == 0) {
    const bool is_end = epoch == spec.rules.epochs;
    if (keep.rungs || (is_end && keep.last > 0)) return;
    faults.at(path, fmt::format("checkpoints after epoch {} are given up when the search ends", epoch),
              fmt::format("keep: {{epochs: [{}]}} keeps them", epoch));
  }
}

}  // namespace

std::string kept_text(const StudySpec& spec) {
  const Keep& keep = spec.keep;
  if (keep.all) return fmt::format("of every trial those after epochs {}", fmt::join(checkpointed(spec), ", "));
  std::vector<std::string> parts;
  if (!keep.epochs.empty())
    parts.push_back(fmt::format("of every trial those after epochs {}", fmt::join(keep.epochs, ", ")));
  if (keep.best > 0)
    parts.push_back(fmt::format("of the {} best all, after epochs {}", keep.best, fmt::join(checkpointed(spec), ", ")));
  if (keep.rungs) parts.emplace_back("of others those at rungs and at the end");
  if (!keep.rungs && keep.last > 0) parts.push_back(fmt::format("of others the last {}", keep.last));
  return parts.empty() ? "none" : fmt::format("{}", fmt::join(parts, "; "));
}

void check_final_donors(const StudySpec& spec, Faults& faults) {
  const Json final = spec.json.value("final", Json());
  if (!final.is_object() || final.value("of", Json()).is_string()) return;
  const Json start = final.value("warm_start", Json()).is_object() ? final["warm_start"] : Json::object();
  const Json from = start.value("from", Json()).is_object() ? start["from"] : Json::object();
  const Json policy = start.value("policy", Json());
  const bool is_fresh = policy.is_string() && !warmstart::takes_donors(policy.get<std::string>());
  if (is_fresh || from.value("study", Json()).is_string()) return;
  const Json at = from.value("at", Json());
  if (at.is_number_integer()) return check_epoch(spec, at.get<std::int64_t>(), faults);
  if (at == "best" && spec.kind == "train" && !spec.rules.objective.at_best)
    return faults.at("final.warm_start.from.at", "trials of this search leave no checkpoint of their best epoch",
                     "objective: {at: best} leaves them");
  const Keep& keep = spec.keep;
  const bool has_last = keep.last > 0 || keep.rungs;
  if (keep.all || keep.best > 0 || (has_last && at != "best")) return;
  faults.at(faults.was_written("keep.best") ? "keep.best" : "keep",
            "the final training begins with checkpoints that are given up when the search ends",
            "keep: {best: 3} keeps those of the best trials");
}

}  // namespace dlrun::spec
