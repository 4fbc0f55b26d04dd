// SPDX-License-Identifier: Apache-2.0
// `reuse: stages`: epochs that members have in common are trained by one of them.
#pragma once
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "driver/dispatcher.hpp"
#include "spec/prefix.hpp"
#include "trial/runner.hpp"

namespace dlrun::driver {

/// Says where a piece may begin, what it leaves for others, and whether it should wait for one. It decides nothing of
/// the study: a piece measures the same wherever it begins, and what is not there is trained.
///
/// A stage is a folder `<hash>` of spec::prefix_of, filled by whichever member gets there first. A piece waits for
/// another one that is under way to a stage that both have in common, if that one is at least as far as this one could
/// begin by itself: so no piece ends later than it would alone, as far as workers are equally fast, and others go
/// first meanwhile.
///
/// A planned search (spec::planned_trials) leaves stages where trials branch, and deletes each once all those trials
/// have passed it. Any other search leaves them where a trial with one other value would branch, if every value that
/// matters from the first epoch on is one of finitely many; the newest kMostKept stay. The end of the study deletes
/// all.
class Stages {
 public:
  static constexpr std::size_t kMostKept = 32;

  /// Values by which a trial shares epochs; nullopt: it shares none (an heir, or a trial of an older space).
  using ValuesOf = std::function<std::optional<space::Values>(trial::TrialId)>;

  /// @param folder  of all stages of the study, absolute; what lies there is offered
  Stages(const spec::StudySpec& spec, std::filesystem::path folder, ValuesOf values_of);

  bool is_off() const { return !is_on_; }
  /// Should the piece wait for a stage that another member is about to leave?
  bool waits(const study::StartPiece& piece);
  /// Notes that the piece goes to a worker now.
  void start(const study::StartPiece& piece);
  /// Says in the order of a started piece where it may begin and what it leaves.
  void equip(trial::PieceOrder& order) const;
  /// Notes that the attempt has reported this epoch.
  void reach(const trial::PieceKey& key, int attempt, std::int64_t epoch);
  /// Notes that the attempt is no longer under way. @param is_done  the member needs no stage of its epochs any more
  void end(const trial::PieceKey& key, int attempt, bool is_done);
  /// Notes that a member needs no stage up to this epoch any more.
  void pass(const trial::Member& member, std::int64_t epochs);
  /// Notes that no member of the trial needs a stage any more.
  void pass(trial::TrialId trial, const trial::Members& members);
  /// Deletes all stages.
  void remove_all();

 private:
  struct Running {
    int piece = 0, attempt = 0;
    std::int64_t at = 0;  ///< epochs done, as far as known
    std::int64_t to = 0;
    std::optional<trial::StagePlace> begin;  ///< stage of another member
    std::vector<std::int64_t> leaves;        ///< ascending
  };

  const spec::Prefix& prefix(const trial::Member& member);
  const std::vector<spec::Prefix>& planned(const trial::Member& member);
  std::vector<std::int64_t> branches(const trial::Member& member);
  std::vector<std::int64_t> planned_branches(const trial::Member& member);
  std::vector<std::int64_t> possible_branches(const trial::Member& member);
  std::int64_t begin_of(const study::StartPiece& piece);
  std::vector<std::int64_t> leaves_of(const study::StartPiece& piece, std::int64_t begin);
  void note_left(const std::string& hash);
  void remove(const std::string& hash);
  trial::StagePlace place(const trial::Member& member, std::int64_t epoch) const;

  const spec::StudySpec& spec_;
  std::filesystem::path folder_;
  ValuesOf values_of_;
  bool is_on_;
  std::vector<space::Values> trials_;                                 ///< planned; empty: nobody knows
  std::map<std::pair<int, int>, std::vector<spec::Prefix>> planned_;  ///< by replicate and fold
  std::map<trial::Member, spec::Prefix> prefixes_;
  std::map<trial::Member, Running> running_;
  std::vector<std::string> left_;  ///< hashes of stages that are there, the oldest first
  std::map<std::string, std::set<trial::Member>> passed_;
};

}  // namespace dlrun::driver
