// SPDX-License-Identifier: Apache-2.0
#include "report/lineage.hpp"

namespace dlrun::report {

namespace {

Json or_null(const std::string& text) { return text.empty() ? Json() : Json(text); }
Json or_null(const std::optional<int>& number) { return number ? Json(*number) : Json(); }

Json trial_object(const TrialName& name, const LineageTrial& trial, bool is_cut) {
  if (name.number == TrialName::kStudy) {
    return {{"id", to_string(name)}, {"type", "study"}, {"study", name.study}, {"has_more", is_cut}};
  }
  return {{"id", to_string(name)},        {"type", "trial"},
          {"study", name.study},          {"trial", name.number},
          {"state", trial.state},         {"metric", or_null(trial.metric)},
          {"epochs", trial.epochs},       {"attempts", trial.attempts},
          {"objective", trial.objective}, {"has_more", is_cut}};
}

/// One node for a content; its places are the attempts that left it.
Json artifact_objects(const Lineage& lineage) {
  std::map<std::string, Json> nodes;
  for (const LineageArtifact& one : lineage.artifacts) {
    Json& node = nodes[one.sha256];
    if (node.is_null())
      node = {{"id", one.sha256},
              {"type", "artifact"},
              {"bytes", one.bytes},
              {"deleted", true},
              {"left_by", Json::array()}};
    node["deleted"] = node["deleted"].get<bool>() && one.is_deleted;
    node["left_by"].push_back({{"trial", to_string(one.trial)},
                               {"replicate", one.replicate},
                               {"fold", one.fold},
                               {"piece", one.piece},
                               {"attempt", one.attempt},
                               {"role", one.role},
                               {"step", one.step}});
  }
  Json list = Json::array();
  for (auto& [sha256, node] : nodes) list.push_back(std::move(node));
  return list;
}

Json edge_json(const LineageEdge& edge) {
  return {{"kind", edge.kind},
          {"from", to_string(edge.from)},
          {"to", to_string(edge.to)},
          {"replicate", edge.replicate},
          {"fold", edge.fold},
          {"piece", edge.piece},
          {"attempt", edge.attempt},
          {"from_piece", or_null(edge.from_piece)},
          {"from_attempt", or_null(edge.from_attempt)},
          {"artifact", or_null(edge.artifact)}};
}

Json attempt_json(const LineageAttempt& attempt) {
  return {{"replicate", attempt.replicate}, {"fold", attempt.fold},           {"piece", attempt.piece},
          {"attempt", attempt.attempt},     {"from_step", attempt.from_step}, {"to_step", attempt.to_step},
          {"state", attempt.state},         {"cause", or_null(attempt.cause)}};
}

}  // namespace

Json lineage_json(const Lineage& lineage) {
  Json json = {{"schema", 1},
               {"root", lineage.trial ? to_string(*lineage.trial) : lineage.artifact},
               {"nodes", Json::array()},
               {"edges", Json::array()},
               {"attempts", Json::array()},
               {"data", or_null(lineage.data)},
               {"same_data", Json::array()}};
  for (const auto& [name, trial] : lineage.trials)
    json["nodes"].push_back(trial_object(name, trial, lineage.cut.contains(name)));
  for (Json& node : artifact_objects(lineage)) json["nodes"].push_back(std::move(node));
  for (const LineageEdge& edge : lineage.edges) json["edges"].push_back(edge_json(edge));
  for (const LineageAttempt& attempt : lineage.attempts) json["attempts"].push_back(attempt_json(attempt));
  for (const auto& [study, trials] : lineage.same_data)
    json["same_data"].push_back({{"study", study}, {"trials", trials}});
  return json;
}

}  // namespace dlrun::report
