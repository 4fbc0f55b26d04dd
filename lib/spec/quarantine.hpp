// SPDX-License-Identifier: Apache-2.0
// `retry: {quarantine: …}`: when a machine on which trials are lost gets no work for a while.
#pragma once
#include "util/json.hpp"

namespace dlrun::spec {

/// Decides where work runs, never what comes out of it.
struct Quarantine {
  int after = 3;                   ///< trials lost in a row before a host is set aside; 0: it never is
  double first = 60, most = 3600;  ///< seconds that it gets no work, doubled each time
};

/// @param normal  the normal form of a study, also of one that was written before this could be said
Quarantine quarantine_of(const Json& normal);

}  // namespace dlrun::spec
