// SPDX-License-Identifier: Apache-2.0
// Standard output of libraries that print (METIS complains there), which would stand in the middle of an answer.
#pragma once
#include "util/descriptor.hpp"

namespace dlrun::cli {

/// As long as it lives, nothing that is printed comes out.
class SilencedOutput {
 public:
  SilencedOutput();
  ~SilencedOutput();
  SilencedOutput(const SilencedOutput&) = delete;
  SilencedOutput& operator=(const SilencedOutput&) = delete;

 private:
  Descriptor output_;
};

}  // namespace dlrun::cli
