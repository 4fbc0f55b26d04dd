// SPDX-License-Identifier: Apache-2.0
// Losses that are for some numbers alone, beside the targets of the data.
#include <fmt/format.h>

#include <limits>

#include "recipe/outputs.hpp"
#include "spec/trial_section.hpp"

namespace dlrun::spec {

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Targets that a loss can be taken of, and these in words.
struct Bounds {
  double low = -kInfinity, high = kInfinity;
  std::string words;
};

Bounds bounds_of(const Json& loss) {
  const Json op = loss.value("op", Json());
  if (op == "binary_cross_entropy" || op == "hinge") return {0, 1, "numbers from 0 to 1"};
  if (op == "kl_div" && loss.value("log_target", Json()) == false) return {0, kInfinity, "probabilities, at least 0"};
  return {};
}

/// A loss that has bounds, alone or as part of a sum, and its place.
struct Bounded {
  Bounds bounds;
  std::string op, path;
};

std::vector<Bounded> bounded_in(const Json& loss, const std::string& path) {
  if (!loss.is_object()) return {};
  std::vector<Bounded> all;
  const Json parts = loss.value("op", Json()) == "sum" ? loss.value("parts", Json()) : Json();
  for (std::size_t i = 0; parts.is_array() && i < parts.size(); ++i) {
    for (Bounded& part : bounded_in(parts[i], fmt::format("{}.parts.{}", path, i))) all.push_back(std::move(part));
  }
  if (Bounds bounds = bounds_of(loss); !bounds.words.empty())
    all.push_back({std::move(bounds), loss["op"].get<std::string>(), path});
  return all;
}

void check_numbers(const dataset::Array& targets, const Bounded& loss, Faults& faults) {
  constexpr double kRounding = 1e-5;
  for (std::int64_t row = 0; row < targets.examples; ++row) {
    for (std::int64_t i = 0; i < targets.width; ++i) {
      const double number = targets.number(row, i);
      if (number >= loss.bounds.low - kRounding && number <= loss.bounds.high + kRounding) continue;
      return faults.at(loss.path, fmt::format("{} is for {}, but a target is {:g}", loss.op, loss.bounds.words, number),
                       "scale the targets, or take another loss, as mse");
    }
  }
}

}  // namespace

void check_targets(const Json& trial, const dataset::Schema& schema, std::uint64_t seed, Faults& faults) {
  std::optional<dataset::Dataset> data;
  for (const recipe::OutputSection& output : recipe::outputs_of(trial)) {
    const std::string path = output.place("loss");
    if (dataset::seen_by(schema, output.target).classes > 0 || faults.is_bad(path)) continue;
    const dataset::Target* target = dataset::find_target(schema, output.target);
    for (const Bounded& loss : bounded_in(output.loss, path)) {
      if (!data) data = dataset::load(trial["data"], {}, seed);
      const bool is_one = target == nullptr || data->several.empty();
      check_numbers(is_one ? data->targets : data->several[std::size_t(target - schema.several.data())], loss, faults);
    }
  }
}

}  // namespace dlrun::spec
