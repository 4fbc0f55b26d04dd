// SPDX-License-Identifier: Apache-2.0
// The tables dl_parameter and dl_choice: the space as the study began with it.
#pragma once
#include <string_view>

#include "space/space.hpp"
#include "storage/sqlite.hpp"

namespace dlrun::storage {

/// The name a spec gives a type: float | int | categorical | ordinal | constant.
std::string_view to_string(space::Type type);

/// Inserts the space of a new study, or of an amended one: then its old parameters and choices keep their numbers.
void insert_space(Database& database, const space::Space& space);

/// Values are stored by index: reading them with other parameters would be silently wrong.
/// @throws Error(store) naming the first parameter that differs. An empty space is taken (notes, tags, events).
void require_same_space(Database& database, const space::Space& space);

}  // namespace dlrun::storage
