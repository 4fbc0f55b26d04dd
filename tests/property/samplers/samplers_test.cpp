// SPDX-License-Identifier: Apache-2.0
// Laws of every sampler of the room's list, in spaces of every kind and under histories of every kind: proposals lie in
// the domain, no point of a finite space comes twice, and what is proposed is a function of what was told.
#include "samplers/sampler.hpp"

#include <cmath>
#include <limits>
#include <set>
#include <variant>

#include "space/constraint.hpp"
#include "space/feasible_draw.hpp"
#include "support/sanitized.hpp"
#include "support/seeds.hpp"
#include "util/error.hpp"
#include "util/json.hpp"
#include "util/random.hpp"

namespace samplers_test {

using namespace dlrun;
using namespace dlrun::samplers;
using space::Parameter;
using space::Space;
using space::Type;
using space::Values;

namespace {

constexpr int kSpaces = kIsSanitized ? 6 : 60;  // for each sampler

/// How many spaces a sampler is tried in: few where a proposal costs milliseconds, or another sampler's.
int spaces_for(const std::string& sampler) {
  if (sampler == "gp") return kIsSanitized ? 1 : 5;
  return sampler == "auto" ? kSpaces / 3 : kSpaces;
}

Parameter finite(RandomStream& random) {
  Parameter p;
  const auto count = random.below(4);
  switch (random.below(4)) {
    case 0:
      p.type = Type::integer;
      p.low = double(random.below(5)) - 2;
      p.high = p.low + double(count);
      break;
    case 1:
      p.low = 0.1;
      p.step = 0.1;
      p.high = 0.1 + 0.1 * double(count);
      break;
    case 2:
      p.type = Type::ordinal;
      for (std::uint64_t i = 0; i <= count; ++i) p.choices.emplace_back(1 << i);
      break;
    default:
      p.type = Type::categorical;
      p.choices = {"sgd", 2, true, 0.5};
      p.choices.resize(count + 1);  // one alone, too
  }
  return p;
}

Parameter continuous(RandomStream& random) {
  switch (random.below(4)) {
    case 0: return {.low = -5, .high = 10};
    case 1: return {.low = 1e-6, .high = 1, .log = true};
    case 2: return {.type = Type::integer, .low = 1, .high = 1e9, .log = true};
    default: return {.low = 1, .high = std::nextafter(1.0, 2.0)};  // two numbers
  }
}

/// Half the spaces have constraints: each forbids something of a point that is not the one all are to leave.
Space constrained(const Space& space, RandomStream& random) {
  const auto draw = [&] { return space::uniform_point(space, random); };
  const Values kept = draw();
  std::vector<space::Constraint> constraints;
  for (std::uint64_t i = random.below(4); i > 0; --i) {
    const Values other = draw();
    space::Forbidden forbidden;
    space::Linear sum{{}, random.below(3) == 0 ? space::Relation::equal : space::Relation::at_most, 0};
    for (std::size_t k = 0; k < space.size(); ++k) {
      if (!std::holds_alternative<std::monostate>(other[k]) && space.count(k)) {
        forbidden.all_of.push_back({k, {other[k]}, {}});
      }
      if (std::holds_alternative<std::monostate>(kept[k]) || !space::is_number(space.parameters()[k])) continue;
      sum.terms.push_back({k, double(random.below(5)) - 2.0});
      sum.bound += sum.terms.back().factor * space::number_of(space, k, kept[k]);
    }
    std::erase_if(sum.terms, [](const space::Term& term) { return term.factor == 0; });
    if (!forbidden.all_of.empty()) constraints.push_back({"", forbidden});
    if (!sum.terms.empty()) constraints.push_back({"", sum});
  }
  std::erase_if(constraints, [&](const space::Constraint& c) { return !space::holds(space, c, kept); });
  return Space(space.parameters(), constraints);
}

/// One to five parameters, each perhaps under conditions on earlier ones of few values.
Space draw_space(RandomStream& random, bool is_finite) {
  std::vector<Parameter> parameters;
  for (std::uint64_t i = random.below(5) + 1; i > 0; --i) {
    Parameter p = is_finite || random.below(2) == 0 ? finite(random) : continuous(random);
    p.name = "p" + std::to_string(parameters.size());
    const Space sofar(parameters);
    for (std::size_t k = 0; k < parameters.size(); ++k) {
      if (!sofar.count(k) || *sofar.count(k) > 4 || random.below(3) > 0) continue;
      p.when.push_back({k, {sofar.value_at(k, std::int64_t(random.below(std::uint64_t(*sofar.count(k)))))}});
    }
    parameters.push_back(p);
  }
  return constrained(Space(parameters), random);
}

struct Start {
  trial::TrialId trial;
  Values values;
};
using Told = std::variant<Start, Observation>;

/// What a study tells, in an order in which it may tell it: results come late, some never, some fail or are not finite,
/// some trials have several pieces.
class History {
 public:
  /// @param told  what was told is added there, if it is given
  History(Sampler& sampler, RandomStream random, std::vector<Told>* told = nullptr)
      : sampler_(sampler), random_(std::move(random)), told_(told) {}

  /// Questions to the sampler that must change nothing are put with this chance.
  void ask_between(double chance) { chance_ = chance; }

  std::vector<Values> play(int trials) {
    RandomStream questions(std::uint64_t(trials), {"test", "questions"});
    for (int i = 0; i < trials; ++i) {
      if (questions.uniform() < chance_) sampler_.propose(i + int(questions.below(3)));
      const auto values = sampler_.propose(i);
      if (!values) break;
      proposed_.push_back(*values);
      sampler_.on_start(trial::TrialId(i), *values);
      if (told_) told_->push_back(Start{trial::TrialId(i), *values});
      pending_.push_back({i, 0});
      while (!pending_.empty() && random_.below(3) > 0) reveal();
    }
    return proposed_;
  }

 private:
  struct Piece {
    int trial;
    int steps;
  };

  void reveal() {
    const auto place = std::ptrdiff_t(random_.below(pending_.size()));
    Piece piece = pending_[std::size_t(place)];
    pending_.erase(pending_.begin() + place);
    const bool is_whole = random_.below(3) > 0;
    const Observation seen{trial::TrialId(piece.trial), proposed_[std::size_t(piece.trial)], objective(), ++piece.steps,
                           is_whole};
    sampler_.on_result(seen);
    if (told_) told_->push_back(seen);
    if (!is_whole) pending_.push_back(piece);
  }

  std::optional<double> objective() {
    switch (random_.below(10)) {
      case 0: return std::nullopt;
      case 1: return std::numeric_limits<double>::quiet_NaN();
      case 2: return std::numeric_limits<double>::infinity();
      case 3: return 1e300;
      case 4: return 0;  // ties
      default: return random_.normal();
    }
  }

  Sampler& sampler_;
  RandomStream random_;
  std::vector<Told>* told_;
  double chance_ = 0;
  std::vector<Values> proposed_;
  std::vector<Piece> pending_;
};

/// A sampler, a space it takes, and how long it is asked.
struct Case {
  std::string name;
  Space space;
  std::uint64_t seed = 0;
  int trials = 40;
};

std::unique_ptr<Sampler> make(const Case& c) { return make_sampler(c.name, c.space, c.seed); }

std::vector<Values> play(const Case& c, Sampler& sampler, std::vector<Told>* told = nullptr, double questions = 0) {
  History history(sampler, RandomStream(c.seed, {"test", "history"}), told);
  history.ask_between(questions);
  return history.play(c.trials);
}

void tell(Sampler& sampler, const std::vector<Told>& told) {
  for (const Told& row : told) {
    if (const auto* start = std::get_if<Start>(&row)) sampler.on_start(start->trial, start->values);
    if (const auto* seen = std::get_if<Observation>(&row)) sampler.on_result(*seen);
  }
}

std::string text(const Case& c, const Values& values) { return to_text(c.space.params(values)); }

std::vector<std::string> texts(const Case& c, const std::vector<Values>& all) {
  std::vector<std::string> lines;
  for (const Values& values : all) lines.push_back(text(c, values));
  return lines;
}

bool takes(const Case& c) {
  try {
    make(c);
  } catch (const Error& fault) {
    CHECK(fault.kind() == ErrorKind::usage);
    return false;
  }
  return true;
}

/// Checks a law of every sampler in many spaces; in finite ones alone where it is asked so, and where a sampler takes
/// no others.
void check_law(bool is_finite, const std::function<void(const Case&)>& law) {
  for (const std::string& name : sampler_names()) {
    INFO(name);
    const bool is_dear = name == "gp";
    test::for_seeds(std::uint64_t(spaces_for(name)), [&](std::uint64_t seed) {
      RandomStream random(seed, {"test", "space"});
      Case c{name, draw_space(random, is_finite), seed, is_dear ? 16 : 40};
      if (!takes(c)) c.space = draw_space(random, true);
      law(c);
    });
  }
}

}  // namespace

// One test, because a life of a sampler costs up to a second.
TEST_CASE("a proposal lies in its domain and is a function of what was told", "[samplers][property]") {
  check_law(false, [](const Case& c) {
    const auto lived = make(c), asked = make(c), replayed = make(c);
    std::vector<Told> told;
    const std::vector<Values> all = play(c, *lived, &told);
    for (const Values& values : all) REQUIRE(c.space.contains(values));
    CHECK(texts(c, play(c, *asked, nullptr, 0.5)) == texts(c, all));  // questions in between change nothing

    tell(*replayed, told);  // it goes on as the one that lived it
    const auto a = lived->propose(c.trials), b = replayed->propose(c.trials);
    REQUIRE(a.has_value() == b.has_value());
    if (a) CHECK(text(c, *a) == text(c, *b));
    CHECK(lived->reason() == replayed->reason());
  });
}

TEST_CASE("a point of a finite space is proposed once, and all are before the search ends", "[samplers][property]") {
  check_law(true, [](const Case& c) {
    const auto size = c.space.cardinality();
    const auto sampler = make(c);
    const auto all = play(c, *sampler);
    std::set<std::string> seen;
    for (const Values& values : all) REQUIRE(seen.insert(text(c, values)).second);
    REQUIRE(size.has_value());
    CHECK(std::int64_t(all.size()) == std::min(*size, std::int64_t(c.trials)));
  });
}

}  // namespace samplers_test
