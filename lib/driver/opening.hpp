// SPDX-License-Identifier: Apache-2.0
// A study's store and state, as they were left.
#pragma once
#include <deque>
#include <memory>
#include <optional>

#include "driver/amending.hpp"
#include "driver/blame.hpp"
#include "driver/clock.hpp"
#include "driver/crowded.hpp"
#include "driver/driver.hpp"
#include "driver/learning.hpp"
#include "driver/settings.hpp"
#include "storage/store.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

/// A piece that was run from beginning to end.
struct Finished {
  study::StartPiece piece;
  double seconds = 0;
};

struct Opened {
  std::unique_ptr<storage::Store> store;
  std::unique_ptr<study::Study> study;  ///< every recorded row applied
  std::int64_t rows = 0;                ///< rows of the log; 0: a new study
  double seconds = 0;                   ///< time that workers were busy in earlier runs
  std::deque<Finished> finished;        ///< the newest, as many as Stragglers remembers
  Lessons lessons;                      ///< a new study's, to be recorded before its first decision
  spec::StudySpec spec;                 ///< spec of the newest version
  std::optional<Amending> amending;     ///< to be recorded before the next decision
  std::optional<NewSettings> settings;  ///< to be recorded when the run starts
  Blame blame;                          ///< losses of hosts and trials, as the last driver left them
  Crowded crowded;                      ///< pieces that must run alone, likewise
};

/// Makes the study, or opens it and replays its log.
/// @throws Error(store) if the study has another spec (naming the differences) and no amendment was asked for, or if
/// the study is held by another driver, damaged or newer; Error(usage) if it cannot be amended so; Error(outside).
Opened open_study(const spec::StudySpec& file, const std::filesystem::path& folder, const Options& options,
                  const Clock& clock);

}  // namespace dlrun::driver
