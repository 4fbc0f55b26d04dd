// SPDX-License-Identifier: Apache-2.0
// dlrun-guest: the process in which code of plugins runs, so that their crashes end nothing else. Started by dlrun and
// by workers, never by a person.
#include <cstdio>
#include <string_view>

#include "read_data.hpp"

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--read-data") dlrun::guest::read_data();
  std::fputs("dlrun-guest runs plugins for dlrun and its workers, which start it themselves\n", stderr);
  return 2;
}
