// SPDX-License-Identifier: Apache-2.0
// The commented studies that `dlrun init` writes. Every one of them passes `dlrun check` (tests/cli/init.test).
#pragma once
#include <string>

namespace dlrun::cli {

std::string function_template();
std::string command_template();
std::string python_template();

/// The table of a study that trains a network on it.
struct TableToLearn {
  std::string data;         ///< path of a CSV table
  std::string target;       ///< name of the column to predict, or its number (-1: the last)
  bool has_classes = true;  ///< the target has classes; false: numbers
};
std::string train_template(const TableToLearn& table);

}  // namespace dlrun::cli
