// SPDX-License-Identifier: Apache-2.0
// Features without their information: an ablation that keeps the shape of the inputs trains with them.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "dataset/column.hpp"
#include "dataset/dataset.hpp"
#include "dataset/split.hpp"

namespace dlrun::dataset {

/// The option of formats that have named columns.
options::Key replace_option();

/// Word that `replace` has for one name. @param what it is, "channel". @throws DataError: another word.
enum class Replacement { mean, permute };
Replacement replacement(const char* what, const std::string& name, const Json& how);

/// Changes rows within each split by the streams (seed, "replace", name, split). @param swap  of two rows
void permute_within(const Rows& splits, std::uint64_t seed, const std::string& name,
                    const std::function<void(std::int64_t, std::int64_t)>& swap);

/// Whether the column is the same in every row.
bool is_held(const Json& data, const std::string& name);

/// Replaces the cells of those columns that the section's `replace` names.
/// mean: by the mean of the training rows, of a category by the most frequent one; gaps too.
/// permute: cells change rows within each split, drawn by the streams (seed, "replace", column, split), so that a
/// column keeps its own distribution and loses its information on the target; gaps move along.
/// @throws DataError: a name that is no feature, another word.
void replace_features(std::vector<Column>& features, const Json& data, const Rows& splits, std::uint64_t seed);

}  // namespace dlrun::dataset
