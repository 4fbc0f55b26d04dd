// SPDX-License-Identifier: Apache-2.0
#include "util/version.hpp"

namespace dlrun {

const char* version() { return DLRUN_VERSION; }

}  // namespace dlrun
