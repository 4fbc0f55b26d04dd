// SPDX-License-Identifier: Apache-2.0
#include "graph_file.hpp"

#include "util/error.hpp"

namespace dlrun::cli {

placement::Graph graph_of(const Json& json, const std::string& file) {
  try {
    return placement::read_graph(json);
  } catch (const Error& fault) {
    throw Error(fault.kind(), file + ": " + fault.what(), fault.hint());
  }
}

}  // namespace dlrun::cli
