// SPDX-License-Identifier: Apache-2.0
// Parts of the driver that gives damaged files to the readers of data.
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "dataset/dataset.hpp"
#include "util/random.hpp"

namespace dlrun::fuzz {

/// A reader under test: files in a folder, and a section that names them.
struct Reader {
  std::string name;
  std::vector<std::pair<std::string, std::string>> files;  ///< name -> good content
  std::string section;                                     ///< JSON of a `data:` section; empty: `call` instead
  std::function<void(const std::string& bytes)> call;      ///< on the damaged first file
};

/// All readers. An unreadable golden file is an exception.
std::vector<Reader> readers();

/// Cuts, flips, doubles, removes, overwrites with numbers at their limits, mixes with `other`.
std::string damaged(std::string bytes, const std::string& other, RandomStream& random);

/// @throws std::logic_error: numbers that are not finite, indices and labels out of range, rows that are not there.
void check_promises(const dataset::Dataset& data);

}  // namespace dlrun::fuzz
