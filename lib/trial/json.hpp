// SPDX-License-Identifier: Apache-2.0
// Values of this room as JSON, for the wire and the event log. Part of the format: golden files guard it.
// Numbers that JSON lacks are written as the strings "nan", "inf", "-inf".
#pragma once
#include "trial/trial.hpp"
#include "util/json.hpp"

namespace dlrun::trial {

Json number_to_json(double value);
/// @throws Error(usage) where it is neither a number nor one of the three strings.
double number_from_json(const Json& json);

/// A member that is left out where it has nothing, itself or an empty list; not a copy.
const Json& list_or_none(const Json& json, const char* name);

Json to_json(const PieceKey& key);
Json to_json(const Report& report);
Json to_json(const Artifact& artifact);
Json to_json(const WeightStart& start);
Json to_json(const SharedStart& shared);
Json to_json(const PieceResult& result);

/// Each throws Error(usage) naming the member that is missing or of a wrong type.
PieceKey piece_key(const Json& json);
Report report(const Json& json);
Artifact artifact(const Json& json);
WeightStart weight_start(const Json& json);
SharedStart shared_start(const Json& json);
PieceResult piece_result(const Json& json);

}  // namespace dlrun::trial
