// SPDX-License-Identifier: Apache-2.0
// Names that plugins of losses, optimisers and metrics cannot have.
#include "plugin/taken.hpp"
#include "recipe/loss.hpp"
#include "recipe/metric_kinds.hpp"
#include "recipe/optimizer.hpp"
#include "support/catch.hpp"

namespace plugins_test {

using namespace dlrun;
using plugin::is_built_in;
using plugin::Kind;

TEST_CASE("no plugin can have the name of a loss, an optimiser or a metric", "[recipe][plugins]") {
  for (const recipe::LossKind& kind : recipe::loss_kinds()) CHECK(is_built_in(Kind::loss, kind.name));
  for (const recipe::MetricKind& kind : recipe::metric_kinds()) CHECK(is_built_in(Kind::metric, kind.name));
  for (const options::Variant& kind : recipe::optimizer_key().variants) CHECK(is_built_in(Kind::optimizer, kind.name));
  CHECK(is_built_in(Kind::loss, "sum"));
  CHECK_FALSE(is_built_in(Kind::optimizer, "sign_momentum"));
}

}  // namespace plugins_test
