// SPDX-License-Identifier: Apache-2.0
#include "report/trial_reader.hpp"

#include "report/opened.hpp"

namespace dlrun::report {

namespace {

std::string study_of(const std::filesystem::path& store, const OneTrial& trial) {
  return trial.study.empty() ? chosen(store, {}).front() : chosen(store, {trial.study}).front();
}

}  // namespace

TrialReader::TrialReader(const std::filesystem::path& store, const OneTrial& trial)
    : study_(std::make_unique<OpenedStudy>(open_study(store, study_of(store, trial)))), number_(trial.number) {}
TrialReader::~TrialReader() = default;

Table TrialReader::facts() const {
  const Snapshot snapshot(*study_);
  return facts_of(*study_, number_);
}

std::vector<Table> TrialReader::details() const {
  const Snapshot snapshot(*study_);
  return details_of(*study_, number_);
}

std::vector<Table> TrialReader::explanation() const {
  const Snapshot snapshot(*study_);
  return explanation_of(*study_, number_);
}

std::vector<Table> TrialReader::difference(const TrialReader& other) const {
  const Snapshot here(*study_), there(*other.study_);
  return difference_of(*study_, number_, *other.study_, other.number_);
}

std::string TrialReader::name() const { return trial_name(*study_, number_); }

Json TrialReader::params() const {
  const Snapshot snapshot(*study_);
  require_trial(*study_, number_);
  return params_of(*study_, number_);
}

Json TrialReader::config() const {
  const Snapshot snapshot(*study_);
  return config_of(*study_, number_);
}

std::vector<std::filesystem::path> TrialReader::logs() const { return logs_of(*study_, number_); }
std::string TrialReader::log_tail() const { return log_tail_of(*study_, number_); }

}  // namespace dlrun::report
