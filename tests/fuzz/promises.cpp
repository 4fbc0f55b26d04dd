// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <set>
#include <stdexcept>

#include "fuzz.hpp"

namespace dlrun::fuzz {

namespace {

using dataset::Array;

void require(bool holds, const char* what) {
  if (!holds) throw std::logic_error(what);
}

std::int64_t product(const std::vector<std::int64_t>& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) count *= size;
  return count;
}

void check_finite(const Array& array) {
  for (std::int64_t e = 0; e < array.examples; ++e) {
    for (std::int64_t i = 0; i < array.width; ++i) require(std::isfinite(array.number(e, i)), "a number is not finite");
  }
}

void check_below(const Array& array, std::int64_t limit, bool may_be_ignored) {
  for (std::int64_t e = 0; e < array.examples; ++e) {
    for (std::int64_t i = 0; i < array.width; ++i) {
      const std::int64_t index = array.index(e, i);
      require((index >= 0 && index < limit) || (may_be_ignored && index == dataset::kIgnored),
              "an index is out of range");
    }
  }
}

void check_rows(const dataset::Dataset& data, bool is_fresh) {
  std::set<std::int64_t> seen;
  for (const auto* rows : {&data.train, &data.val, &data.test}) {
    for (const std::int64_t row : *rows) {
      require(row >= 0 && row < data.targets.examples, "a row is not there");
      require(seen.insert(row).second, "a row is in two splits");
    }
  }
  require(is_fresh ? std::int64_t(data.test.size()) == data.targets.examples : !data.train.empty(),
          is_fresh ? "an example is left out" : "nothing to train on");
}

void check_targets(const dataset::Schema& schema, const Array& targets) {
  if (schema.classes > 0) {
    require(targets.width == product(schema.target_shape), "targets have another shape than their schema");
    check_below(targets, schema.classes, !schema.target_shape.empty());
  } else {
    require(targets.width == schema.targets, "targets have another width than their schema");
    check_finite(targets);
  }
}

}  // namespace

void check_promises(const dataset::Dataset& data, bool is_fresh) {
  const dataset::Schema& schema = data.schema;
  require(schema.inputs.size() == data.inputs.size() && !data.inputs.empty(), "inputs and their schema differ");
  for (std::size_t k = 0; k < data.inputs.size(); ++k) {
    const Array& array = data.inputs[k];
    require(array.width == product(schema.inputs[k].shape), "an input has another shape than its schema");
    require(array.examples == data.targets.examples, "an input has another number of examples");
    schema.inputs[k].is_index() ? check_below(array, schema.inputs[k].vocabulary, false) : check_finite(array);
  }
  check_targets(schema, data.targets);
  require(schema.several.size() == data.several.size(), "targets and their schema differ");
  for (std::size_t k = 0; k < data.several.size(); ++k) {
    require(data.several[k].examples == data.targets.examples, "a target has another number of examples");
    check_targets(dataset::seen_by(schema, schema.several[k].name), data.several[k]);
  }
  check_rows(data, is_fresh);
}

}  // namespace dlrun::fuzz
