// SPDX-License-Identifier: Apache-2.0
// Artifacts that are missing or damaged: found before a piece leaves, or by the worker that read them, and made again
// by this run's workers. The study hears nothing of it.
#pragma once
#include <set>
#include <string>
#include <vector>

#include "driver/clock.hpp"
#include "driver/dispatcher.hpp"
#include "driver/driver.hpp"
#include "driver/repairs.hpp"
#include "driver/side_rows.hpp"
#include "storage/store.hpp"
#include "study/study.hpp"
#include "trial/artifacts.hpp"

namespace dlrun::driver {

/// The gate between decided work and the dispatcher: work passes when all that it reads is there.
class Mending {
 public:
  static constexpr int kMostTries = 3;  ///< tries of a repair whose worker is lost

  /// All of these outlive it.
  struct Parts {
    const spec::StudySpec& spec;
    const study::Study& study;
    storage::Store& store;
    Dispatcher& dispatcher;
    SideRows& side_rows;
    Display& display;
    const Clock& clock;
  };

  explicit Mending(const Parts& parts);

  const trial::WorkSetup& setup() const { return setup_; }
  /// Gives work to the dispatcher once all that it reads is there.
  /// @throws Error(store), Error(outside) if an artifact cannot be made again
  void queue(Work work);
  /// The worker says that an input is missing or damaged; this driver's own look decides. A damaged file is moved
  /// aside and stays until it is made again. @throws likewise
  void examine(trial::PieceResult& result, const Work& work);
  /// A piece that was run again has ended well. @param numerics  class that this run computes in
  /// @throws Error(store) if the result has other bits
  void succeeded(trial::PieceResult& result, const Work& work, const std::string& numerics);
  /// A piece that was run again has failed, or its worker was lost. @throws Error  if it was tried too often
  void failed(trial::PieceResult& result, const Work& work);
  /// Forgets held work, which is not wanted any more.
  void drop(const executor::AttemptKey& held) { repairs_.drop(held); }
  /// Makes whole what a finished study keeps. Contents are read only if this run has found an artifact missing or
  /// damaged. An artifact that cannot be made again is named, and is no reason to end otherwise.
  void mend(const std::vector<std::string>& kept);
  bool is_idle() const { return repairs_.is_idle(); }

 private:
  Repairs::Facts facts();
  bool has_artifact(const std::string& sha256) const;
  bool has_all(const std::vector<std::string>& artifacts) const;
  Remake remake(const std::string& sha256);
  std::vector<std::string> reads_of(const Work& work) const;
  void queue_free();
  void set_aside(const trial::InputFile& input);
  void require_same_bits(const trial::PieceResult& result, const Work& work, const std::string& numerics);
  [[noreturn]] void refuse_other_bits(const std::string& sha256, const Work& work, const std::string& numerics);
  void mend(const std::string& sha256, bool reads_it);

  Parts parts_;
  const trial::WorkSetup setup_;
  Repairs repairs_;
  std::set<std::string> damaged_;  ///< artifacts whose files were moved aside
};

}  // namespace dlrun::driver
