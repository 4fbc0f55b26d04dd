// SPDX-License-Identifier: Apache-2.0
#include "model/faults.hpp"

#include <algorithm>
#include <string_view>

namespace dlrun::model {

void Faults::add(ModelError fault) {
  if (sink_ == nullptr) throw fault;
  const bool known = std::any_of(sink_->begin(), sink_->end(), [&](const ModelError& other) {
    return other.path() == fault.path() && std::string_view(other.what()) == fault.what();
  });
  if (!known) sink_->push_back(std::move(fault));
}

void Faults::add_first(ModelError fault) {
  if (!has(fault.path())) add(std::move(fault));
}

bool Faults::has(const std::string& path) const {
  if (sink_ == nullptr) return false;
  return std::any_of(sink_->begin(), sink_->end(), [&](const ModelError& fault) {
    return fault.path() == path || fault.path().rfind(path + '.', 0) == 0;
  });
}

}  // namespace dlrun::model
