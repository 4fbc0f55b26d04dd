// SPDX-License-Identifier: Apache-2.0
// Studies whose trials are carried out by whoever asks for them (`kind: asked`). A call opens the study, records what
// it was told and what is decided then, and closes it. Calls that come at the same time follow one another.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "driver/driver.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

struct Asked {
  std::optional<study::StartPiece> piece;  ///< to be carried out
  Json params;                             ///< active parameters by name
  /// Without a piece: those whose results the next decision has to see. None of these: the study is over.
  std::vector<trial::PieceKey> awaited;
  std::string reason;  ///< why it is over
};

/// The earliest decided piece that nobody has, which is given out by this. In order arrival there always is one,
/// unless a limit leaves none.
/// @param only  of this trial, also one that was given out before
/// @throws Error(usage) for another kind of study, Error(store) as open_study
Asked ask(const spec::StudySpec& spec, const Options& options, Display& display,
          std::optional<trial::TrialId> only = {});

/// Measurements of one step, or the failure, of a member of a trial.
struct Tell {
  trial::Member member;
  std::optional<std::int64_t> step;  ///< nullopt: the last one of its piece
  std::vector<trial::Metric> metrics;
  std::optional<std::string> failure;  ///< why the trial cannot go on
};

struct Heard {
  bool is_known = false;             ///< all of it had been told before
  std::vector<std::string> missing;  ///< metrics that the piece's last step still needs
  study::TrialView trial;            ///< as it stands now
};

/// Records values durably. The piece ends when its last step has values of all objectives and bounds.
/// @throws Error(usage) for a trial that was not asked for, a step that is not the piece's, or another value of a step
/// that has one; Error(not_found) for a trial that is not there; Error(store) as open_study
Heard tell(const spec::StudySpec& spec, const Options& options, Display& display, const Tell& tell);

}  // namespace dlrun::driver
