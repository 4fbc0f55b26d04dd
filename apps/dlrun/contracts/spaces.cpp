// SPDX-License-Identifier: Apache-2.0
#include "contracts/spaces.hpp"

#include <nlohmann/json.hpp>

namespace dlrun::cli {

using space::Parameter;
using space::Space;
using space::Type;

namespace {

Parameter real(const char* name, double low, double high, bool log = false) {
  Parameter p{.name = name, .at = {}, .type = Type::real, .low = low, .high = high, .log = log};
  return p;
}

Parameter whole(const char* name, double low, double high, bool log = false) {
  Parameter p = real(name, low, high, log);
  p.type = Type::integer;
  return p;
}

Parameter stepped(Parameter p, double step) {
  p.step = step;
  return p;
}

Parameter choice(const char* name, std::vector<nlohmann::json> choices, Type type = Type::categorical) {
  Parameter p = real(name, 0, 1);
  p.type = type;
  p.choices = std::move(choices);
  return p;
}

Parameter when(Parameter p, std::size_t parameter, std::uint32_t index) {
  p.when.push_back({parameter, {space::Choice{index}}});
  return p;
}

/// a + b <= 1, and no "adam" with a above 0.5.
Space constrained() {
  const space::Linear sum{{{0, 1}, {1, 1}}, space::Relation::at_most, 1};
  const space::Forbidden pair{{{2, {space::Choice{1}}, {}}, {0, {}, {{0.5, 1}}}}};
  return Space({real("a", 0, 1), real("b", 0, 1), choice("opt", {"sgd", "adam"})},
               {{"a + b <= 1", sum}, {"no adam with a from 0.5", pair}});
}

}  // namespace

Space mixed_space() {
  return Space({real("x", -5, 5), real("lr", 1e-5, 1, true), stepped(real("drop", 0, 0.9), 0.1),
                whole("width", 8, 512, true), choice("opt", {"sgd", "adam", "lion"}),
                when(real("momentum", 0, 0.99), 4, 0)});
}

std::vector<NamedSpace> contract_spaces() {
  return {{"two real parameters", Space({real("x", -5, 10), real("y", 0, 15)})},
          {"log scales", Space({real("lr", 1e-6, 1, true), whole("width", 1, 4096, true)})},
          {"integers and steps",
           Space({whole("n", 0, 1000), stepped(whole("k", 0, 300), 3), stepped(real("p", 0, 1), 0.05)})},
          {"choices", Space({choice("a", {"x", "y", "z", 4}), choice("b", {16, 32, 64, 128}, Type::ordinal),
                             choice("c", {true, false}), choice("d", {"u", "v", "w"})})},
          {"conditions", Space({choice("opt", {"sgd", "adam"}), when(real("momentum", 0, 0.99), 0, 0),
                                when(real("beta", 0.8, 0.999), 0, 1), choice("only", {7}, Type::constant)})},
          {"one parameter", Space({real("x", 0, 1)})},
          {"constraints", constrained()},
          {"everything", mixed_space()}};
}

}  // namespace dlrun::cli
