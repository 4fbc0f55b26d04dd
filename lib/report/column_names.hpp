// SPDX-License-Identifier: Apache-2.0
// Names of a table's columns, each of them once.
#pragma once
#include <string>
#include <vector>

namespace dlrun::report {

inline constexpr const char* kParameterPrefix = "param.";
inline constexpr const char* kMetricPrefix = "metric.";
inline constexpr const char* kObjectivePrefix = "objective/";

/// Adds a column. A name that an earlier column has, or that is `study`, the column in front of several studies, gets
/// `prefix` in front, then a number behind.
void add_column(std::vector<std::string>& columns, const std::string& name, const std::string& prefix);

/// Adds the parameters of a study.
void add_parameters(std::vector<std::string>& columns, const std::vector<std::string>& names);

/// Name of an objective beside its metric, which has a column or a curve of its own.
inline std::string objective_tag(const std::string& metric) { return kObjectivePrefix + metric; }

}  // namespace dlrun::report
