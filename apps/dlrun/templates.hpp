// SPDX-License-Identifier: Apache-2.0
// The commented studies that `dlrun init` writes. Every one of them passes `dlrun check` (tests/cli/init.test).
#pragma once
#include <string>

namespace dlrun::cli {

std::string function_template();
std::string command_template();
/// @param data   path of a CSV table  @param target name of the column to predict, or its number (-1: the last)
std::string train_template(const std::string& data, const std::string& target);

}  // namespace dlrun::cli
