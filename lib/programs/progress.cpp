// SPDX-License-Identifier: Apache-2.0
#include "programs/progress.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <utility>

#include "programs/reported_files.hpp"
#include "trial/json.hpp"
#include "trial/kinds.hpp"

namespace dlrun::programs {

namespace {

using Values = std::map<std::int64_t, std::map<std::string, double>>;

Json line_of(const trial::Report& report) { return {{"report", trial::to_json(report)}}; }

Json line_of(const Checkpoint& file) {
  return {{"checkpoint", file.path}, {"step", file.step}, {"stamp", file.stamp.value_or("")}};
}

struct Noted {
  Values values;
  std::vector<Checkpoint> checkpoints;
};

void note_line(Noted& noted, const Json& line) {
  if (line.contains("checkpoint")) {
    noted.checkpoints.push_back({line.at("checkpoint"), line.at("step"), line.at("stamp").get<std::string>()});
    return;
  }
  const trial::Report report = trial::report(line.at("report"));
  for (const trial::Metric& metric : report.metrics) noted.values[report.step][metric.name] = metric.value;
}

/// Up to a line that was cut off.
Noted noted_in(const std::filesystem::path& file) {
  Noted noted;
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    try {
      note_line(noted, parse_json(line, trial::kProgressFile));
    } catch (const std::exception&) {
      break;
    }
  }
  return noted;
}

bool has_values(const Values& values, std::int64_t step, const std::vector<std::string>& needed) {
  return std::all_of(needed.begin(), needed.end(), [&](const std::string& metric) {
    return std::any_of(values.lower_bound(step), values.end(),
                       [&](const auto& at) { return at.second.contains(metric); });
  });
}

std::vector<trial::Report> reports_up_to(std::int64_t step, const Values& values) {
  std::vector<trial::Report> reports;
  for (auto at = values.begin(); at != values.upper_bound(step); ++at) {
    reports.push_back({at->first, {}});
    for (const auto& [name, value] : at->second) reports.back().metrics.push_back({name, value});
  }
  return reports;
}

}  // namespace

void ProgressFile::append(const std::vector<trial::Report>& values, const std::vector<Checkpoint>& checkpoints) {
  if (folder_.empty()) return;
  std::string lines;
  for (const trial::Report& report : values) lines += to_text(line_of(report)) + '\n';
  for (const Checkpoint& checkpoint : checkpoints) lines += to_text(line_of(checkpoint)) + '\n';
  if (lines.empty()) return;
  std::error_code fault;
  if (!std::exchange(has_begun_, true)) std::filesystem::create_directories(folder_, fault);
  std::ofstream(folder_ / trial::kProgressFile, std::ios::app) << lines << std::flush;
}

void begin_progress(const std::filesystem::path& folder, const std::optional<Progress>& goes_on_from) {
  std::error_code none;
  std::filesystem::remove(folder / trial::kProgressFile, none);
  if (goes_on_from) ProgressFile(folder).append(goes_on_from->reports, {goes_on_from->checkpoint});
}

std::optional<Progress> read_progress(const std::filesystem::path& folder, const PieceSteps& piece) {
  const Noted noted = noted_in(folder / trial::kProgressFile);
  const auto can_go_on = [&](const Checkpoint& file) {
    return file.step > piece.from && file.step < piece.to && has_values(noted.values, file.step, piece.needed) &&
           !file.stamp->empty() && *file.stamp == stamp_of(file.path);
  };
  const Checkpoint* newest = nullptr;
  for (const Checkpoint& file : noted.checkpoints) {
    if ((newest == nullptr || file.step >= newest->step) && can_go_on(file)) newest = &file;
  }
  if (newest == nullptr) return std::nullopt;
  return Progress{*newest, reports_up_to(newest->step, noted.values)};
}

}  // namespace dlrun::programs
