// SPDX-License-Identifier: Apache-2.0
// Whether weights of a search fit the final training that is to begin with them.
#pragma once
#include <optional>
#include <vector>

#include "tensors/safetensors.hpp"
#include "tensors/weights.hpp"
#include "util/json.hpp"
#include "warmstart/settings.hpp"
#include "warmstart/transfer.hpp"

namespace dlrun::final {

/// Tensors of the final training's model; nullopt if it has other data, because its own check knows them.
/// @param trial   of the final training
/// @param sets    its `final.set`
/// @param search  in its normal form
std::optional<std::vector<tensors::Wanted>> model_of(const Json& trial, const Json& sets, const Json& search);

/// @throws Error(usage) for what the weights of the first donor do not fit
void require_fit(const warmstart::TransferPlan& plan, const warmstart::WarmStart& start);

/// @throws Error(usage) E403 where the donor's state is of another optimizer than the trial's
void require_same_optimizer(const tensors::SafeTensors& file, const Json& trial, const warmstart::Donor& donor);

}  // namespace dlrun::final
