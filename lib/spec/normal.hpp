// SPDX-License-Identifier: Apache-2.0
// The normal form as JSON: what a study is, whatever file it came from.
#pragma once
#include "util/json.hpp"

namespace dlrun::spec {

/// SHA-256 of the normal form without resources, executor and limits.wall, and without what belongs to the machine: the
/// data's path (its content hash counts) and the command's folder.
std::string hash_of(const Json& normal);

}  // namespace dlrun::spec
