// SPDX-License-Identifier: Apache-2.0
// This process lacks descriptors for a while.
#pragma once
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "support/catch.hpp"

namespace dlrun::support {

/// At most so many descriptors can be opened while it lives.
class FewDescriptors {
 public:
  explicit FewDescriptors(rlim_t left = 0) {
    const int lowest = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
    ::close(lowest);
    ::getrlimit(RLIMIT_NOFILE, &before_);
    const rlimit few{rlim_t(lowest) + left, before_.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &few) == 0);
  }
  ~FewDescriptors() { ::setrlimit(RLIMIT_NOFILE, &before_); }
  FewDescriptors(const FewDescriptors&) = delete;
  FewDescriptors& operator=(const FewDescriptors&) = delete;

 private:
  rlimit before_{};
};

}  // namespace dlrun::support
