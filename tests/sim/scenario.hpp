// SPDX-License-Identifier: Apache-2.0
// One simulated study and what happens to it, all from a seed.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pruners/pruner.hpp"
#include "samplers/cell_sampler.hpp"
#include "samplers/retune_sampler.hpp"
#include "samplers/round_sampler.hpp"
#include "space/space.hpp"
#include "study/study.hpp"
#include "util/json.hpp"

namespace dlrun::sim {

/// What goes wrong; probabilities.
struct Faults {
  double noise = 0;        ///< coefficient of variation of a piece's duration
  double straggler = 0;    ///< per piece: slower
  double slowness = 10;    ///< of a straggler, times
  double death = 0;        ///< per piece: its worker dies on the way
  double false_alarm = 0;  ///< per piece: taken for dead, comes back with its result later
  double transient = 0;    ///< per trial: one attempt is killed by a signal
  double repeated = 0;     ///< per result: delivered twice
  double copy = 0;         ///< per moment with an idle worker and nothing decided: something that runs is begun again
  double delay = 0;        ///< longest delay of a message, in mean pieces: results overtake one another
  double crash = 0;        ///< per commit: the driver dies at one of the points around it
  double stop = 0;         ///< per commit: a person stops the study and goes on later
  bool any_order = false;  ///< workers take any decided piece, not the earliest
};

/// A mistake that no driver must make, put into the simulated one to see whether it is found.
enum class Plant {
  none,
  counted_early,  ///< what is decided after a result is in the log before the result is
  left_early      ///< orders that rest on a result leave before it is in the log
};

/// How trials behave: the world's nature, not its faults. A function of the values alone.
struct Nature {
  double nan = 0;        ///< share of trials that diverge
  double exception = 0;  ///< share of trials that always raise
  double early = 0;      ///< share of trials that end early by themselves
  bool coarse = false;   ///< objectives in steps of 0.1, so that there are ties
  /// What is measured after an epoch; empty: a curve drawn from the values.
  std::function<double(const space::Values&, std::int64_t epoch)> metric = {};
  /// How long a piece takes on any worker; empty: its planned length, with noise and stragglers.
  std::function<double(const study::StartPiece&, const space::Values&)> duration = {};
};

/// A worker's time with a piece, to its end or to the worker's death.
struct Stint {
  trial::PieceKey key;
  std::int64_t from_step = 0, to_step = 0;
  double begin = 0, seconds = 0;
  double end() const { return begin + seconds; }
};

/// Decided pieces that wait while workers are idle.
struct Waiting {
  const study::Study& study;
  const std::vector<study::StartPiece>& pieces;
  const std::vector<Stint>& stints;  ///< of all pieces that began so far
  std::size_t idle = 0;              ///< workers
  double now = 0;
};

struct Scenario {
  std::uint64_t seed = 0;
  space::Space space;
  std::string sampler = "random";
  std::optional<samplers::CellOptions> cells = {};    ///< takes the sampler's place
  std::optional<samplers::RoundOptions> rounds = {};  ///< or these do
  std::optional<samplers::RetuneOptions> retune = {};
  Json pruner = {{"op", "none"}};  ///< settings of all kinds, as in a spec; each kind reads its own of them
  study::Rules rules;
  Nature nature;
  Faults faults;
  Plant plant = Plant::none;
  int workers = 1;
  /// Index of the piece that an idle worker begins; empty: the earliest decided.
  std::function<std::size_t(const Waiting&)> choose = {};
  std::shared_ptr<const study::Amendment> amendment = {};  ///< when the search is over; none in most studies
};

/// A sampler and a pruner, by their names in the spec.
struct Pair {
  std::string sampler, pruner;
  bool stops = false;  ///< asha: type: stop
};

/// Every sampler there is with every pruner there is, ASHA in both of its types.
std::vector<Pair> all_pairs();

/// Everything drawn from the seed.
Scenario scenario(std::uint64_t seed);
/// The same, but for sampler and pruner; of few trials, where a sampler's proposals are dear. The space is finite where
/// the sampler takes no other.
Scenario scenario(std::uint64_t seed, const Pair& pair);
/// An ablation that looks at its replicates, tunes its variants before, or goes in rounds: variants of which some help
/// or hurt, some cells fail.
Scenario ablation_scenario(std::uint64_t seed);
/// The same study on one steady worker to whom nothing happens.
Scenario undisturbed(Scenario scenario);
/// The pruner of the study as it is amended, or as it begins.
pruners::PrunerOptions pruner_of(const study::Rules& rules, const Json& settings);
study::Study make_study(const Scenario& scenario);
/// The values of the parameters that the study began with, by name.
std::string params(const Scenario& scenario, space::Values values);
/// One line for people.
std::string describe(const Scenario& scenario);

}  // namespace dlrun::sim
