// SPDX-License-Identifier: Apache-2.0
#include "exchange/mlflow_run.hpp"

#include <fmt/format.h>

#include "util/json.hpp"
#include "util/utf8.hpp"

namespace dlrun::exchange {

namespace {

using trial::TrialState;

/// Numbers of MLflow's RunStatus.
int run_status(TrialState state) {
  constexpr int kRunning = 1, kScheduled = 2, kFinished = 3, kFailed = 4, kKilled = 5;
  switch (state) {
    case TrialState::waiting: return kScheduled;
    case TrialState::completed: return kFinished;
    case TrialState::failed: return kFailed;
    case TrialState::pruned:
    case TrialState::cancelled: return kKilled;
    default: return kRunning;
  }
}

std::string time_text(std::optional<std::int64_t> time) { return time ? std::to_string(*time) : "null"; }

/// Keys in the order of MLflow's own files.
std::string meta_of(const MlflowExperiment& experiment, const MlflowRun& run) {
  return fmt::format(
      "artifact_uri: {}\nend_time: {}\nentry_point_name: ''\nexperiment_id: '{}'\nlifecycle_stage: active\n"
      "run_id: {}\nrun_name: {}\nrun_uuid: {}\nsource_name: ''\nsource_type: 4\nsource_version: ''\nstart_time: {}\n"
      "status: {}\ntags: []\nuser_id: dlrun\n",
      yaml_text(experiment.location + "/" + run.id + "/artifacts"), time_text(run.finished), experiment.id,
      yaml_text(run.id), yaml_text(run.name), yaml_text(run.id), run.started, run_status(run.state));
}

}  // namespace

void write_run(ExportFolder& folder, const MlflowExperiment& experiment, const MlflowRun& run) {
  const std::filesystem::path at = std::filesystem::path(experiment.id) / run.id;
  folder.write(at / "meta.yaml", meta_of(experiment, run));
  for (const char* empty : {"params", "metrics", "tags", "artifacts"}) folder.place(at / empty / "file");
  for (const auto& [name, value] : run.params) folder.write(at / "params" / name, value);
  for (const auto& [name, value] : run.tags) folder.write(at / "tags" / name, value);
  for (const MlflowMetric& metric : run.metrics) folder.write(at / "metrics" / metric.name, metric.lines);
  if (!run.artifacts.empty()) folder.write(at / "artifacts" / "dlrun-artifacts.json", run.artifacts);
}

std::string cut_text(const std::string& text, std::size_t most) {
  if (text.size() <= most) return text;
  std::size_t end = most;
  while (end > 0 && continues_character(text[end])) --end;
  return text.substr(0, end);
}

std::string file_uri(const std::filesystem::path& path) {
  std::string out = "file://";
  for (const char c : path.string()) {
    const bool is_plain = (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
                          std::string_view("/-._~").find(c) != std::string_view::npos;
    out += is_plain ? std::string(1, c) : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  }
  return out;
}

std::string yaml_text(const std::string& text) {
  return Json(text).dump(-1, ' ', true, Json::error_handler_t::replace);  // JSON's strings are YAML's
}

std::string float_text(double value) { return fmt::format("{}", value); }

}  // namespace dlrun::exchange
