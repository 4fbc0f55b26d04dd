// SPDX-License-Identifier: Apache-2.0
#include "warmstart/settings.hpp"

#include <algorithm>

#include "util/error.hpp"

namespace dlrun::warmstart {

namespace {

template <class T>
void read_if_given(const Json& json, const char* key, T& value) {
  const auto found = json.find(key);
  if (found != json.end() && !found->is_null()) value = found->get<T>();
}

Donor donor_of(const Json& json) {
  Donor donor;
  donor.sha256 = json.at("sha256").get<std::string>();
  read_if_given(json, "from", donor.from);
  read_if_given(json, "study", donor.study);
  read_if_given(json, "trial", donor.trial);
  read_if_given(json, "replicate", donor.replicate);
  read_if_given(json, "fold", donor.fold);
  read_if_given(json, "epoch", donor.epoch);
  read_if_given(json, "horizon", donor.horizon);
  const Json value = json.value("value", Json());
  if (value.is_number()) donor.value = value.get<double>();
  const Json folds = json.value("folds", Json());
  for (const Json& fold : folds.is_array() ? folds : Json::array()) donor.folds.push_back(donor_of(fold));
  return donor;
}

/// The donor with what is known of one of its folds.
void choose_fold(Json& donor, int fold) {
  const Json folds = donor.is_object() ? donor.value("folds", Json()) : Json();
  if (!folds.is_array() || folds.empty()) return;
  if (std::size_t(fold) >= folds.size())
    throw Error(ErrorKind::usage,
                "warm_start: a donor has " + std::to_string(folds.size()) + " folds, the training more");
  donor.erase("folds");
  donor.update(folds[std::size_t(fold)]);
  donor["fold"] = fold;
}

void take_guard(const Json& section, WarmStart& out) {
  const Json guard = section.value("guard", Json());
  if (!guard.is_object()) return;
  const Json drop = guard.value("max_val_drop", Json());
  if (drop.is_number()) out.max_drop = drop.get<double>();
  read_if_given(guard, "fallback", out.fallback);
}

WarmStart read(const Json& section) {
  WarmStart out;
  out.policy = section.at("policy").get<std::string>();
  if (takes_donors(out.policy)) {
    for (const Json& donor : section.at("donors")) out.donors.push_back(donor_of(donor));
    if (out.donors.empty()) throw Error(ErrorKind::usage, "warm_start: there is no donor");
  }
  read_if_given(section, "lambda", out.lambda);
  read_if_given(section, "sigma", out.sigma);
  read_if_given(section, "include", out.include);
  read_if_given(section, "exclude", out.exclude);
  const Json renames = section.value("map", Json());
  if (renames.is_object()) {
    for (const auto& [pattern, name] : renames.items()) out.renames.emplace_back(pattern, name.get<std::string>());
  }
  read_if_given(section, "on_mismatch", out.on_mismatch);
  read_if_given(section, "min_fraction", out.min_fraction);
  read_if_given(section, "buffers", out.buffers);
  read_if_given(section, "batches", out.batches);
  out.carries_optimizer = section.value("optimizer", Json()) == "carry";
  read_if_given(section, "schedule", out.schedule);
  read_if_given(section, "lr_scale", out.lr_scale);
  take_guard(section, out);
  read_if_given(section, "allow_superset", out.allow_superset);
  read_if_given(section, "why", out.why);
  return out;
}

}  // namespace

std::string Donor::describe() const {
  if (study.empty()) return "'" + from + "'";
  std::string text = study + "/" + std::to_string(trial);
  if (replicate > 0) text += ", replicate " + std::to_string(replicate);
  if (fold > 0) text += ", fold " + std::to_string(fold);
  return text + ", epoch " + std::to_string(epoch);
}

double WarmStart::fraction() const {
  if (schedule != "continue" || donors.empty() || donors.front().horizon == 0) return 0;
  const Donor& first = donors.front();
  return std::min(1.0, double(first.epoch) / double(first.horizon));
}

std::optional<WarmStart> warm_start_of(const Json& section) {
  if (!section.is_object()) return std::nullopt;
  try {
    return read(section);
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string("warm_start: ") + fault.what());
  }
}

Json start_of_fold(Json section, int fold) {
  if (!section.is_object() || !section.contains("donors")) return section;
  for (Json& donor : section["donors"]) choose_fold(donor, fold);
  return section;
}

Json without_places(Json section) {
  if (section.is_object()) section.erase("why");
  if (!section.is_object() || !section.contains("donors")) return section;
  for (Json& donor : section["donors"]) {
    if (!donor.is_object()) continue;
    donor.erase("from");
    if (donor.value("folds", Json()).is_null()) donor.erase("folds");
  }
  return section;
}

void fill_in(Json& section) {
  if (!section["policy"].is_string()) section["policy"] = "best";
  const std::string policy = section["policy"].get<std::string>();
  const bool is_mixed = averages(policy) || mixes(policy);
  if (section["on_mismatch"].is_null()) section["on_mismatch"] = policy == "partial" ? "skip" : "error";
  if (section["on_mismatch"] == "reinit") section["on_mismatch"] = "skip";
  if (section["buffers"].is_null()) section["buffers"] = is_mixed ? "recalibrate" : "copy";
  if (section["optimizer"].is_null()) section["optimizer"] = policy == "resume" ? "carry" : "reset";
  if (section["schedule"].is_null()) section["schedule"] = policy == "resume" ? "remaining" : "restart";
  Json& guard = section["guard"];
  if (guard.is_object() && guard["max_val_drop"].is_null()) {
    if (policy == "topk_average") guard["max_val_drop"] = 2.0;
    if (policy != "topk_average") guard = nullptr;
  }
}

}  // namespace dlrun::warmstart
