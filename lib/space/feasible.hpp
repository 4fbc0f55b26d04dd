// SPDX-License-Identifier: Apache-2.0
// Is there a point that keeps the constraints, and which is the nearest? Exact: branch by branch of what choices,
// conditions and forbidden combinations tell apart, with a linear program for the numbers of each branch. What cannot
// be decided with a given amount of work is said to be undecided; the amount is counted, never timed.
#pragma once
#include <optional>
#include <vector>

#include "space/cells.hpp"
#include "space/program.hpp"

namespace dlrun::space {

/// Conditions on a point that is searched.
struct Question {
  std::vector<Linear> sums;          ///< hold where all of their parameters are active
  std::vector<Forbidden> forbidden;  ///< no point of these
  std::vector<Clause> has;           ///< all of them
  std::vector<std::size_t> active;   ///< parameters that are active
};

/// All constraints of a list.
Question question_of(const std::vector<Constraint>& constraints);

/// Questions of which one at least has an answer where a point breaks the constraint.
std::vector<Question> negations(const Constraint& constraint, const Question& others = {});

class Feasible {
 public:
  Feasible(const Space& space, Question question);

  /// Is there such a point? nullopt: that work does not suffice to decide.
  std::optional<bool> exists(std::int64_t work = kMostWork) const;
  /// One such point, with the values of `fixed`; the rest by preference from the middle of the domains. nullopt: it is
  /// proven that there is none.
  /// @param fixed unset: any value @throws Error(usage) where kMostWork does not suffice to decide
  std::optional<Values> some(const Values& fixed) const;
  /// The nearest one: fewest choices changed, then least distance of the numbers, each in widths of its domain; where
  /// that takes more than kLittleWork the nearest that was found.
  /// @param wanted values of all parameters, those that may become active too
  /// @param fixed by parameter, empty: none; those keep their wanted value
  /// nullopt: none was found.
  std::optional<Values> nearest(const Values& wanted, const std::vector<bool>& fixed = {}) const;

  static constexpr std::int64_t kMostWork = 1'000'000'000;  ///< some seconds
  static constexpr std::int64_t kLittleWork = 500'000;      ///< some milliseconds

 private:
  struct Ref {
    std::size_t parameter, clause;
  };
  struct Branch {
    std::vector<const Cell*> cells;  ///< by parameter; nullptr: not active, or of no matter
    double cost = 0;
  };
  struct Best {
    Work work;
    bool is_first_enough = false;
    std::optional<Values> values = {};
    double cost = 0;
    bool is_doubtful = false;  ///< a branch came to nothing by rounding alone
    bool is_decided() const { return values || !(work.is_spent() || is_doubtful); }
  };

  Ref note(const Clause& clause);
  void find_matter();
  bool is_active(std::size_t parameter, const Branch& branch) const;
  bool has(const Ref& ref, const Branch& branch) const;
  bool is_dead(std::size_t parameter, const Branch& branch) const;
  bool is_out_of_reach(const Linear& sum, const Branch& branch, std::size_t next) const;
  std::vector<std::pair<double, Cell>> parts(std::size_t parameter, const Value& wanted, bool is_fixed) const;
  void look(std::size_t parameter, Branch& branch, const Values& wanted, const std::vector<bool>& fixed,
            Best& best) const;
  void settle(const Branch& branch, const Values& wanted, Best& best) const;
  Best search(const Values& fixed, std::int64_t work) const;
  bool answers(const Values& values) const;
  Values values_of(const Branch& branch, const Values& wanted, const std::vector<std::optional<double>>& numbers) const;

  Space space_;
  Question question_;
  std::vector<std::vector<Clause>> clauses_;  ///< by parameter
  std::vector<std::vector<Ref>> gates_;       ///< by parameter: its conditions
  std::vector<std::vector<Ref>> forbidden_;
  std::vector<Ref> has_;
  std::vector<bool> matters_;
  std::vector<bool> is_summed_;
  std::vector<std::vector<Cell>> cells_;
  std::int64_t branch_work_ = 0;  ///< work of looking at one branch
};

}  // namespace dlrun::space
