// SPDX-License-Identifier: Apache-2.0
// Plugins that cannot be used, told where a study names one.
#pragma once
#include "document/faults.hpp"
#include "document/node.hpp"

namespace dlrun::spec {

/// Adds to each error at the name of a plugin why it is not what the study wants: it cannot be used, it is of another
/// kind, or a place of plugins cannot be read. A name is what the study has at the fault's place; messages are not
/// read.
/// @param root  of the document, where the sampler's section is looked for: without any plugin of that kind the whole
///              section is the fault's place
void explain_unusable(document::Faults& faults, const document::Node* root);

}  // namespace dlrun::spec
