// SPDX-License-Identifier: Apache-2.0
#include "graph_file.hpp"

#include "util/error.hpp"
#include "util/files.hpp"

namespace dlrun::cli {

namespace {

/// The answer of `read`, whose errors say in which file.
template <class Read>
auto in_file(const std::string& file, Read read) {
  try {
    return read();
  } catch (const Error& fault) {
    throw Error(fault.kind(), file + ": " + fault.what(), fault.hint());
  }
}

}  // namespace

bool is_study(const std::string& file) { return file.ends_with(".yaml") || file.ends_with(".yml"); }

placement::Graph graph_of(const Json& json, const std::string& file) {
  return in_file(file, [&] { return placement::read_graph(json); });
}

placement::Workload workload_of(const Json& json, const std::string& file) {
  return in_file(file, [&] { return placement::read_workload(json); });
}

placement::Rules rules_in(const std::string& file) {
  const Json json = parse_json(read_file(file), file);
  return in_file(file, [&] { return placement::read_rules(json); });
}

}  // namespace dlrun::cli
