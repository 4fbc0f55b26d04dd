// SPDX-License-Identifier: Apache-2.0
#include "recipe/length.hpp"

#include <algorithm>
#include <cmath>

#include "options/value.hpp"
#include "recipe/averaging.hpp"
#include "recipe/schedule_config.hpp"
#include "util/arithmetic.hpp"

namespace dlrun::recipe {

namespace {

using options::Key;

constexpr const char* kRounded[] = {"every", "period", "anneal_epochs", "interval_epochs"};
constexpr const char* kRoundedDown[] = {"patience", "cooldown", "warmup_epochs", "ignore_epochs"};

bool is_length(const std::string& name) {
  const auto is_it = [&](const char* key) { return name == key; };
  return std::any_of(std::begin(kRounded), std::end(kRounded), is_it) ||
         std::any_of(std::begin(kRoundedDown), std::end(kRoundedDown), is_it);
}

/// Fills in what changes with the length and stands at its default.
void spell_out(Json& section, const options::Table& table) {
  for (const Key& key : table) {
    const bool is_rate = key.name == "gamma" && section.value("op", Json()) == "exponential";
    const bool is_open = section.value(key.name, Json()).is_null() && !key.fallback.is_null();
    if (is_open && (is_rate || is_length(key.name))) section[key.name] = key.fallback;
  }
}

/// A schedule, as a map. @param key  with its kinds
Json spelled_out(const Json& written, const Key& key) {
  Json section = options::as_map(written, "schedule", key.list_kind);
  const options::Variant* kind = options::find(key.variants, options::op_of(section, "constant"));
  if (kind == nullptr) return section;
  spell_out(section, kind->table);
  const Key* parts = options::find(kind->table, "parts");
  if (parts == nullptr || !section.value("parts", Json()).is_array()) return section;
  for (Json& part : section["parts"]) part = spelled_out(part, *parts->element);
  return section;
}

bool has_number(const Json& section, const char* key) {
  return section.is_object() && section.value(key, Json()).is_number();
}

/// From a training of `before` epochs to one of `now`.
class Scale {
 public:
  Scale(std::int64_t before, std::int64_t now) : before_(before), now_(now), share_(double(now) / double(before)) {}

  void apply(Json& section) const {
    for (const char* key : kRounded) set(section, key, std::round);
    for (const char* key : kRoundedDown) set(section, key, std::floor);
    if (has_number(section, "warmup")) section["warmup"] = section["warmup"].get<double>() * share_;
    if (section.value("op", Json()) == "exponential")
      section["gamma"] = arithmetic::pow(section["gamma"].get<double>(), 1.0 / share_);
    if (section.value("milestones", Json()).is_array()) drops(section["milestones"]);
    if (section.value("parts", Json()).is_array()) parts(section["parts"]);
  }

 private:
  /// 0 stays so; what was more is at least 1.
  void set(Json& section, const char* key, double (*rounded)(double)) const {
    if (!has_number(section, key) || section[key] == 0) return;
    section[key] = std::max<std::int64_t>(1, std::int64_t(rounded(section[key].get<double>() * share_)));
  }

  /// The i-th of `count` ends, which rise and leave an epoch each.
  std::int64_t end(double before, std::int64_t last, std::size_t i, std::size_t count) const {
    const std::int64_t latest = now_ - std::int64_t(count - i);
    return std::max<std::int64_t>(last + 1, std::min<std::int64_t>(latest, std::llround(before * share_)));
  }

  void drops(Json& milestones) const {
    std::int64_t last = 0;
    for (std::size_t i = 0; i < milestones.size(); ++i)
      milestones[i] = last = end(milestones[i].get<double>(), last, i, milestones.size());
    while (!milestones.empty() && milestones.back() >= now_) milestones.erase(milestones.size() - 1);
  }

  /// The last part may go to the end without a length.
  void parts(Json& parts) const {
    std::int64_t begin = 0, last = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const bool has_length = has_number(parts[i], "epochs");
      const std::int64_t own = has_length ? parts[i]["epochs"].get<std::int64_t>() : before_ - begin;
      const std::int64_t until = has_length ? end(double(begin + own), last, i, parts.size() - 1) : now_;
      Scale(own, until - last).apply(parts[i]);
      if (has_length) parts[i]["epochs"] = until - last;
      begin += own;
      last = until;
    }
  }

  std::int64_t before_, now_;
  double share_;
};

/// Two epochs at least are averaged, as before; a single one is no mean.
void keep_average(Json& trial, std::int64_t epochs) {
  if (!has_number(trial.value("swa", Json()), "start")) return;
  if (epochs < 2) return void(trial.erase("swa"));
  Json& swa = trial["swa"];
  AveragedEpochs when{swa["start"].get<double>(), has_number(swa, "every") ? swa["every"].get<std::int64_t>() : 1,
                      epochs};
  if (when.count(epochs) >= 2) return;
  when.start = std::min(when.start, double(epochs - 2) / double(epochs));
  swa["start"] = when.start;
  if (has_number(swa, "every")) swa["every"] = std::min(when.every, epochs - when.before() - 1);
}

/// A patience that never runs out changes nothing.
void drop_idle_patience(Json& trial, std::int64_t epochs) {
  const auto is_idle = [&](const Json& section) {
    return has_number(section, "patience") && section["patience"] >= epochs;
  };
  if (is_idle(trial.value("stop", Json()))) trial.erase("stop");
  if (is_idle(trial.value("schedule", Json()))) trial["schedule"].erase("patience");
}

/// Fewer epochs of the warm-up are ignored than it has.
void scale_partition(Json& trial, const Scale& scale) {
  const Json data = trial.value("data", Json());
  if (!data.is_object() || !data.value("partition", Json()).is_object()) return;
  Json& partition = trial["data"]["partition"];
  scale.apply(partition);
  if (!has_number(partition.value("importance", Json()), "ignore_epochs")) return;
  Json& importance = partition["importance"];
  scale.apply(importance);
  if (has_number(partition, "warmup_epochs") && importance["ignore_epochs"] >= partition["warmup_epochs"])
    importance["ignore_epochs"] = partition["warmup_epochs"].get<std::int64_t>() - 1;
}

}  // namespace

Json lasting(Json trial, std::int64_t epochs) {
  const auto before = trial.at("epochs").get<std::int64_t>();
  if (before == epochs) return trial;
  if (!trial.value("schedule", Json()).is_null()) trial["schedule"] = spelled_out(trial["schedule"], schedule_key());
  if (has_number(trial.value("swa", Json()), "lr")) spell_out(trial["swa"], swa_key().table);
  const Scale scale(before, epochs);
  for (const char* key : {"schedule", "swa", "stop"}) {
    if (trial.value(key, Json()).is_object()) scale.apply(trial[key]);
  }
  scale_partition(trial, scale);
  keep_average(trial, epochs);
  drop_idle_patience(trial, epochs);
  trial.erase("log");
  trial["epochs"] = epochs;
  return trial;
}

}  // namespace dlrun::recipe
