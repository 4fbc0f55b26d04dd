// SPDX-License-Identifier: Apache-2.0
// The set that a study searches, as plugins see it: parameters, their domains, their values as plain numbers.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace dlrun::plugin {

/// A value for each parameter, in the order of Space::parameters(). The value of a real parameter is itself, of an
/// integer a whole number, of a choice its index in `choices`; NaN: the parameter is not active.
using Point = std::vector<double>;

enum class ParameterKind { real, integer, choice };

/// The parameter is active only if an earlier one, which is active too, has one of these values.
struct Condition {
  std::size_t parameter = 0;
  std::vector<double> any_of;
};

struct Parameter {
  std::string name;
  ParameterKind kind = ParameterKind::real;
  double low = 0, high = 1;  ///< real, integer: both ends are inside
  bool log = false;          ///< to be searched evenly in the logarithm
  std::optional<double> step;
  std::vector<std::string> choices;  ///< texts of the values of a choice
  bool is_ordered = false;           ///< the order of the choices has a meaning
  std::vector<Condition> when;       ///< all must hold; empty: always active
};

/// dlrun implements this interface; its functions give the same bits on every processor, which std::log and std::exp
/// do not.
class Space {
 public:
  virtual ~Space() = default;
  virtual const std::vector<Parameter>& parameters() const = 0;
  std::size_t size() const { return parameters().size(); }
  /// Is the parameter active under the values of the parameters before it?
  virtual bool is_active(std::size_t parameter, const Point& point) const = 0;
  /// A value of the domain from a unit coordinate, which is taken into [0, 1). Every value of a finite domain has an
  /// equal share of [0, 1), on a log scale an equal ratio.
  virtual double from_unit(std::size_t parameter, double unit) const = 0;
  /// The middle of the value's share, in [0, 1). REQUIRES: the value is of the domain.
  virtual double to_unit(std::size_t parameter, double value) const = 0;
  /// Number of values of a domain; nullopt: continuous.
  virtual std::optional<std::int64_t> count(std::size_t parameter) const = 0;
  /// Does the point keep the study's `constraints:`? REQUIRES: its values are of their domains, or NaN if not active.
  virtual bool keeps_constraints(const Point& point) const = 0;
};

}  // namespace dlrun::plugin
