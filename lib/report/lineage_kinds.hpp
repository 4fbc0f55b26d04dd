// SPDX-License-Identifier: Apache-2.0
// Kinds of edges, in words.
#pragma once
#include <string>

namespace dlrun::report {

struct KindWords {
  std::string forth;  ///< descendant to ancestor: "began with the weights of"
  std::string back;   ///< ancestor to descendant: "gave its weights to"
};

/// Words of a kind of edge; a kind of a newer dlrun, which the table lacks, is shown by its own name.
KindWords words_of(const std::string& kind);

}  // namespace dlrun::report
