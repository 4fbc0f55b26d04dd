// SPDX-License-Identifier: Apache-2.0
#include "dataset/sequences/windows.hpp"

#include <cmath>
#include <numeric>

#include <fmt/format.h>

#include "dataset/clusters.hpp"

namespace dlrun::dataset {

namespace {

std::vector<std::int64_t> rows_between(const Windows& w, std::int64_t begin, std::int64_t end) {
  std::vector<std::int64_t> rows;
  for (std::int64_t i = (begin + w.step - 1) / w.step; i * w.step + w.need <= end; ++i) rows.push_back(i);
  return rows;
}

void require(const std::vector<std::int64_t>& rows, const Json& split, const char* key, const Windows& w) {
  if (!rows.empty() || split[key].get<double>() == 0) return;
  throw DataError(
      fmt::format("split.{}", key),
      fmt::format("the share for {} holds no whole window of {} items ({} items in all)", key, w.need, w.items),
      "a larger share, a smaller window, or a share of 0");
}

/// Stretches of whole windows, so that windows of two stretches share an item only at their border.
std::vector<std::int64_t> clusters_of(const Windows& w, const std::vector<std::int64_t>& val) {
  std::vector<std::int64_t> places(std::size_t(w.count()));
  std::iota(places.begin(), places.end(), 0);
  return clusters_by_time(places, val, (w.need + w.step - 1) / w.step);
}

}  // namespace

void set_borders(Windows& windows, const Json& split) {
  const auto at = [&](double share) { return std::llround(share * double(windows.items)); };
  const double train = split["train"].get<double>(), val = split["val"].get<double>();
  windows.train_end = std::min<std::int64_t>(windows.items, at(train));
  windows.val_end =
      split["test"].get<double>() == 0 ? windows.items : std::min<std::int64_t>(windows.items, at(train + val));
}

Rows window_rows(const Windows& windows, const Json& split) {
  Rows rows{rows_between(windows, 0, windows.train_end), rows_between(windows, windows.train_end, windows.val_end),
            rows_between(windows, windows.val_end, windows.items)};
  require(rows.train, split, "train", windows);
  require(rows.val, split, "val", windows);
  require(rows.test, split, "test", windows);
  rows.clusters = clusters_of(windows, rows.val);
  return rows;
}

}  // namespace dlrun::dataset
