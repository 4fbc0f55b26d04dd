// SPDX-License-Identifier: Apache-2.0
// A final training beside its rivals (`dlrun train --compare`), as its store has it.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "report/opened.hpp"
#include "report/warm_race.hpp"

namespace dlrun::report {

/// One training.
struct FinalTraining {
  std::vector<double> curve;          ///< the metric after epochs it trained itself
  std::vector<std::int64_t> at = {};  ///< number of own epochs that each value is after; empty: after every one
  std::int64_t length = 0;            ///< own epochs; 0: as many as the curve has values
  std::optional<double> test;         ///< metric of the test split, measured once
  double seconds = 0;                 ///< seconds of workers
  double overhead = 0;                ///< epochs of the race that chose its start, its seed's share of them
  double overhead_seconds = 0;        ///< and seconds
  double reached =
      0;  ///< epochs until it reached the target, without overhead; of one that did not, with (count_misses)
  bool has_reached = false;

  double epochs() const { return double(length > 0 ? length : std::int64_t(curve.size())); }
};

struct FinalArm {
  std::string name;                                ///< kaiming, best, …; race: the winner of one, with what it cost
  std::int64_t donor_epochs = 0;                   ///< epochs of the trials whose weights it began with, together
  std::int64_t depth = 0;                          ///< epochs of the one that was trained longest
  std::map<std::string, FinalTraining> trainings;  ///< by seed, those that are over
};

/// The race that chose a final training's start, as the final training says it.
struct FinalRace {
  std::string study, chosen;
  std::int64_t epochs = 0;               ///< trained by all arms together
  std::optional<WarmRaceResult> result;  ///< nullopt: it is not in this store
};

struct FinalStudy {
  std::string name, of;      ///< the study, and the trial it follows
  std::string metric, test;  ///< "val.accuracy", "test.accuracy"
  bool maximize = true;
  bool is_training = true;  ///< not of a program, which may count in percent
  double target = 0;
  bool is_own_target = false;  ///< a number of the file; else from kaiming's last values
  std::int64_t epochs = 0;
  double points = 0;                          ///< hundredths of the metric that make no difference; 0: not asked
  std::optional<std::int64_t> search_epochs;  ///< epochs of the whole search; nullopt: it is not in this store
  std::optional<FinalRace> race;              ///< nullopt: the file names its policy
  int seeds = 1;                              ///< trainings of each arm
  std::vector<FinalArm> arms;                 ///< kaiming first, then race; none: it was trained beside no rival
};

/// Whether the study is a final training of which `--section final` knows more than its trials: it has rivals, or a
/// race chose its start.
bool is_final_study(const OpenedStudy& opened);

/// @throws Error(usage) where it is none.
FinalStudy final_study(const OpenedStudy& opened);

/// Target where the file names none: worse than kaiming's end by a hundredth of its size.
double usual_target(double end, bool maximize);

/// Fills in `reached` and `has_reached`.
void reach(FinalTraining& training, double target, bool maximize);

/// Values until the running median of three reaches the target (of the first two epochs: the worse of what there is);
/// `most` or as many as there are where it never does.
/// @param most  epochs that a rival is given: a short run that misses the target is no faster for being short
/// @return the number and whether it was reached
std::pair<std::int64_t, bool> epochs_to(const std::vector<double>& curve, double target, bool maximize,
                                        std::int64_t most = 0);

/// Arms of a comparison that has ended, if all their trainings failed.
std::vector<std::string> failed_arms(const OpenedStudy& opened);

/// Trainings that missed the target count with the epochs of the longest of all, overhead among them: none is faster or
/// slower than another for how long it went on.
void count_misses(FinalStudy& study);

/// Worth of each arm: an answer in sentences, epochs to the target, last value, cost. The last value of an arm is
/// compared with kaiming's twice: for a difference, and for the lack of one by two one-sided t tests (Schuirmann, J.
/// Pharmacokinet. Biopharm. 15, 1987) of the paired differences within `points`.
std::vector<Table> tables_of(const FinalStudy& study);
std::vector<Table> final_of(const OpenedStudy& opened);

}  // namespace dlrun::report
