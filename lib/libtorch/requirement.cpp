// SPDX-License-Identifier: Apache-2.0
#include "libtorch/requirement.hpp"

namespace dlrun::libtorch {

const char* needed_version() { return DLRUN_LIBTORCH_VERSION; }

const char* install_command() { return DLRUN_LIBTORCH_COMMAND; }

}  // namespace dlrun::libtorch
