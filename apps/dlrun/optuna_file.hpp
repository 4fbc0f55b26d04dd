// SPDX-License-Identifier: Apache-2.0
// dlrun export --optuna: studies as a database of Optuna's.
#pragma once

namespace dlrun::cli {

class Arguments;
class Console;

/// @throws Error(usage) where the file is there and --force is not.
int export_optuna(const Arguments& arguments, Console& console);

}  // namespace dlrun::cli
