// SPDX-License-Identifier: Apache-2.0
// The normal form as JSON: what a study is, whatever file it came from.
#pragma once
#include "dataset/dataset.hpp"
#include "util/json.hpp"

namespace dlrun::spec {

/// What the data says of itself, kept in the normal form under "derived", so that a study resumes without its data.
Json to_json(const dataset::Schema& schema);
dataset::Schema schema_from_json(const Json& json);

/// SHA-256 of the normal form without resources, executor and limits.wall, and without what belongs to the machine: the
/// data's path (its content hash counts) and the command's folder.
std::string hash_of(const Json& normal);

}  // namespace dlrun::spec
