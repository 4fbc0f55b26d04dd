// SPDX-License-Identifier: Apache-2.0
#include "warmstart/race.hpp"

#include <algorithm>

#include "warmstart/settings.hpp"

namespace dlrun::warmstart {

std::vector<std::string> race_arms() {
  std::vector<std::string> out = kWarmPolicies;
  std::erase(out, "partial");
  out.emplace_back(kFinish);
  return out;
}

Json settings_of(const std::string& arm) {
  if (arm == kFinish) return {{"policy", "best"}, {"optimizer", "carry"}, {"schedule", "continue"}};
  return {{"policy", arm}};
}

Json short_settings_of(const std::string& arm) { return settings_of(arm == "resume" ? kFinish : arm); }

std::optional<Race> race_of(const Json& start) {
  if (!start.is_object() || start.value("policy", Json()) != "race") return std::nullopt;
  const Json written = start.value("race", Json());
  const Json section = written.is_object() ? written : Json::object();
  const auto text_of = [&](const char* key) {
    const Json value = section.value(key, Json());
    return value.is_string() ? value.get<std::string>() : std::string();
  };
  Race out{.decides = text_of("decides"), .study = text_of("study"), .chose = text_of("chose")};
  const auto texts_of = [&](const char* key) {
    std::vector<std::string> texts;
    const Json list = section.value(key, Json());
    for (const Json& one : list.is_array() ? list : Json::array()) {
      if (one.is_string()) texts.push_back(one.get<std::string>());
    }
    return texts;
  };
  out.arms = texts_of("arms");
  out.sets = texts_of("sets");
  const Json epochs = section.value("epochs", Json());
  if (epochs.is_number()) out.epochs = epochs.get<std::int64_t>();
  const Json seeds = section.value("seeds", Json()), trained = section.value("trained", Json());
  if (seeds.is_number()) out.seeds = seeds.get<int>();
  if (trained.is_number()) out.trained = trained.get<std::int64_t>();
  return out;
}

Json decided(Json start, const Race& race) {
  Json& section = start["race"];
  if (!section.is_object()) section = Json::object();
  for (const char* key : {"decides", "sets"}) section.erase(key);
  section["study"] = race.study;
  section["chose"] = race.chose;
  section["trained"] = race.trained;
  return start;
}

}  // namespace dlrun::warmstart
