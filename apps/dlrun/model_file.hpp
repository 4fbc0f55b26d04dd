// SPDX-License-Identifier: Apache-2.0
// A trained trial as two files that go elsewhere: its weights, and the facts for those who feed them without dlrun.
#pragma once
#include "arguments.hpp"
#include "output/console.hpp"

namespace dlrun::cli {

/// `dlrun export --safetensors TRIAL -o NAME.safetensors`: the file and NAME.yaml beside it.
/// @throws Error(usage) for another ending; Error as find_trained, weights_of, use.
int export_model(const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
