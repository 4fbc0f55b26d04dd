// SPDX-License-Identifier: Apache-2.0
// The set that is searched: parameters, their domains, and when each is active.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace dlrun::space {

enum class Type { real, integer, categorical, ordinal, constant };

/// Number of a choice in its parameter's list.
struct Choice {
  std::uint32_t index = 0;
  auto operator<=>(const Choice&) const = default;
};

/// One value of one parameter; monostate: the parameter is not active. 16 bytes, for studies of 100,000 trials.
using Value = std::variant<std::monostate, std::int64_t, double, Choice>;

/// Values in the order of Space::parameters.
using Values = std::vector<Value>;

/// `when: {opt: sgd}` or `when: {opt: [sgd, nadam]}`: active only where an earlier parameter has one of these values.
struct Condition {
  std::size_t parameter = 0;  ///< index of the earlier parameter
  std::vector<Value> any_of;
};

struct Parameter {
  std::string name;
  std::string at;  ///< place in the trial; empty: handed to the trial by name only
  Type type = Type::real;
  double low = 0;  ///< real, integer: both ends are inside
  double high = 1;
  bool log = false;  ///< needs low > 0; integers: high <= 1e12
  std::optional<double>
      step;  ///< grid from low; with log it is an error. Values are rounded to 15 digits: 0.3, not 0.30000000000000004
  std::vector<nlohmann::json> choices;  ///< categorical, ordinal; constant: one
  std::vector<Condition> when;          ///< all must hold
  std::vector<nlohmann::json> edits;    ///< for each choice {place: value, …}; where there are any, `at` sets nothing
};

/// One summand of a linear constraint. Its parameter is a number: float, int, or choices that are all numbers.
struct Term {
  std::size_t parameter = 0;
  double factor = 1;
};
enum class Relation { less, at_most, equal };
/// `a + 2*b <= 1`: the sum of factor * value, held against a bound. An equality means 9 digits.
struct Linear {
  std::vector<Term> terms;
  Relation relation = Relation::at_most;
  double bound = 0;
};
/// `opt: sgd`, `depth: [1, 2]` or `lr: {low: 0.1, high: 1}` (both ends inside), as a part of a forbidden combination.
struct Clause {
  std::size_t parameter = 0;
  std::vector<Value> any_of;
  std::optional<std::pair<double, double>> range;
};
/// No point may have all of these.
struct Forbidden {
  std::vector<Clause> all_of;
};
/// Rule that values must keep together. Where a parameter that it names is not active, it holds.
struct Constraint {
  std::string text;  ///< as written
  std::variant<Linear, Forbidden> rule;
};

class Space {
 public:
  Space();
  /// @throws Error(usage) for a domain that makes no sense; the spec checks with places before, and that the
  /// constraints can hold.
  explicit Space(std::vector<Parameter> parameters, std::vector<Constraint> constraints = {});
  // Out of line, so that who only hands a space on need not include the whole of JSON.
  ~Space();
  Space(const Space&);
  Space(Space&&) noexcept;
  Space& operator=(const Space&);
  Space& operator=(Space&&) noexcept;

  const std::vector<Parameter>& parameters() const { return parameters_; }
  std::size_t size() const { return parameters_.size(); }
  const std::vector<Constraint>& constraints() const { return constraints_; }
  /// Do all constraints hold? REQUIRES: the values are of their domains.
  bool satisfies(const Values& values) const;
  /// Index of a parameter; nullopt where there is none.
  std::optional<std::size_t> find(const std::string& name) const;

  /// Is parameter `index` active under the values of the parameters before it?
  bool is_active(std::size_t index, const Values& values) const;
  /// A unit coordinate in [0, 1) to a value of the domain: every value of a finite domain gets an equal share
  /// (a log scale equal ratios).
  Value from_unit(std::size_t index, double unit) const;
  /// The middle of the value's share, in [0, 1). from_unit(to_unit(v)) == v for finite domains; for continuous ones it
  /// is v up to rounding (a few 1e-16 of the range; on a log scale, of the value).
  double to_unit(std::size_t index, const Value& value) const;
  /// Number of values of a domain; nullopt: continuous.
  std::optional<std::int64_t> count(std::size_t index) const;
  /// Value number `k` of a finite domain, ascending (choices: as listed). REQUIRES: 0 <= k < count.
  Value value_at(std::size_t index, std::int64_t k) const;
  /// Inverse of value_at(). REQUIRES: the value is of the domain.
  std::int64_t index_of(std::size_t index, const Value& value) const;
  /// The unit coordinates that stand for a value of a finite domain: from first up to second. REQUIRES: as index_of.
  std::pair<double, double> share(std::size_t index, const Value& value) const;
  /// All values of a finite domain in order; nullopt for a continuous one or one of more than `limit` values.
  std::optional<std::vector<Value>> enumerate(std::size_t index, std::size_t limit) const;
  /// Number of points, conditions and constraints counted rightly; nullopt: infinite, above 2^53 (with constraints:
  /// kMostListed), or too entangled to count.
  std::optional<std::int64_t> cardinality() const;
  /// Is the value one of its parameter's domain, exactly?
  bool contains(std::size_t index, const Value& value) const;
  /// Is every active parameter's value of its domain, every other one unset, and does every constraint hold?
  bool contains(const Values& values) const;

  nlohmann::json to_json(std::size_t index, const Value& value) const;  ///< null where not active
  /// @throws Error(usage) where the JSON is no value of the domain, naming domain and value.
  Value from_json(std::size_t index, const nlohmann::json& json) const;
  /// {name: value} of the active ones, and {at: value} for what is to be set in the trial.
  nlohmann::json params(const Values& values) const;
  nlohmann::json sets(const Values& values) const;

 private:
  std::vector<Parameter> parameters_;
  std::vector<Constraint> constraints_;
};

}  // namespace dlrun::space
