// SPDX-License-Identifier: Apache-2.0
// The libtorch that this build of dlrun needs.
#pragma once

namespace dlrun::libtorch {

/// Version that the trainer was compiled against: "2.11.0". No other one has the same ABI.
const char* needed_version();

/// Shell command that installs the needed version: "pip install --no-deps torch==2.11.0 …".
const char* install_command();

}  // namespace dlrun::libtorch
