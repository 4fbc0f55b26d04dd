// SPDX-License-Identifier: Apache-2.0
// The program's version, as CMakeLists.txt has it.
#pragma once

namespace dlrun {

/// "0.1.0"
const char* version();

}  // namespace dlrun
