// SPDX-License-Identifier: Apache-2.0
// dlrun-guest: the process in which code of plugins runs, so that their crashes end nothing else.
//
//   dlrun-guest --serve NAME    a plugin of the driver: calls come on descriptor 3
//   dlrun-guest --read-data     one reading of a plugin of kind data
//
// Started by dlrun and by workers, never by a person.
#include <fcntl.h>
#include <unistd.h>

#include <cstdio>
#include <string_view>

#include "conversation.hpp"
#include "read_data.hpp"
#include "util/arithmetic.hpp"
#include "util/version.hpp"

namespace {

constexpr int kChannel = 3;

[[noreturn]] void serve() {
  ::close_range(kChannel + 1, ~0U, 0);  // descriptors that dlrun has inherited itself
  ::fcntl(kChannel, F_SETFD, FD_CLOEXEC);
  dlrun::arithmetic::require();
  dlrun::hold_conversation(dlrun::Descriptor(kChannel));
  std::fflush(nullptr);
  ::_exit(0);  // the plugin has nothing to save
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view first = argc > 1 ? argv[1] : "";
  if (argc == 3 && first == "--serve") serve();
  if (argc == 2 && first == "--read-data") dlrun::guest::read_data();
  if (first == "--version") {
    std::printf("dlrun-guest %s\n", dlrun::version());
    return 0;
  }
  const bool is_asked = first == "--help" || first == "-h";
  std::fputs("dlrun-guest runs plugins for dlrun and its workers, which start it themselves\n",
             is_asked ? stdout : stderr);
  return is_asked ? 0 : 2;
}
