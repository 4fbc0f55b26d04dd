// SPDX-License-Identifier: Apache-2.0
// L-SHADE: differential evolution with success-history adaptation and a population that shrinks linearly (Tanabe and
// Fukunaga, "Improving the search performance of SHADE using linear population size reduction", CEC 2014; names as
// there). Works on unit coordinates, so that numbers on a log scale, integers and choices are coordinates like any
// other.
//
// Differs from the paper:
// - Several trials are pending. Trial k aims at member k mod N. Its result is compared with that member as it is then,
//   or with the worst one if that member is gone. A generation is over after N results.
// - Infeasible members come after feasible ones, by their violation.
// - A coordinate beyond 1 or below 0 is put in the middle between that bound and the member's coordinate.
//
// After an interruption on_start() comes again, propose() does not. So rates and member of a trial are drawn from a
// stream under its own number, and on_start() draws them again; only the mutation uses the stream of the proposal.
#include <dlrun/plugin/sampler.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <utility>

#include "population.hpp"

namespace lshade {

using dlrun::plugin::Point;
using dlrun::plugin::Random;
using dlrun::plugin::Result;
using dlrun::plugin::Search;

namespace {

constexpr std::size_t kLeast = 4;          ///< members at the end; fewer cannot be combined
constexpr std::size_t kPerParameter = 18;  ///< members at the beginning
constexpr std::size_t kUsualLeast = 8;
constexpr std::int64_t kNoTrial = -1;

/// Purposes of streams; each trial has one of each.
enum class Purpose : std::uint64_t { rates, coordinates, archive };

std::size_t first_size(const Search& search) {
  if (search.options.has("population")) return std::size_t(search.options.integer("population"));
  const std::size_t usual = kPerParameter * search.space.size();
  if (!search.options.has("max_trials")) return usual;
  return std::clamp(std::size_t(search.options.integer("max_trials")) / 10, kUsualLeast, std::max(usual, kUsualLeast));
}

}  // namespace

class LShade final : public dlrun::plugin::Sampler {
 public:
  explicit LShade(const Search& search)
      : search_(search),
        rates_(std::size_t(search.options.integer("memory"))),
        first_size_(first_size(search)),
        max_trials_(search.options.has("max_trials") ? double(search.options.integer("max_trials")) : 0) {}

  void learn(const std::vector<Result>& results) override;
  void on_start(std::int64_t trial, const Point& point) override;
  void on_result(const Result& result) override;
  std::optional<Point> propose(std::int64_t number, Random& random) override;
  std::string reason() const override { return reason_; }

 private:
  /// Facts about a trial that its result needs.
  struct Plan {
    Rates rates;
    std::int64_t member = kNoTrial;  ///< trial of the member to be replaced; kNoTrial: a random point
  };
  struct Pending {
    Plan plan;
    Units units;
  };

  std::unique_ptr<Random> stream(std::uint64_t number, Purpose purpose) const {
    return search_.streams.stream(3 * number + std::uint64_t(purpose));
  }
  Plan plan_of(std::uint64_t number) const;
  Units units_of(const Point& point, std::uint64_t number) const;
  Point point_of(const Units& units) const;
  Units mutant(const Plan& plan, Random& random);
  std::size_t other_than(std::size_t a, std::size_t b, std::size_t count, Random& random) const;
  void select(const Plan& plan, Member child);
  void end_generation();
  std::size_t planned_size() const;

  Search search_;
  RateMemory rates_;
  std::size_t first_size_;
  double max_trials_;
  Population population_;
  std::map<std::int64_t, Pending> pending_;
  std::size_t learned_ = 0;
  std::uint64_t started_ = 0, ended_ = 0;
  std::uint64_t in_generation_ = 0;
  std::string reason_;
};

/// The best of earlier trials are a part of the first population, at most half of it.
void LShade::learn(const std::vector<Result>& results) {
  std::vector<Member> members;
  for (const Result& result : results) {
    if (!result.is_final || result.objectives.empty()) continue;
    Units units = units_of(result.point, std::uint64_t(result.trial));
    members.push_back(
        {-2 - std::int64_t(learned_ + members.size()), std::move(units), result.objectives[0], result.violation});
  }
  std::stable_sort(members.begin(), members.end(), [](const Member& a, const Member& b) { return a.is_before(b); });
  for (Member& member : members) {
    if (learned_ >= first_size_ / 2) return;
    population_.add(std::move(member));
    ++learned_;
  }
}

LShade::Plan LShade::plan_of(std::uint64_t number) const {
  if (number + learned_ < first_size_ || population_.size() < kLeast) return {};
  const auto random = stream(number, Purpose::rates);
  const Rates rates = rates_.draw(*random);
  return {rates, population_.at(number % population_.size()).trial};
}

/// Coordinates of a point; random ones for parameters that are not active, so that it can be combined with others.
Units LShade::units_of(const Point& point, std::uint64_t number) const {
  const auto random = stream(number, Purpose::coordinates);
  Units units;
  for (std::size_t i = 0; i < point.size(); ++i) {
    const double spare = random->uniform();
    units.push_back(std::isnan(point[i]) ? spare : search_.space.to_unit(i, point[i]));
  }
  return units;
}

Point LShade::point_of(const Units& units) const {
  Point point;
  for (std::size_t i = 0; i < units.size(); ++i) point.push_back(search_.space.from_unit(i, units[i]));
  return point;
}

void LShade::on_start(std::int64_t trial, const Point& point) {
  pending_[trial] = {plan_of(started_), units_of(point, started_)};
  ++started_;
}

void LShade::on_result(const Result& result) {
  if (!result.is_final && !result.objectives.empty()) return;
  const auto found = pending_.find(result.trial);
  if (found == pending_.end()) return;
  const Pending pending = std::move(found->second);
  pending_.erase(found);
  if (!result.objectives.empty() && !std::isnan(result.objectives[0]))
    select(pending.plan, {result.trial, pending.units, result.objectives[0], result.violation});
  ++ended_;
  if (++in_generation_ >= planned_size()) end_generation();
}

void LShade::select(const Plan& plan, Member child) {
  if (plan.member == kNoTrial && population_.size() < first_size_) return population_.add(std::move(child));
  if (population_.size() == 0) return;
  const auto aim = plan.member == kNoTrial ? std::nullopt : population_.find(plan.member);
  const std::size_t index = aim.value_or(population_.worst());
  const Member& rival = population_.at(index);
  if (rival.is_before(child)) return;
  const bool is_better = child.is_before(rival);
  const double gain =
      child.violation != rival.violation ? rival.violation - child.violation : rival.objective - child.objective;
  if (is_better && aim) rates_.note(plan.rates, std::isfinite(gain) ? gain : 1);
  population_.replace(index, std::move(child), is_better && aim);
}

void LShade::end_generation() {
  in_generation_ = 0;
  rates_.end_generation();
  const std::size_t size = planned_size();
  const auto random = stream(ended_, Purpose::archive);
  population_.shrink(size, std::size_t(search_.options.real("archive") * double(size)), *random);
}

/// Linear reduction from the first size to kLeast (equation 11).
std::size_t LShade::planned_size() const {
  if (max_trials_ == 0) return first_size_;
  const double done = std::min(1.0, double(ended_) / max_trials_);
  return std::size_t(std::round(double(first_size_) - done * (double(first_size_) - double(kLeast))));
}

std::optional<Point> LShade::propose(std::int64_t, Random& random) {
  const Plan plan = plan_of(started_);
  if (plan.member != kNoTrial) return point_of(mutant(plan, random));
  reason_ = "a random point: one of the first " + std::to_string(first_size_);
  Units units;
  for (std::size_t i = 0; i < search_.space.size(); ++i) units.push_back(random.uniform());
  return point_of(units);
}

/// An index in [0, count) that is neither a nor b. REQUIRES: count > 2.
std::size_t LShade::other_than(std::size_t a, std::size_t b, std::size_t count, Random& random) const {
  std::size_t drawn = random.below(count);
  while (drawn == a || drawn == b) drawn = random.below(count);
  return drawn;
}

/// current-to-pbest/1 with the archive, and binomial crossover (equations 1 to 3).
Units LShade::mutant(const Plan& plan, Random& random) {
  const std::size_t i = *population_.find(plan.member), n = population_.size();
  const auto leaders = std::clamp(std::size_t(std::round(search_.options.real("best") * double(n))), std::size_t(2), n);
  const std::size_t leader = population_.ranking()[random.below(leaders)];
  const std::size_t r1 = other_than(i, i, n, random);
  const std::size_t r2 = other_than(i, r1, n + population_.archive().size(), random);
  char text[100];
  std::snprintf(text, sizeof text, "member %lld towards one of the best %zu, F %.2f, CR %.2f", (long long)plan.member,
                leaders, plan.rates.f, plan.rates.cr);
  reason_ = text;
  const Units& x = population_.at(i).units;
  const Units& towards = population_.at(leader).units;
  const Units& plus = population_.at(r1).units;
  const Units& minus = r2 < n ? population_.at(r2).units : population_.archive()[r2 - n];
  Units units = x;
  const std::size_t always = random.below(x.size());
  for (std::size_t j = 0; j < x.size(); ++j) {
    if (random.uniform() >= plan.rates.cr && j != always) continue;
    const double v = x[j] + plan.rates.f * (towards[j] - x[j]) + plan.rates.f * (plus[j] - minus[j]);
    units[j] = v < 0 ? x[j] / 2 : v >= 1 ? (1 + x[j]) / 2 : v;
  }
  return units;
}

}  // namespace lshade

DLRUN_SAMPLER(lshade::LShade)
