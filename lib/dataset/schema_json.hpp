// SPDX-License-Identifier: Apache-2.0
// A schema as JSON: in the cache, and in a study's normal form under "derived", so that it resumes without its data.
#pragma once
#include "dataset/dataset.hpp"
#include "util/json.hpp"

namespace dlrun::dataset {

Json to_json(const Schema& schema);
/// @throws Json::exception where a key is missing or of another type.
Schema schema_from_json(const Json& json);

}  // namespace dlrun::dataset
