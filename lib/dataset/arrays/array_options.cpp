// SPDX-License-Identifier: Apache-2.0
#include "dataset/arrays/array_parts.hpp"
#include "dataset/options.hpp"

namespace dlrun::dataset {

options::Table array_options(const std::string& what) {
  return {text("inputs", what + ", [examples, ...], or several: a map from the model's name of each")
              .or_a(options::Form::names)
              .must(),
          text("targets",
               what + ": whole numbers are classes, [examples] or [examples, length]; others values; or several: a "
                      "map from the name of each")
              .or_a(options::Form::names)
              .must(),
          text("test_inputs", "as `inputs`, where the test split is apart").or_a(options::Form::names),
          text("test_targets", "as `targets`, of the test split").or_a(options::Form::names),
          key(options::Form::columns, "indices",
              "inputs whose whole numbers are indices (tokens, categories), not quantities")
              .with(Json::array()),
          choice("task", "auto: by the type of the targets; of several a map, {size: regression}",
                 {"auto", "classification", "regression"})
              .or_a(options::Form::names)
              .with("auto"),
          real("scale", "numbers are divided by it").from(1e-30).to(1e30).with(1.0),
          boolean("standardise",
                  "numbers to mean 0 and deviation 1 over the training split: of all inputs, or of those named")
              .or_a(options::Form::columns)
              .with(false)};
}

}  // namespace dlrun::dataset
