// SPDX-License-Identifier: Apache-2.0
// Kinds of edges, in words.
#pragma once
#include <string>

namespace dlrun::report {

struct KindWords {
  std::string forth;  ///< descendant to ancestor: "began with the weights of"
  std::string back;   ///< ancestor to descendant: "gave its weights to"
};

/// A kind that is not in the table, of a newer dlrun, is said as it is called.
KindWords words_of(const std::string& kind);

}  // namespace dlrun::report
