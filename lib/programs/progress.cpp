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

Json line_of(const char* kind, const Checkpoint& file) {
  return {{kind, file.path}, {"step", file.step}, {"stamp", file.stamp.value_or("")}};
}

Checkpoint noted_file(const Json& line, const char* kind) {
  return {line.at(kind), line.at("step"), line.at("stamp").get<std::string>()};
}

struct Noted {
  Values values;
  std::vector<Checkpoint> checkpoints, examples;
};

void note_line(Noted& noted, const Json& line) {
  if (line.contains("checkpoint")) return noted.checkpoints.push_back(noted_file(line, "checkpoint"));
  if (line.contains("examples")) return noted.examples.push_back(noted_file(line, "examples"));
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

bool is_unchanged(const Checkpoint& file) { return !file.stamp->empty() && *file.stamp == stamp_of(file.path); }

/// The file of the newest step for which this holds; of several, the one that was noted last.
template <class Holds>
std::optional<Checkpoint> newest_of(const std::vector<Checkpoint>& files, const Holds& holds) {
  const Checkpoint* newest = nullptr;
  for (const Checkpoint& file : files) {
    if ((newest == nullptr || file.step >= newest->step) && holds(file)) newest = &file;
  }
  return newest == nullptr ? std::nullopt : std::optional(*newest);
}

}  // namespace

void ProgressFile::append(const ProgressNews& news) {
  if (folder_.empty()) return;
  std::string lines;
  for (const trial::Report& report : news.values) lines += to_text(line_of(report)) + '\n';
  for (const Checkpoint& file : news.checkpoints) lines += to_text(line_of("checkpoint", file)) + '\n';
  for (const Checkpoint& file : news.examples) lines += to_text(line_of("examples", file)) + '\n';
  if (lines.empty()) return;
  std::error_code fault;
  if (!std::exchange(has_begun_, true)) std::filesystem::create_directories(folder_, fault);
  std::ofstream(folder_ / trial::kProgressFile, std::ios::app) << lines << std::flush;
}

void begin_progress(const std::filesystem::path& folder, const std::optional<Progress>& goes_on_from) {
  std::error_code none;
  std::filesystem::remove(folder / trial::kProgressFile, none);
  if (!goes_on_from) return;
  ProgressNews news{goes_on_from->reports, {goes_on_from->checkpoint}};
  if (goes_on_from->examples) news.examples = {*goes_on_from->examples};
  ProgressFile(folder).append(news);
}

std::optional<Progress> read_progress(const std::filesystem::path& folder, const PieceSteps& piece) {
  const Noted noted = noted_in(folder / trial::kProgressFile);
  const auto can_go_on = [&](const Checkpoint& file) {
    return file.step > piece.from && file.step < piece.to && has_values(noted.values, file.step, piece.needed) &&
           is_unchanged(file);
  };
  const auto newest = newest_of(noted.checkpoints, can_go_on);
  if (!newest) return std::nullopt;
  const auto examples = newest_of(noted.examples, [&](const Checkpoint& file) {
    return file.step > piece.from && file.step <= newest->step && is_unchanged(file);
  });
  return Progress{*newest, reports_up_to(newest->step, noted.values), examples};
}

}  // namespace dlrun::programs
