// SPDX-License-Identifier: Apache-2.0
// Trials of Python, each in a process below an interpreter that has imported their file.
#pragma once
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "process/child.hpp"
#include "programs/channel.hpp"
#include "programs/keeper.hpp"
#include "programs/spared.hpp"
#include "programs/subprocess.hpp"

namespace dlrun::programs {

/// An interpreter (python/dlrun/run.py) that imports at once, and starts the process of a trial, with its keeper, when
/// asked to.
class Forks {
 public:
  /// @throws Error(outside) if it cannot be started
  explicit Forks(const Launch& interpreter);
  Forks(const Forks&) = delete;
  Forks& operator=(const Forks&) = delete;

  /// Waits until the interpreter has imported.
  /// @param wants_end  asked again and again; true: nobody wants the trial any more
  /// @return null: it was not wanted
  /// @throws Error(usage) if the interpreter has ended, Error(outside) if the machine has no process for it
  std::unique_ptr<Keeper> start(const Start& start, const std::function<bool()>& wants_end);

  bool has_ended() { return interpreter_.has_ended(); }
  /// Lines that it has printed since the last call.
  std::string take_output();
  /// Bytes that it has printed so far. Unlike take_output() it may be asked while the interpreter prints.
  std::size_t printed() const;

 private:
  std::optional<std::string> answer(const std::function<bool()>& wants_end);
  [[noreturn]] void fail();

  Descriptor output_;
  std::size_t taken_ = 0;  ///< bytes of the output
  process::Child interpreter_;
  std::optional<Spared> spared_;
  Channel channel_;
};

}  // namespace dlrun::programs
