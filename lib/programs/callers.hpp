// SPDX-License-Identifier: Apache-2.0
// Workers that ask for pieces of one program.
#pragma once
#include <poll.h>

#include <array>
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "programs/channel.hpp"
#include "util/descriptor.hpp"

namespace dlrun::programs {

enum class Caller { owner, guest };

/// The worker that started the program, and one more of the same user and host at a time, by a socket; others wait.
class Callers {
 public:
  /// @throws Error(outside) if no socket can be made
  explicit Callers(Channel owner);

  /// Name of the socket, in the abstract namespace of this host. Empty: there is none, and no guest can come.
  const std::string& name() const { return name_; }

  /// Opens a socket of another name in place of this one, if one can be made: who knows the old name, or waits there,
  /// finds nobody.
  void change_door();
  void send_guest_away();

  /// Descriptors to poll for what comes.
  std::array<pollfd, 2> watch() const;
  /// Takes what has come, and forgets the requests of a guest that has gone. False: the owner has gone.
  bool read();
  struct Said {
    Caller who;
    std::string line;
  };
  /// The oldest request that can be answered now; nullopt: there is none.
  std::optional<Said> next(const std::function<bool(const std::string& line)>& can_be_answered);
  bool has_guest() const { return guest_.has_value(); }
  void say(Caller to, std::string_view line);
  /// Process of a caller, -1: it has gone.
  pid_t process(Caller who) const;

 private:
  void welcome();
  bool take_what_came();

  Channel owner_;
  Descriptor door_;
  std::string name_;
  std::optional<Channel> guest_;
  std::deque<Said> asked_;  ///< requests that were not answered yet
};

/// A connection to the socket of a program. @throws Error(outside) if nobody is there
Channel visit(const std::string& socket);

}  // namespace dlrun::programs
