// SPDX-License-Identifier: Apache-2.0
// Values of this room as JSON, for the wire and the event log. Part of the format: golden files guard it.
// Numbers that JSON lacks are written as the strings "nan", "inf", "-inf".
#pragma once
#include "trial/trial.hpp"
#include "util/json.hpp"

namespace dlrun {
class JsonView;
}

namespace dlrun::trial {

Json number_to_json(double value);
/// From Json or JsonView. @throws Error(usage) where it is neither a number nor one of the three strings.
template <class J>
double number_from_json(const J& json);

/// A member that is left out where it has nothing, itself or an empty list; not a copy.
const Json& list_or_none(const Json& json, const char* name);

Json to_json(const PieceKey& key);
Json to_json(const Report& report);
Json to_json(const Artifact& artifact);
Json to_json(const WeightStart& start);
Json to_json(const SharedStart& shared);
Json to_json(const PieceResult& result);

/// Each from Json and from JsonView, and throws Error(usage) naming the member that is missing or of a wrong type.
template <class J>
PieceKey piece_key(const J& json);
template <class J>
Report report(const J& json);
template <class J>
Artifact artifact(const J& json);
template <class J>
WeightStart weight_start(const J& json);
template <class J>
SharedStart shared_start(const J& json);
template <class J>
PieceResult piece_result(const J& json);

}  // namespace dlrun::trial
