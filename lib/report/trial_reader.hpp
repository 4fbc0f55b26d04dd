// SPDX-License-Identifier: Apache-2.0
// Answers about one trial from the store, read-only.
#pragma once
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "report/report.hpp"
#include "report/selectors.hpp"

namespace dlrun::report {

struct OpenedStudy;

/// Reads one trial of an opened study. Each call sees one moment of the study.
/// @throws Error(not_found) with the nearest name, or if there is no such trial; Error(store) damaged or newer.
class TrialReader {
 public:
  TrialReader(const std::filesystem::path& store, const OneTrial& trial);
  ~TrialReader();

  Table facts() const;                 ///< all facts of the trial: fact, value
  std::vector<Table> details() const;  ///< attempts, metrics by epoch, artifacts, edges
  /// Decisions of the trial with their reasons, and the results that the last of them was compared with.
  std::vector<Table> explanation() const;
  /// Settings that differ from another trial's (setting, this, other), and what both measured (fact, this, other,
  /// difference).
  std::vector<Table> difference(const TrialReader& other) const;
  std::string name() const;                         ///< "study/17"
  Json params() const;                              ///< {parameter: value} of the active ones, typed as in the spec
  Json config() const;                              ///< trial section of the spec with the values set: ready to run
  std::vector<std::filesystem::path> logs() const;  ///< log.txt and *.log, oldest attempt first
  std::string log_tail() const;                     ///< last lines kept of the newest attempt that has any

 private:
  std::unique_ptr<OpenedStudy> study_;
  std::int64_t number_;
};

}  // namespace dlrun::report
