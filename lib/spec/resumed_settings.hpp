// SPDX-License-Identifier: Apache-2.0
// Settings in which a final training may not differ from the trial that `policy: resume` goes on with.
#pragma once
#include <string>

#include "util/json.hpp"

namespace dlrun::spec {

/// The first section of two trials that changes the bits of a training; empty: there is none. Epochs, seeds and the
/// weights they begin with are judged by themselves.
std::string changed_section(Json before, Json after);

/// Key of the weights with which the trial began, unlike a final training; nullptr: they are drawn.
const char* beginning_of(const Json& trial);

}  // namespace dlrun::spec
