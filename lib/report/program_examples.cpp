// SPDX-License-Identifier: Apache-2.0
#include "report/program_examples.hpp"

#include <cmath>
#include <map>

#include "report/newest_artifact.hpp"
#include "trial/artifacts.hpp"
#include "trial/example_results.hpp"
#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::report {

namespace {

using Results = std::vector<trial::ExampleResult>;

double mean_of(const Results& results) {
  double sum = 0;
  for (const trial::ExampleResult& one : results) sum += one.value;
  return sum / double(results.size());
}

/// Whether the metric is their mean, but for the rounding of those who added them and of single precision.
bool has_mean(const Results& results, double metric) {
  constexpr double kRounding = 1e-5;
  return !results.empty() && std::abs(mean_of(results) - metric) <= kRounding * std::max(1.0, std::abs(metric));
}

/// None: the trial has left no such results.
Results results_of(const OpenedStudy& opened, const AblationCell& cell) {
  const auto file = newest_artifact(opened, cell.trial, trial::kExamples);
  if (!file) return {};
  try {
    Results found = trial::read_examples(read_file(*file));
    return has_mean(found, *cell.metric) ? found : Results();
  } catch (const Error&) {
    return {};  // damaged: `verify` says how
  }
}

/// Values by number of the example, ascending.
statistics::ExampleValues numbered(const Results& results, const std::map<std::string, std::int64_t>& numbers) {
  std::map<std::int64_t, double> by_number;
  for (const trial::ExampleResult& one : results) by_number[numbers.at(one.id)] = one.value;
  statistics::ExampleValues out;
  for (const auto& [number, value] : by_number) {
    out.rows.push_back(number);
    out.values.push_back(value);
  }
  return out;
}

}  // namespace

void take_program_examples(const OpenedStudy& opened, AblationStudy& study) {
  std::map<std::string, std::int64_t> numbers;
  const auto each_left = [&](const auto& use) {  // files are read twice, so that the texts of one are held at a time
    for (AblationVariant& variant : study.variants) {
      for (AblationCell& cell : variant.cells) {
        const Results left = cell.metric ? results_of(opened, cell) : Results();
        if (!left.empty()) use(cell, left);
      }
    }
  };
  each_left([&](const AblationCell&, const Results& left) {
    for (const trial::ExampleResult& one : left) numbers.emplace(one.id, 0);
  });
  std::int64_t next = 0;
  for (auto& [id, number] : numbers) number = next++;
  each_left([&](AblationCell& cell, const Results& left) {
    study.has_other_examples = study.has_other_examples || left.size() != numbers.size();
    cell.examples = numbered(left, numbers);
  });
}

}  // namespace dlrun::report
