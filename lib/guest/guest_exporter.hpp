// SPDX-License-Identifier: Apache-2.0
// A plugin that writes studies for another tool.
#pragma once
#include <filesystem>
#include <string>

#include "guest/process.hpp"

namespace dlrun::guest {

/// Hands studies to the process of a plugin (include/dlrun/plugin/exporter.hpp), trial by trial: here is never more
/// than some of them. Errors: those of Process.
class GuestExporter {
 public:
  /// @param options  values of the plugin's keys
  GuestExporter(const std::string& name, Json options, Limits limits = limits_of_environment());

  /// Begins a study. @param head  name, is_finished, created, goals, parameters, metrics
  void begin(const Json& head);
  void add_trial(Json trial);
  /// Lets the plugin write the study.
  void write(const std::filesystem::path& folder);
  void finish(const std::filesystem::path& folder);
  /// Ends the process for a folder that breaks the contract. @throws Error(outside), always
  [[noreturn]] void refuse(const std::string& fault) { process_.refuse(fault); }

 private:
  void flush();

  Process process_;
  Json trials_ = Json::array();  ///< not handed over yet
  std::size_t values_ = 0;       ///< in `trials_`
};

}  // namespace dlrun::guest
