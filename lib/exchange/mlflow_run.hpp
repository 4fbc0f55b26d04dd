// SPDX-License-Identifier: Apache-2.0
// One run of an MLflow file store as files.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "exchange/export_folder.hpp"
#include "trial/trial.hpp"

namespace dlrun::exchange {

/// A curve of a run: lines "time value step".
struct MlflowMetric {
  std::string name;
  std::string lines;
};

/// Names of params, metrics and tags are safe names (safe_names.hpp).
struct MlflowRun {
  std::string id;
  std::string name;
  trial::TrialState state = trial::TrialState::waiting;
  std::int64_t started = 0;  ///< ms since 1970
  std::optional<std::int64_t> finished;
  std::vector<std::pair<std::string, std::string>> params;
  std::vector<std::pair<std::string, std::string>> tags;
  std::vector<MlflowMetric> metrics;
  std::string artifacts;  ///< text of the list of artifacts; empty: none
};

/// Where the runs of an experiment lie.
struct MlflowExperiment {
  std::string id;
  std::string location;  ///< URI of the experiment's folder, as it will be
};

void write_run(ExportFolder& folder, const MlflowExperiment& experiment, const MlflowRun& run);

/// So many bytes at most, cut before a character.
std::string cut_text(const std::string& text, std::size_t most);

/// A file's URI, with all but plain characters escaped.
std::string file_uri(const std::filesystem::path& path);

/// A text of YAML in double quotes.
std::string yaml_text(const std::string& text);

/// "0.5", "nan", "-inf": as Python's float() reads it, exactly.
std::string float_text(double value);

}  // namespace dlrun::exchange
