// SPDX-License-Identifier: Apache-2.0
// Checks one map of the `data:` section against its table and fills in the defaults.
#pragma once
#include <string>
#include <vector>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

using options::boolean;
using options::choice;
using options::integer;
using options::key;
using options::list;
using options::real;
using options::table;
using options::text;
using options::variant;

/// Throws the first fault, or collects all.
class Faults {
 public:
  explicit Faults(std::vector<DataError>* sink) : sink_(sink) {}
  void add(DataError fault) {
    if (sink_ == nullptr) throw fault;
    sink_->push_back(std::move(fault));
  }

  /// Collected so far.
  std::size_t count() const { return sink_ == nullptr ? 0 : sink_->size(); }

 private:
  std::vector<DataError>* sink_;
};

/// @param path dotted place of the map, empty at the top of the section.
Json fill_in(const Json& map, const options::Table& options, const std::string& path, Faults& faults);

/// The option `cache` of formats that keep what they make; false: read and make it anew.
options::Key cache_option(const char* what);
bool uses_cache(const Json& data);

}  // namespace dlrun::dataset
