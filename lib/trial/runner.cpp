// SPDX-License-Identifier: Apache-2.0
#include "trial/runner.hpp"

#include <algorithm>

#include "trial/json.hpp"
#include "trial/used_names.hpp"
#include "util/error.hpp"
#include "util/whole.hpp"

namespace dlrun::trial {

Json to_json(const Runtime& r) {
  Json json = {{"libtorch", r.libtorch},
               {"device", r.device},
               {"threads", r.threads},
               {"cores", r.cores},
               {"numerics", r.numerics}};
  if (!r.warning.empty()) json["warning"] = r.warning;
  return json;
}

Runtime runtime(const Json& json) {
  Runtime r;
  r.libtorch = json.at("libtorch").get<std::string>();
  r.device = json.at("device").get<std::string>();
  r.threads = whole<int>(json.at("threads"));
  r.cores = json.at("cores").get<std::string>();
  r.numerics = json.at("numerics").get<std::string>();
  r.warning = json.value("warning", std::string());
  return r;
}

namespace {

Json to_json(const StagePlace& place) { return Json::array({place.epoch, place.folder}); }
StagePlace stage_place(const Json& json) { return {whole<std::int64_t>(json.at(0)), json.at(1).get<std::string>()}; }

}  // namespace

Json to_json(const PieceOrder& o) {
  Json json = {
      {"piece", to_json(o.key)}, {"attempt", o.attempt}, {"to", o.to_step}, {"seed", o.seed}, {"params", o.params}};
  if (o.task != "train") json["task"] = o.task;
  if (o.from_step != 0) json["from"] = o.from_step;
  if (!o.sets.empty()) json["sets"] = o.sets;
  if (!o.resume.empty()) json["resume"] = o.resume;
  if (o.resume_step != 0) json["resume_step"] = o.resume_step;
  if (!o.program.empty()) json["program"] = o.program;
  if (o.inherits) json["inherits"] = true;
  if (!o.partial.empty()) json["partial"] = o.partial;
  if (!o.folder.empty()) json["folder"] = o.folder;
  if (o.shared) json["shared"] = to_json(*o.shared);
  for (const StagePlace& place : o.leaves) json["leaves"].push_back(to_json(place));
  for (const Artifact& record : o.replays) json["replays"].push_back(to_json(record));
  return json;
}

PieceOrder piece_order(const Json& json) {
  try {
    PieceOrder o;
    o.key = piece_key(json.at("piece"));
    o.attempt = whole<int>(json.at("attempt"));
    o.task = json.value("task", std::string("train"));
    o.from_step = whole_or(json, "from", 0);
    o.to_step = whole<std::int64_t>(json.at("to"));
    o.seed = whole<std::uint64_t>(json.at("seed"));
    o.params = json.at("params");
    o.sets = json.value("sets", Json::object());
    o.resume = json.value("resume", std::string());
    o.resume_step = whole_or(json, "resume_step", 0);
    o.program = json.value("program", std::string());
    o.inherits = json.value("inherits", false);
    o.partial = json.value("partial", std::string());
    o.folder = json.value("folder", std::string());
    if (json.contains("shared")) o.shared = stage_place(json.at("shared"));
    for (const Json& place : list_or_none(json, "leaves")) o.leaves.push_back(stage_place(place));
    for (const Json& record : list_or_none(json, "replays")) o.replays.push_back(artifact(record));
    return o;
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string("malformed order: ") + fault.what());
  }
}

Json to_json(const WorkSetup& s) {
  Json json = {{"study", s.study},
               {"trial", s.trial},
               {"parameters", s.parameters},
               {"metric", s.metric},
               {"needed", s.needed},
               {"parked", s.parked},
               {"parked_bytes", s.parked_bytes},
               {"maximize", s.maximize},
               {"keep_best", s.keep_best},
               {"threads", s.threads},
               {"devices", s.devices},
               {"device", s.device},
               {"determinism", s.determinism},
               {"artifacts", s.artifacts},
               {"time_limit", s.time_limit},
               {"hang_limit", s.hang_limit},
               {"silence_limit", s.silence_limit},
               {"log_bytes", s.log_bytes},
               {"memory_bytes", s.memory_bytes},
               {"gpu_share", s.gpu_share},
               {"gpus", s.gpus},
               {"nodes", s.nodes},
               {"keep_epochs", s.keep_epochs},
               {"values", s.values}};
  if (!s.data_sha256.empty()) json["data_sha256"] = s.data_sha256;
  if (!s.plugins.is_null()) json["plugins"] = s.plugins;
  return json;
}

WorkSetup work_setup(const Json& json) {
  try {
    WorkSetup s;
    s.study = json.at("study").get<std::string>();
    s.trial = json.at("trial");
    s.parameters = json.at("parameters");
    s.metric = json.at("metric").get<std::string>();
    s.needed = json.value("needed", std::vector<std::string>());
    s.values = json.value("values", std::string());
    s.parked = int(whole_or(json, "parked", s.parked));
    s.parked_bytes = whole_or(json, "parked_bytes", s.parked_bytes);
    s.maximize = json.at("maximize").get<bool>();
    s.keep_best = json.at("keep_best").get<bool>();
    if (json.contains("keep_epochs")) s.keep_epochs = wholes(json["keep_epochs"]);
    s.threads = whole<int>(json.at("threads"));
    s.devices = int(whole_or(json, "devices", s.devices));
    s.device = json.at("device").get<std::string>();
    s.determinism = json.at("determinism").get<std::string>();
    s.artifacts = json.at("artifacts").get<std::string>();
    s.time_limit = json.at("time_limit").get<double>();
    s.hang_limit = json.at("hang_limit").get<double>();
    s.silence_limit = json.value("silence_limit", s.silence_limit);
    s.log_bytes = whole<std::int64_t>(json.at("log_bytes"));
    s.memory_bytes = whole_or(json, "memory_bytes", s.memory_bytes);
    s.gpu_share = json.at("gpu_share").get<double>();
    s.gpus = int(whole_or(json, "gpus", s.gpus));
    s.nodes = int(whole_or(json, "nodes", s.nodes));
    s.data_sha256 = json.value("data_sha256", std::string());
    s.plugins = json.value("plugins", Json());
    return s;
  } catch (const Json::exception& fault) {
    throw Error(ErrorKind::usage, std::string("malformed setup: ") + fault.what());
  }
}

namespace {

template <class Any>  // Json or const Json
Any* child(Any& parent, const std::string& name) {
  if (parent.is_object()) {
    const auto found = parent.find(name);
    return found == parent.end() ? nullptr : &*found;
  }
  if (!parent.is_array()) return nullptr;
  const auto found = std::find_if(parent.begin(), parent.end(), [&](const Json& item) {
    return item.is_object() && item.contains("name") && item["name"] == name;
  });
  return found == parent.end() ? nullptr : &*found;
}

/// Names of list elements may hold dots ("block1.conv"), so the longest name that fits is taken first. `at_end` says
/// what stands at a last name that its owner does not have.
template <class Any, class AtEnd>
Any* find_place(Any& root, const std::string& place, const AtEnd& at_end) {
  for (std::size_t cut = place.size(); cut != std::string::npos && cut > 0; cut = place.rfind('.', cut - 1)) {
    Any* next = child(root, place.substr(0, cut));
    if (next == nullptr) continue;
    if (cut == place.size()) return next;
    if (Any* found = find_place(*next, place.substr(cut + 1), at_end)) return found;
  }
  return at_end(root, place);
}

/// The last key may be new in its object: the spec has checked that its schema knows it.
Json* new_key(Json& root, const std::string& place) {
  const bool is_key = root.is_object() && place.find('.') == std::string::npos;
  return is_key ? &root[place] : nullptr;
}

}  // namespace

Json configured(const Json& trial, const Json& sets) {
  Json config = trial;
  for (const auto& [place, value] : sets.items()) {
    Json* target = find_place(config, place, new_key);
    if (target == nullptr) throw Error(ErrorKind::usage, "the trial has no place '" + place + "'");
    *target = value;
  }
  if (config.contains("model")) forget_unused_names(trial.at("model"), config["model"]);
  return config;
}

Json setting_at(const Json& trial, const std::string& place) {
  const auto none = [](const Json&, const std::string&) -> const Json* { return nullptr; };
  const Json* found = find_place(trial, place, none);
  return found == nullptr ? Json() : *found;
}

int replicate_of(const Json& config, const Member& member) {
  return config.value("first_replicate", 1) - 1 + member.replicate;
}

}  // namespace dlrun::trial
