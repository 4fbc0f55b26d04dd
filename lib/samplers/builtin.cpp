// SPDX-License-Identifier: Apache-2.0
// The samplers there are: one visible list.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>

#include "samplers/arrays.hpp"
#include "samplers/auto_sampler.hpp"
#include "samplers/cma_es_sampler.hpp"
#include "samplers/evolution_sampler.hpp"
#include "samplers/gp_sampler.hpp"
#include "samplers/grid_sampler.hpp"
#include "samplers/halton_sequence.hpp"
#include "samplers/nsga_sampler.hpp"
#include "samplers/quasi_sampler.hpp"
#include "samplers/random_sampler.hpp"
#include "samplers/sampler.hpp"
#include "samplers/sobol_sequence.hpp"
#include "samplers/tpe_sampler.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::samplers {

namespace {

using Made = std::unique_ptr<Sampler>;

struct Entry {
  const char* name;
  bool knows_several;  ///< objectives
  bool learns;         ///< learns from trials of earlier studies
  Made (*make)(const space::Space& space, std::uint64_t seed);
};

template <class T>
Made simple(const space::Space& space, std::uint64_t seed) {
  return std::make_unique<T>(space, seed);
}

template <class Sequence>
Made quasi(const space::Space& space, std::uint64_t seed) {
  return std::make_unique<QuasiSampler>(space, seed, std::make_unique<Sequence>(space.size(), seed));
}

Made grid(const space::Space& space, std::uint64_t) { return std::make_unique<GridSampler>(space); }

Made tpe(const space::Space& space, std::uint64_t seed) {
  return std::make_unique<TpeSampler>(space, seed, TpeOptions{});
}

Made tpe_univariate(const space::Space& space, std::uint64_t seed) {
  return std::make_unique<TpeSampler>(
      space, seed, TpeOptions{.name = "tpe_univariate", .is_joint = false, .share = 0.1, .good = {.narrowing = 1}});
}

Made cma_es(const space::Space& space, std::uint64_t seed) { return std::make_unique<CmaEsSampler>(space, seed); }

Made gp_search(const space::Space& space, std::uint64_t seed) { return std::make_unique<GpSampler>(space, seed); }

constexpr std::array kBuiltin{Entry{"auto", true, true, simple<AutoSampler>},
                              Entry{"random", true, false, simple<RandomSampler>},
                              Entry{"grid", true, false, grid},
                              Entry{"sobol", true, false, quasi<SobolSequence>},
                              Entry{"halton", true, false, quasi<HaltonSequence>},
                              Entry{"tpe", true, true, tpe},
                              Entry{"tpe_univariate", true, true, tpe_univariate},
                              Entry{"cma_es", false, true, cma_es},
                              Entry{"gp", false, true, gp_search},
                              Entry{"nsga2", true, false, simple<NsgaSampler>},
                              Entry{"evolution", false, false, simple<EvolutionSampler>}};

}  // namespace

std::unique_ptr<Sampler> make_sampler(const std::string& op, const space::Space& space, std::uint64_t seed) {
  fix_order_of_sums();
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

std::vector<std::string> sampler_names_for_several() {
  std::vector<std::string> names;
  for (const Entry& entry : kBuiltin) {
    if (entry.knows_several) names.emplace_back(entry.name);
  }
  return names;
}

std::vector<std::string> sampler_names_that_learn() {
  std::vector<std::string> names;
  for (const Entry& entry : kBuiltin) {
    if (entry.learns) names.emplace_back(entry.name);
  }
  return names;
}

}  // namespace dlrun::samplers
