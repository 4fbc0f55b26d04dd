// SPDX-License-Identifier: Apache-2.0
// Keys that every entry of a list of layers has, whatever its kind: name, op, from, tags, role.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "model/scope.hpp"

namespace dlrun::model {

/// One entry, read; its attributes are still as written.
struct Item {
  const Json& written;
  std::string path;
  std::string name;  ///< full
  std::string op;    ///< empty where a fault made it unknown
  std::string role;
  std::vector<std::string> inputs;
  std::string share;  ///< full name of the node whose tensors it uses, or empty
  Scope scope;        ///< the one it stands in, its own tags added

  std::string local() const { return name.substr(scope.prefix().size()); }
};

class ItemReader {
 public:
  ItemReader(Names& names, Faults& faults) : names_(names), faults_(faults) {}

  /// @param previous value that the entry reads if it has no `from`; empty: unknown.
  Item read(const Json& written, const std::string& path, const Scope& scope, const std::string& previous);

 private:
  std::string read_op(const Json& written, const std::string& path);
  std::string read_name(const Json& written, const std::string& path, const Scope& scope);
  std::string read_role(const Json& written, const std::string& path);
  std::string read_share(const Json& written, const std::string& path, const Scope& scope);
  std::vector<std::string> read_tags(const Json& written, const std::string& path);
  std::vector<std::string> read_inputs(const Json& written, const std::string& path, const Scope& scope,
                                       const std::string& previous);

  Names& names_;
  Faults& faults_;
  std::map<std::string, int> unnamed_;  ///< numbers of unnamed nodes, by prefix and op
  bool has_head_ = false;
};

}  // namespace dlrun::model
