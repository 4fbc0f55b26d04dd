// SPDX-License-Identifier: Apache-2.0
// `let:` of a model: numbers with names, which attributes compute with. {let: {width: 64}, nodes: [{…, out: 4 *
// width}]}
#pragma once
#include "model/faults.hpp"

namespace dlrun::model {

/// The nodes with every expression replaced by its number. An attribute that takes numbers may be a name of `let` or
/// arithmetic with them (expression.hpp); words it knows itself (`classes`, `same`) stay. A value of `let` may be an
/// expression of other names. Faults: a name that is none or unused, a cycle, what has no value, and a fraction where a
/// whole number is due, each at its place.
Json with_let(const Json& model, Faults& faults);

}  // namespace dlrun::model
