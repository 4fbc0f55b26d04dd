// SPDX-License-Identifier: Apache-2.0
// Share of right answers of a model that always says the same.
#pragma once
#include <map>
#include <string>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

/// The share of the most frequent class in each split that has examples, by its name (train, val, test); empty where
/// the target is no single label an example. The data is read once for a content and a split, then the answer is kept
/// under XDG_CACHE_HOME/dlrun/majority.
/// @param schema  of this section and seed
/// @throws DataError as load().
std::map<std::string, double> majority_shares(const Json& data, const Schema& schema, std::uint64_t seed);

/// Share of the most frequent class in rows in memory. REQUIRES: one label an example.
double majority_share(const Dataset& dataset, const std::vector<std::int64_t>& rows);

}  // namespace dlrun::dataset
