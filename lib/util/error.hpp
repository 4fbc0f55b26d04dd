// SPDX-License-Identifier: Apache-2.0
// The one exception type that leaves lib/. The room that owns a library catches its exceptions and says what was
// attempted; the command line turns the kind into an exit code.
#pragma once
#include <stdexcept>
#include <string>
#include <utility>

namespace dlrun {

/// Kind of fault; the number is the process's exit code and part of the interface (conventions.md).
enum class ErrorKind {
  failures = 1,      ///< done, but failures passed the limit
  usage = 2,         ///< wrong command line or spec
  not_found = 3,     ///< no such study or trial
  store = 4,         ///< store locked, damaged or of another version
  no_worker = 5,     ///< no worker or executor to be had
  internal = 70,     ///< our bug
  outside = 75,      ///< a fault from outside (disk full, I/O error); state is whole, run again
  interrupted = 130  ///< a person said stop; run again
};

/// A fault that ends the command. `what()` is the message alone: lower case, no full stop, values quoted.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message, std::string hint = {}, std::string place = {})
      : std::runtime_error(message), kind_(kind), hint_(std::move(hint)), place_(std::move(place)) {}

  ErrorKind kind() const { return kind_; }
  int exit_code() const { return static_cast<int>(kind_); }
  /// Advice on what would be right, or empty.
  const std::string& hint() const { return hint_; }
  /// "file:line:column" or a path; empty where there is none.
  const std::string& place() const { return place_; }

 private:
  ErrorKind kind_;
  std::string hint_;
  std::string place_;
};

/// Part of a map's entry. A fault of the key (nothing has that name, nothing uses it) points at the key.
enum class Part { value, key };

}  // namespace dlrun
