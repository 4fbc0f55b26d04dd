// SPDX-License-Identifier: Apache-2.0
#include "statistics/corrections.hpp"

#include <algorithm>
#include <numeric>

#include "util/error.hpp"

namespace dlrun::statistics {

namespace {

std::vector<std::size_t> by_size(const std::vector<double>& p) {
  std::vector<std::size_t> order(p.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p[a] < p[b]; });
  return order;
}

}  // namespace

std::vector<double> holm(const std::vector<double>& p) {
  const std::vector<std::size_t> order = by_size(p);
  std::vector<double> out(p.size());
  double most = 0;
  for (std::size_t rank = 0; rank < order.size(); ++rank) {
    most = std::max(most, std::min(1.0, double(p.size() - rank) * p[order[rank]]));
    out[order[rank]] = most;
  }
  return out;
}

std::vector<double> benjamini_hochberg(const std::vector<double>& p) {
  const std::vector<std::size_t> order = by_size(p);
  std::vector<double> out(p.size());
  double least = 1;
  for (std::size_t rank = order.size(); rank-- > 0;) {
    least = std::min(least, p[order[rank]] * double(p.size()) / double(rank + 1));
    out[order[rank]] = least;
  }
  return out;
}

std::vector<double> corrected(const std::vector<double>& p, Correction correction) {
  if (correction == Correction::holm) return holm(p);
  if (correction == Correction::benjamini_hochberg) return benjamini_hochberg(p);
  return p;
}

Correction correction_named(const std::string& name) {
  if (name == "none") return Correction::none;
  if (name == "holm") return Correction::holm;
  if (name == "bh") return Correction::benjamini_hochberg;
  throw Error(ErrorKind::usage, "there is no correction '" + name + "'", "there are none, holm and bh");
}

}  // namespace dlrun::statistics
