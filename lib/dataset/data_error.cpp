// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

DataError DataError::missing(std::string path, const std::string& message, const std::vector<std::string>& places,
                             std::string hint) {
  DataError fault(std::move(path), fmt::format("{}\n  {}", message, fmt::join(places, "\n  ")), std::move(hint));
  fault.brief_ = fmt::format("{} {}", message, fmt::join(places, ", "));
  return fault;
}

std::string DataError::brief() const {
  if (!brief_.empty()) return brief_;
  std::string out = what();
  for (std::size_t at = out.find('\n'); at != std::string::npos; at = out.find('\n', at)) {
    const std::size_t end = std::min(out.find_first_not_of(" \n", at), out.size());
    out.replace(at, end - at, ", ");
  }
  return out;
}

}  // namespace dlrun::dataset
