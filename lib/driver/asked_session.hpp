// SPDX-License-Identifier: Apache-2.0
// A study of kind `asked`, open for one call.
#pragma once
#include <optional>
#include <vector>

#include "driver/opening.hpp"
#include "driver/recorder.hpp"

namespace dlrun::driver {

/// Records events and decisions. What decisions order is carried out by whoever asks, not here.
class AskedSession {
 public:
  /// Opens the study, or makes it, once no other call has it.
  /// @throws Error(usage) for another kind of study; otherwise as open_study
  AskedSession(const spec::StudySpec& file, const Options& options, Display& display);

  study::Study& study() { return *opened_.study; }
  storage::Store& store() { return *opened_.store; }
  const spec::StudySpec& spec() const { return opened_.spec; }
  Recorder& recorder() { return recorder_; }

  /// Pieces that are decided and have no result, in the order of their decisions.
  std::vector<study::StartPiece> pending();
  /// The one of a member, if there is one.
  std::optional<study::StartPiece> piece_of(const trial::Member& member);
  /// When it was given out, in milliseconds since 1970; nullopt: to nobody yet.
  std::optional<std::int64_t> given_at(const study::StartPiece& piece);

  /// Opens a transaction; the first one has the rows that say who called.
  void begin();
  void commit() { store().commit(storage::Durability::full); }
  void close();

 private:
  void amend(const Amending& amending);

  const Options& options_;
  Display& display_;
  MachineClock clock_;
  Opened opened_;
  Outbox outbox_;
  Adoption adoption_;
  Tally tally_;
  Curves curves_{""};
  Citing citing_;
  Stages stages_;
  const Retrying retrying_;
  Origins origins_;
  Effects effects_;
  Recorder recorder_;
  bool has_begun_ = false;
};

}  // namespace dlrun::driver
