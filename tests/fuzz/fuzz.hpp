// SPDX-License-Identifier: Apache-2.0
// Parts of the driver that gives damaged files to the readers of data.
#pragma once
#include <functional>
#include <map>
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
  /// Files of new examples by key; where there are any, they alone are damaged, and read for the section's model.
  std::map<std::string, std::string> fresh = {};
  bool needs_targets = true;  ///< of the new examples
};

/// All readers. An unreadable golden file is an exception.
std::vector<Reader> readers();

/// Cuts, flips, doubles, removes, overwrites with numbers at their limits, mixes with `other`.
std::string damaged(std::string bytes, const std::string& other, RandomStream& random);

/// @param is_fresh  new examples: there is nothing to train on
/// @throws std::logic_error: numbers that are not finite, indices and labels out of range, rows that are not there.
void check_promises(const dataset::Dataset& data, bool is_fresh = false);

}  // namespace dlrun::fuzz
