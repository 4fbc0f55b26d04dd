// SPDX-License-Identifier: Apache-2.0
// The normal form as JSON: what a study is, whatever file it came from.
#pragma once
#include <initializer_list>

#include "util/json.hpp"

namespace dlrun::spec {

/// Keys of `retry:` that say when and where a piece is tried again, not how often: no part of a study's identity.
constexpr std::initializer_list<const char*> kWhenAndWhere = {"delay", "max_delay", "quarantine"};

/// The normal form without resources, executor and limits.wall, and without what belongs to the machine: the data's
/// path (its content hash counts) and the command's folder.
Json identity_of(const Json& normal);

/// SHA-256 of the identity.
std::string hash_of(const Json& normal);

}  // namespace dlrun::spec
