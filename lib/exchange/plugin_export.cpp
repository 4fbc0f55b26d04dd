// SPDX-License-Identifier: Apache-2.0
#include "exchange/plugin_export.hpp"

#include "exchange/study_source.hpp"
#include "guest/guest_exporter.hpp"
#include "util/files.hpp"

namespace dlrun::exchange {

namespace {

Json goals_of(const StudySource& source) {
  const report::OpenedStudy& study = source.study();
  Json out = Json::array({{clean_text(study.metric), study.maximize}});
  for (const report::Goal& goal : study.further) out.push_back({clean_text(goal.metric), goal.maximize});
  return out;
}

/// A text of the study is valid UTF-8 wherever it stands.
Json cleaned(const Json& value) { return value.is_string() ? Json(clean_text(value.get<std::string>())) : value; }

Json head_of(const StudySource& source) {
  Json parameters = Json::array();
  for (const Parameter& one : source.parameters()) {
    Json choices = Json::array();
    for (const Json& choice : one.choices) choices.push_back(cleaned(choice));
    parameters.push_back({{"name", one.name},
                          {"place", one.place},
                          {"type", one.type},
                          {"low", one.low},
                          {"high", one.high},
                          {"choices", std::move(choices)}});
  }
  return {{"name", source.name()},     {"is_finished", source.is_finished()}, {"created", source.created()},
          {"goals", goals_of(source)}, {"parameters", std::move(parameters)}, {"metrics", source.metrics()}};
}

template <class Number>
Json json_of(const std::optional<Number>& value) {
  return value ? Json(*value) : Json();
}

Json points_of(const Trial& trial) {
  Json out = Json::array();
  for (const Point& point : trial.points)
    out.push_back({point.metric, point.member.first, point.member.second, point.step, point.value, point.time});
  return out;
}

Json trial_json(const StudySource& source, const Trial& trial) {
  Json objectives = Json::array({trial.objective}), params = Json::array(), metrics = Json::array();
  for (const Json& value : trial.further) objectives.push_back(value);
  for (const auto& [name, value] : trial.params) params.push_back({name, value});
  for (const auto& value : last_values(source, trial)) metrics.push_back(json_of(value));
  return {{"number", trial.number},
          {"state", trial::to_string(trial.state)},
          {"objectives", std::move(objectives)},
          {"params", std::move(params)},
          {"metrics", std::move(metrics)},
          {"points", points_of(trial)},
          {"epochs", trial.epochs},
          {"attempts", trial.attempts},
          {"seconds", trial.seconds},
          {"cause", trial.cause},
          {"message", trial.message},
          {"started", json_of(trial.started)},
          {"finished", json_of(trial.finished)}};
}

void write_study(guest::GuestExporter& exporter, const StudySource& source, const std::filesystem::path& folder,
                 Exported& done) {
  exporter.begin(head_of(source));
  source.for_each_trial([&](const Trial& trial) {
    exporter.add_trial(trial_json(source, trial));
    ++done.trials;
    done.values += std::int64_t(trial.points.size());
  });
  exporter.write(folder);
  if (!source.is_finished()) done.unfinished.push_back(source.name());
}

/// Whether there is anything beside the mark of the folder itself.
bool holds_anything(const std::filesystem::path& folder) { return entries_of(folder).size() > 1; }

}  // namespace

Exported export_by_plugin(const std::string& plugin, const Json& options, const ExportRequest& request) {
  ExportFolder folder(request.folder);
  guest::GuestExporter exporter(plugin, options);
  const std::filesystem::path draft = folder.place("x").parent_path();
  Exported done;
  for (const std::string& name : request.studies)
    write_study(exporter, StudySource(request.folder.store, name), draft, done);
  exporter.finish(draft);
  if (!holds_anything(draft)) exporter.refuse("wrote no file");
  folder.keep();
  done.final_path = folder.final_path();
  return done;
}

}  // namespace dlrun::exchange
