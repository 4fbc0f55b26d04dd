// SPDX-License-Identifier: Apache-2.0
// The trials of a study, compactly: 100,000 of them should not be felt.
#pragma once
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "study/study.hpp"

namespace dlrun::study {

/// One trial as the study knows it: about 100 bytes, and its values beside.
struct Record {
  double objective = std::numeric_limits<double>::quiet_NaN();  ///< as measured; NaN: none
  std::int32_t objective_step = 0;
  std::int32_t steps = 0;  ///< epochs done
  std::int32_t attempts = 0;
  std::int16_t pieces = 0;  ///< done; the number of the next one
  std::int16_t first = 0;   ///< rung its first piece leads to
  trial::TrialState state = trial::TrialState::waiting;
  trial::Cause cause = trial::Cause::none;
  std::uint64_t digest = 0;  ///< of the last committed result, 0: none
  std::string last;          ///< artifact the next piece goes on from
  std::string best;          ///< artifact of the objective's epoch, where kept

  std::optional<double> value() const {
    return objective == objective ? std::optional<double>(objective) : std::nullopt;
  }
};

class Trials {
 public:
  /// @param extras numbers that each trial has beside its objective
  Trials(std::size_t parameters, std::size_t extras) : parameters_(parameters), extras_(extras) {}

  std::int64_t size() const { return static_cast<std::int64_t>(records_.size()); }
  bool contains(trial::TrialId id) const { return id.value >= 0 && id.value < size(); }
  trial::TrialId add(const space::Values& values) {
    values_.insert(values_.end(), values.begin(), values.end());
    records_.emplace_back();
    numbers_.resize(numbers_.size() + extras_, std::numeric_limits<double>::quiet_NaN());
    return trial::TrialId(size() - 1);
  }
  Record& operator[](trial::TrialId id) { return records_[static_cast<std::size_t>(id.value)]; }
  const Record& operator[](trial::TrialId id) const { return records_[static_cast<std::size_t>(id.value)]; }
  space::Values values(trial::TrialId id) const {
    const auto first = values_.begin() + id.value * static_cast<std::int64_t>(parameters_);
    return {first, first + static_cast<std::int64_t>(parameters_)};
  }

  /// As measured: the other objectives, then the metrics that are bounded; NaN: none.
  std::span<double> extras(trial::TrialId id) {
    return std::span(numbers_).subspan(static_cast<std::size_t>(id.value) * extras_, extras_);
  }
  std::span<const double> extras(trial::TrialId id) const {
    return std::span(numbers_).subspan(static_cast<std::size_t>(id.value) * extras_, extras_);
  }

 private:
  std::size_t parameters_;
  std::size_t extras_;
  std::vector<Record> records_;
  std::vector<space::Value> values_;  ///< all trials', one after the other
  std::vector<double> numbers_;       ///< and their extras
};

}  // namespace dlrun::study
