// SPDX-License-Identifier: Apache-2.0
// Trials of a study, compactly stored, because a study may have 100,000 of them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "study/study.hpp"

namespace dlrun::study {

/// Numbers that were measured; NaN: none.
struct Objectives {
  double objective = std::numeric_limits<double>::quiet_NaN();  ///< as measured
  std::int32_t objective_step = 0;
  std::int32_t steps = 0;  ///< epochs done

  std::optional<double> value() const {
    return objective == objective ? std::optional<double>(objective) : std::nullopt;
  }
};

/// Record of a trial. Its objective is the mean of its members at the last rung that all have reached.
struct Record : Objectives {
  std::int32_t attempts = 0;  ///< sum over all members
  std::int16_t pieces = 0;    ///< pieces that all members have done; number of the next one
  std::int16_t first = 0;     ///< rung that its first piece leads to
  trial::TrialState state = trial::TrialState::waiting;
  trial::Cause cause = trial::Cause::none;
  std::int16_t donor_piece = 0;
  trial::TrialId donor;  ///< trial whose weights it began with

  /// Rung that a piece of this trial leads to.
  int rung_after(int piece) const { return first + piece; }
};

/// Record of a member. A trial and its only member need about 140 bytes, beside the trial's values.
struct MemberRecord : Objectives {
  std::int16_t pieces = 0;   ///< pieces done
  bool has_failed = false;   ///< for good, unless a person retries the trial
  bool has_ended = false;    ///< early by itself: the member gets no more pieces
  std::uint64_t digest = 0;  ///< digest of the last committed result; 0: none
  std::string last;          ///< artifact that the next piece continues from
  std::string best;          ///< artifact of the objective's epoch, if kept
};

class Trials {
 public:
  /// @param extras count of numbers that each trial has beside its objective
  Trials(std::size_t parameters, std::size_t extras, trial::Members members)
      : parameters_(parameters), extras_(extras), plan_(members) {}

  const trial::Members& plan() const { return plan_; }

  std::int64_t size() const { return static_cast<std::int64_t>(records_.size()); }
  bool contains(trial::TrialId id) const { return id.value >= 0 && id.value < size(); }
  bool contains(const space::Values& values) const {
    for (auto first = values_.begin(); first != values_.end(); first += static_cast<std::ptrdiff_t>(parameters_)) {
      if (std::equal(values.begin(), values.end(), first)) return true;
    }
    return false;
  }
  trial::TrialId add(const space::Values& values) {
    values_.insert(values_.end(), values.begin(), values.end());
    records_.emplace_back();
    members_.resize(members_.size() + static_cast<std::size_t>(plan_.count()));
    numbers_.resize(numbers_.size() + extras_, kNone);
    member_numbers_.resize(members_.size() * extras_, kNone);
    return trial::TrialId(size() - 1);
  }
  /// All trials get a value of each new parameter. @param parameters  count of parameters from now on
  void widen(std::size_t parameters, const std::function<space::Values(space::Values)>& widened) {
    std::vector<space::Value> wider;
    for (std::int64_t i = 0; i < size(); ++i) {
      const space::Values values = widened(this->values(trial::TrialId(i)));
      wider.insert(wider.end(), values.begin(), values.end());
    }
    parameters_ = parameters;
    values_ = std::move(wider);
  }
  Record& operator[](trial::TrialId id) { return records_[static_cast<std::size_t>(id.value)]; }
  const Record& operator[](trial::TrialId id) const { return records_[static_cast<std::size_t>(id.value)]; }
  MemberRecord& operator[](const trial::Member& m) { return members_[place(m)]; }
  const MemberRecord& operator[](const trial::Member& m) const { return members_[place(m)]; }
  space::Values values(trial::TrialId id) const {
    const auto first = values_.begin() + id.value * static_cast<std::int64_t>(parameters_);
    return {first, first + static_cast<std::int64_t>(parameters_)};
  }

  /// Members that have not done this piece and may do it, in order.
  std::vector<int> members_before(trial::TrialId id, int piece) const;
  /// Have all members ended early by themselves?
  bool is_early(trial::TrialId id) const;
  /// Has any member failed for good?
  bool has_failed(trial::TrialId id) const;
  /// Objectives of the members that were measured, in order.
  std::vector<double> objectives(trial::TrialId id) const;
  /// The numbers of the trial become the means of its members'.
  void take_means(trial::TrialId id);

  /// As measured: the other objectives, then the metrics that are bounded; NaN: none.
  std::span<double> extras(trial::TrialId id) {
    return std::span(numbers_).subspan(static_cast<std::size_t>(id.value) * extras_, extras_);
  }
  std::span<const double> extras(trial::TrialId id) const {
    return std::span(numbers_).subspan(static_cast<std::size_t>(id.value) * extras_, extras_);
  }
  std::span<double> extras(const trial::Member& m) {
    return std::span(member_numbers_).subspan(place(m) * extras_, extras_);
  }
  std::span<const double> extras(const trial::Member& m) const {
    return std::span(member_numbers_).subspan(place(m) * extras_, extras_);
  }

 private:
  static constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
  std::size_t place(const trial::Member& m) const {
    return static_cast<std::size_t>(m.trial.value * plan_.count() + plan_.index_of(m));
  }

  std::size_t parameters_;
  std::size_t extras_;
  trial::Members plan_;
  std::vector<Record> records_;
  std::vector<MemberRecord> members_;  ///< members of all trials, one trial after the other
  std::vector<space::Value> values_;   ///< values of all trials, one trial after the other
  std::vector<double> numbers_;        ///< extras of all trials
  std::vector<double> member_numbers_;
};

}  // namespace dlrun::study
