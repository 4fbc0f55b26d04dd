// SPDX-License-Identifier: Apache-2.0
// A plugin that is an exporter.
#include <dlrun/plugin/exporter.hpp>
#include <stdexcept>

#include "plugin/section.hpp"
#include "service.hpp"

namespace dlrun {

namespace {

plugin::StudyValue value_from(const Json& json) {
  if (json.is_null()) return {};
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  return json.is_string() ? json.get<std::string>() : to_text(json);
}

template <class Number>
std::optional<Number> number_from(const Json& json) {
  return json.is_null() ? std::nullopt : std::optional(json.get<Number>());
}

std::vector<std::optional<double>> numbers_from(const Json& list) {
  std::vector<std::optional<double>> out;
  for (const Json& one : list) out.push_back(number_from<double>(one));
  return out;
}

plugin::StudyParameter parameter_from(const Json& json) {
  plugin::StudyParameter out{.name = json.at("name"),
                             .place = json.at("place"),
                             .type = json.at("type"),
                             .low = json.at("low"),
                             .high = json.at("high"),
                             .choices = {}};
  for (const Json& choice : json.at("choices")) out.choices.push_back(value_from(choice));
  return out;
}

plugin::StudyTrial trial_from(const Json& json) {
  plugin::StudyTrial out{.number = json.at("number"),
                         .state = json.at("state"),
                         .objectives = numbers_from(json.at("objectives")),
                         .params = {},
                         .metrics = numbers_from(json.at("metrics")),
                         .points = {},
                         .epochs = json.at("epochs"),
                         .attempts = json.at("attempts"),
                         .seconds = json.at("seconds"),
                         .cause = json.at("cause"),
                         .message = json.at("message"),
                         .started = number_from<std::int64_t>(json.at("started")),
                         .finished = number_from<std::int64_t>(json.at("finished"))};
  for (const Json& one : json.at("params")) out.params.emplace_back(one.at(0), value_from(one.at(1)));
  for (const Json& one : json.at("points"))
    out.points.push_back({one.at(0), one.at(1), one.at(2), one.at(3), one.at(4), one.at(5)});
  return out;
}

plugin::Study study_from(const Json& json) {
  plugin::Study out{.name = json.at("name"),
                    .is_finished = json.at("is_finished"),
                    .created = json.at("created"),
                    .goals = {},
                    .parameters = {},
                    .metrics = json.at("metrics"),
                    .trials = {}};
  for (const Json& goal : json.at("goals")) out.goals.push_back({goal.at(0), goal.at(1)});
  for (const Json& one : json.at("parameters")) out.parameters.push_back(parameter_from(one));
  return out;
}

class ExporterService final : public Service {
 public:
  explicit ExporterService(const Opened& opened)
      : exporter_(opened.object.function<plugin::Exporter*(const plugin::Options&)>("dlrun_plugin_exporter")(
            plugin::options_of(opened.options, opened.manifest.keys))) {}

  void handle_news(const Json&) override { throw std::invalid_argument("an exporter has no news"); }

  Json call(const std::string& name, const Json& request) override {
    if (name == "begin") {
      study_ = study_from(request.at("study"));
    } else if (name == "add") {
      for (const Json& trial : request.at("trials")) study_.trials.push_back(trial_from(trial));
    } else if (name == "write") {
      exporter_->write(study_, request.at("folder").get<std::string>());
      study_ = {};
    } else if (name == "finish") {
      exporter_->finish(request.at("folder").get<std::string>());
    } else {
      throw std::invalid_argument("an exporter has no call " + name);
    }
    return {};
  }

 private:
  plugin::Study study_;
  std::unique_ptr<plugin::Exporter> exporter_;
};

}  // namespace

std::unique_ptr<Service> make_exporter_service(const Opened& opened) {
  return std::make_unique<ExporterService>(opened);
}

}  // namespace dlrun
