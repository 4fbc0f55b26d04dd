// SPDX-License-Identifier: Apache-2.0
#include "dataset/clusters.hpp"

#include <algorithm>

namespace dlrun::dataset {

namespace {

using Numbers = std::vector<std::int64_t>;

Numbers chosen(const Numbers& all, const Numbers& rows) {
  Numbers out;
  for (const std::int64_t row : rows) out.push_back(all[std::size_t(row)]);
  return out;
}

}  // namespace

std::int64_t stretch_length(std::int64_t times, std::int64_t least) {
  std::int64_t root = 1;
  while (root * root * root < times) ++root;
  return std::max(root, least);
}

Numbers clusters_by_group(const Numbers& groups, const Numbers& val) { return chosen(groups, val); }

Numbers clusters_by_time(const Numbers& times, const Numbers& val, std::int64_t least) {
  Numbers clusters = chosen(times, val), different = clusters;
  std::sort(different.begin(), different.end());
  different.erase(std::unique(different.begin(), different.end()), different.end());
  const std::int64_t length = stretch_length(std::int64_t(different.size()), least);
  for (std::int64_t& time : clusters)
    time = (std::lower_bound(different.begin(), different.end(), time) - different.begin()) / length;
  return clusters;
}

}  // namespace dlrun::dataset
