// SPDX-License-Identifier: Apache-2.0
// Names of metrics, parameters and tags as MLflow accepts them: they are paths of files below a run.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace dlrun::exchange {

/// Maps the names of one kind. Letters and digits of all scripts, `_ - . : /` and spaces stay; every other character
/// becomes `_`. A name that is no plain path ("a//b", "../a"), is a folder of another one ("a" beside "a/b"), is too
/// long or equals another one's new name gets no slash and no dot in front, is cut, or ends in eight digits of its
/// SHA-256. Names that MLflow accepts are mapped first, so that others cannot take their place.
class SafeNames {
 public:
  explicit SafeNames(const std::vector<std::string>& names);
  const std::string& of(const std::string& name) const { return map_.at(name); }
  /// Names that changed, and the new ones.
  std::vector<std::pair<std::string, std::string>> renamed() const;

 private:
  std::map<std::string, std::string> map_;
};

}  // namespace dlrun::exchange
