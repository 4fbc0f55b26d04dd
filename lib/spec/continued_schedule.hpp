// SPDX-License-Identifier: Apache-2.0
// Whether a training that begins with a donor's weights can take the donor's schedule up.
#pragma once
#include <optional>
#include <string>

#include "util/json.hpp"
#include "warmstart/misfit.hpp"

namespace dlrun::spec {

/// @param trial     of the training
/// @param schedule  restart, continue or remaining
/// @param is_over   the donor's schedule has ended
/// @return why nothing of the donor's schedule can be taken up; nullopt: it can, or is not
std::optional<warmstart::Misfit> misfit_of_schedule(const Json& trial, const std::string& schedule, bool is_over);

}  // namespace dlrun::spec
