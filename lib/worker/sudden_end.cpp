// SPDX-License-Identifier: Apache-2.0
#include "worker/sudden_end.hpp"

#include <unistd.h>

#include <utility>

namespace dlrun::worker {

namespace {

std::function<void()>& clean_up() {
  static std::function<void()> function;
  return function;
}

}  // namespace

void at_sudden_end(std::function<void()> clean_up_now) { clean_up() = std::move(clean_up_now); }

void end_suddenly(int code) {
  if (clean_up()) clean_up()();
  ::_exit(code);
}

}  // namespace dlrun::worker
