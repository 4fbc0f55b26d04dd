// SPDX-License-Identifier: Apache-2.0
// Predictions and targets that are kept for metrics of plugins.
#include "support/catch.hpp"
#include "train/metrics/plugin_metric.hpp"

namespace kept_examples_test {

using namespace dlrun;
using train::KeptExamples;

TEST_CASE("predictions and targets are kept example by example", "[train][metrics]") {
  KeptExamples values, labels, all;
  const float outputs[] = {0.5F, 1.5F}, targets[] = {2.5F, 3.5F};
  values.add_example(outputs, targets, 2);
  values.add_example(outputs + 1, targets + 1, 1);
  labels.add_example(outputs, 2, 7);
  CHECK(values.to_json() == Json::parse("[1,[0.5,1.5,1.5],[],[2.5,3.5,3.5]]"));
  CHECK(labels.to_json() == Json::parse("[2,[0.5,1.5],[7],[]]"));
  all.add(labels);
  all.add(KeptExamples());
  all.add(labels);
  CHECK(all.to_json() == Json::parse("[2,[0.5,1.5,0.5,1.5],[7,7],[]]"));
  KeptExamples again;
  again.restore(all.to_json());
  CHECK(again.to_json() == all.to_json());
  CHECK_FALSE(all.value("no plugin has this name"));
}

}  // namespace kept_examples_test
