// SPDX-License-Identifier: Apache-2.0
// The keys of a parameter.
#include "spec/keys.hpp"

namespace dlrun::spec {

namespace {

Table common(Table own) {
  own.insert(own.begin(), text("at", "place in the trial that it sets, e.g. optimizer.lr")
                              .or_else("its name where that is a place; else it goes to the trial by name"));
  own.push_back(map_of("when", "active only where earlier parameters have these values",
                       list("", "a value or several", plain("", "a value of the earlier parameter")).one())
                    .or_else("always active"));
  return own;
}

Table numbers(const Key& low, const Key& high, const Key& step) {
  return common(
      {low, high, step,
       choice("scale", "log: equal ratios are equally likely; needs low > 0", {"linear", "log"}).with("linear")});
}

Table choices() { return common({list("choices", "the values", plain("", "a value")).must()}); }

}  // namespace

const Key& parameter_key() {
  static const Key key =
      variant("", "one parameter; a list is short for a categorical one",
              {{"float", "a real number",
                numbers(real("low", "least value").must(), real("high", "largest value").must(),
                        real("step", "grid from low").above(0).or_else("continuous"))},
               {"int", "a whole number",
                numbers(integer("low", "least value").must(), integer("high", "largest value").must(),
                        integer("step", "grid from low").from(1).or_else("every whole number"))},
               {"categorical", "one of several values without order", choices()},
               {"ordinal", "one of several values in order", choices()},
               {"constant", "always the same", common({plain("value", "the value").must()})}})
          .tagged("type");
  return key;
}

}  // namespace dlrun::spec
