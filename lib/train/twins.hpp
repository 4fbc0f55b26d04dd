// SPDX-License-Identifier: Apache-2.0
// Tensors of a gang that a checkpoint need not have: ranks that step together have the same numbers, and state that a
// node never uses is zero.
#pragma once
#include <vector>

#include "train/checkpoint.hpp"
#include "util/json.hpp"

namespace dlrun::train {

/// {name: name of an earlier tensor with the same bytes, or "" for zeros}. A tensor is compared with the first of each
/// kind ("weights", "momentum"), whatever its node.
Json twins_of(const std::vector<NamedNumbers>& all);

/// The tensors that are no twins.
std::vector<NamedNumbers> without_twins(const std::vector<NamedNumbers>& all, const Json& twins);

/// Fills the twins, once the others have their numbers. @throws Error(usage) for a twin of a tensor that is not there
void fill_twins(const std::vector<NamedNumbers>& all, const Json& twins);

}  // namespace dlrun::train
