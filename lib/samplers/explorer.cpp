// SPDX-License-Identifier: Apache-2.0
#include "samplers/explorer.hpp"

#include <fmt/format.h>

#include "samplers/arrays.hpp"
#include "samplers/bandit.hpp"
#include "samplers/perturbation.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::samplers {

std::unique_ptr<Explorer> make_explorer(const space::Space& space, const ExplorerOptions& options, std::uint64_t seed) {
  fix_order_of_sums();
  if (options.op == "pbt") return std::make_unique<Perturbation>(space, options, seed);
  if (options.op == "pb2") return std::make_unique<Bandit>(space, options, seed);
  throw Error(ErrorKind::usage, fmt::format("there is no explorer '{}'", options.op), "there are pbt and pb2");
}

std::string value_text(const space::Space& space, std::size_t index, const space::Value& value) {
  const auto* number = std::get_if<double>(&value);
  return number ? fmt::format("{:.6g}", *number) : to_text(space.to_json(index, value));
}

std::string changes(const space::Space& space, const space::Values& before, const space::Values& after) {
  std::string text;
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (before[i] == after[i]) continue;
    text += fmt::format("{}{} {} to {}", text.empty() ? "" : ", ", space.parameters()[i].name,
                        value_text(space, i, before[i]), value_text(space, i, after[i]));
  }
  return text;
}

}  // namespace dlrun::samplers
