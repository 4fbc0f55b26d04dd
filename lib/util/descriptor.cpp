// SPDX-License-Identifier: Apache-2.0
#include "util/descriptor.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace dlrun {

void Descriptor::close() {
  if (fd_ >= 0) ::close(release());
}

void Descriptor::set_nonblocking() const { ::fcntl(fd_, F_SETFL, O_NONBLOCK); }

}  // namespace dlrun
