// SPDX-License-Identifier: Apache-2.0
// Pieces that are cited from an earlier study instead of being run.
#pragma once
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "driver/incoming.hpp"
#include "driver/reuse.hpp"
#include "study/study.hpp"

namespace dlrun::driver {

/// Keeps back decided pieces until a worker has named the numerics of this run, and then those with a known result.
/// A cited result becomes an event of the next round, like the result of a worker.
class Citing {
 public:
  /// Looks for the result of a piece. @param numerics  class that this run computes in
  using Find = std::function<std::optional<Cited>(const study::StartPiece&, const std::string& numerics)>;

  /// @param numerics  that every result has which may be cited; nullopt: a worker has to name them first
  Citing(Find find, std::optional<std::string> numerics) : find_(std::move(find)), numerics_(std::move(numerics)) {}

  /// True: the piece must not start now, because its result is cited or the numerics are not known yet.
  bool keeps(const study::StartPiece& piece);
  /// A worker computes in these numerics; the first call counts. @return pieces kept so far that have to be run
  std::vector<study::StartPiece> learn(const std::string& numerics);
  /// A worker that cannot compute waits for a piece to fail by. @return the piece that was tried most often; nullopt:
  /// none waits for the numerics
  std::optional<study::StartPiece> give_up_one();
  /// The attempt is not wanted any more.
  void forget(const executor::AttemptKey& attempt);
  /// Cited results; each is returned once.
  Inbox take_found() { return std::exchange(found_, {}); }

  bool has_found() const { return !found_.empty(); }
  /// Pieces that wait for the numerics.
  std::size_t waiting() const { return unknown_.size(); }
  /// Numerics of this run; empty: not known or of no importance.
  std::string numerics() const { return numerics_.value_or(""); }

 private:
  bool cite(const study::StartPiece& piece);

  Find find_;
  std::optional<std::string> numerics_;
  std::vector<study::StartPiece> unknown_;
  Inbox found_;
};

/// Cites from the other studies of the store as the spec says (`reuse: trials`). @param spec, study  outlive it
Citing citing_from(const std::filesystem::path& store, const spec::StudySpec& spec, const study::Study& study);

}  // namespace dlrun::driver
