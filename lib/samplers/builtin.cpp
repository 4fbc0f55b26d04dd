// SPDX-License-Identifier: Apache-2.0
// The samplers there are: one visible list.
#include <fmt/format.h>

#include <array>

#include "samplers/auto_sampler.hpp"
#include "samplers/grid_sampler.hpp"
#include "samplers/random_sampler.hpp"
#include "samplers/sampler.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::samplers {

namespace {

struct Entry {
  const char* name;
  std::unique_ptr<Sampler> (*make)(const space::Space& space, std::uint64_t seed);
};

const std::array kBuiltin{
    Entry{"auto",
          [](const auto& space, auto seed) -> std::unique_ptr<Sampler> {
            return std::make_unique<AutoSampler>(space, seed);
          }},
    Entry{"random",
          [](const auto& space, auto seed) -> std::unique_ptr<Sampler> {
            return std::make_unique<RandomSampler>(space, seed);
          }},
    Entry{"grid",
          [](const auto& space, auto) -> std::unique_ptr<Sampler> { return std::make_unique<GridSampler>(space); }},
};

}  // namespace

std::unique_ptr<Sampler> make_sampler(const std::string& op, const space::Space& space, std::uint64_t seed) {
  for (const Entry& entry : kBuiltin) {
    if (op == entry.name) return entry.make(space, seed);
  }
  const std::string nearest = nearest_name(op, sampler_names());
  throw Error(ErrorKind::usage, fmt::format("there is no sampler '{}'", op),
              nearest.empty() ? fmt::format("samplers are {}", fmt::join(sampler_names(), ", "))
                              : fmt::format("did you mean '{}'?", nearest));
}

std::vector<std::string> sampler_names() {
  std::vector<std::string> names;
  for (const Entry& entry : kBuiltin) names.emplace_back(entry.name);
  return names;
}

}  // namespace dlrun::samplers
