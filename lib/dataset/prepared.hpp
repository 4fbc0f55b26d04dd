// SPDX-License-Identifier: Apache-2.0
// Preparation of a section's examples, as numbers, for those who feed a trained model without dlrun.
#pragma once
#include <cstdint>

#include "util/json.hpp"

namespace dlrun::dataset {

/// {inputs: [{name, shape, vocabulary?, scale?, shift?}], targets: [{name?, classes | values}]} and what the format
/// measured on the training split: of a table `columns`, in the order of the inputs' numbers, each
///   {name, fill, divisor, shift, deviation}: ((x, or fill where it is missing) / divisor - shift) / deviation, or
///   {name, categories, missing_is?}: a number for each category, 1 where it is the cell,
///   a `constant` is what every cell counts as, of a column that an ablation holds;
///   and with has_missing_input one more number, 1 where the cell is missing.
/// scale, shift: an element e of channel c (the shape's first size; one number: of all) stands for e * scale + shift.
/// @param data  located section.  @throws DataError as dataset::load.
Json prepared(const Json& data, std::uint64_t seed);

}  // namespace dlrun::dataset
