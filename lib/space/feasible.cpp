// SPDX-License-Identifier: Apache-2.0
#include "space/feasible.hpp"

#include <algorithm>
#include <cmath>

#include "space/constraint.hpp"
#include "space/domain.hpp"
#include "util/error.hpp"

namespace dlrun::space {

namespace {

constexpr std::int64_t kPart = 20;  ///< work of looking at a cell, or at a part of a constraint
constexpr double kChanged = 1000;   ///< a choice changed; numbers cost 1 at most

double width_of(const Parameter& p) { return p.high > p.low ? p.high - p.low : 1; }

Linear turned(const Linear& sum, Relation relation) {
  Linear out{sum.terms, relation, -sum.bound};
  for (Term& term : out.terms) term.factor = -term.factor;
  return out;
}

}  // namespace

Question question_of(const std::vector<Constraint>& constraints) {
  Question question;
  for (const Constraint& constraint : constraints) {
    if (const auto* sum = std::get_if<Linear>(&constraint.rule)) question.sums.push_back(*sum);
    if (const auto* rule = std::get_if<Forbidden>(&constraint.rule)) question.forbidden.push_back(*rule);
  }
  return question;
}

std::vector<Question> negations(const Constraint& constraint, const Question& others) {
  Question question = others;
  if (const auto* rule = std::get_if<Forbidden>(&constraint.rule)) {
    question.has.insert(question.has.end(), rule->all_of.begin(), rule->all_of.end());
    return {question};
  }
  const auto& sum = std::get<Linear>(constraint.rule);
  for (const Term& term : sum.terms) question.active.push_back(term.parameter);
  const auto with = [&](const Linear& other) {
    Question one = question;
    one.sums.push_back(other);
    return one;
  };
  if (sum.relation == Relation::less) return {with(turned(sum, Relation::at_most))};
  if (sum.relation == Relation::at_most) return {with(turned(sum, Relation::less))};
  return {with(turned(sum, Relation::less)), with({sum.terms, Relation::less, sum.bound})};
}

Feasible::Feasible(const Space& space, Question question)
    : space_(space), question_(std::move(question)), clauses_(space.size()), gates_(space.size()) {
  for (std::size_t i = 0; i < space.size(); ++i) {
    for (const Condition& c : space.parameters()[i].when) gates_[i].push_back(note({c.parameter, c.any_of, {}}));
  }
  for (const Forbidden& rule : question_.forbidden) {
    auto& refs = forbidden_.emplace_back();
    for (const Clause& clause : rule.all_of) refs.push_back(note(clause));
  }
  for (const Clause& clause : question_.has) has_.push_back(note(clause));
  find_matter();
  branch_work_ = kPart;
  for (const Linear& sum : question_.sums) branch_work_ += kPart * static_cast<std::int64_t>(sum.terms.size());
  for (const auto& refs : forbidden_) branch_work_ += kPart * static_cast<std::int64_t>(refs.size());
  cells_.resize(space.size());
  for (std::size_t i = 0; i < space.size(); ++i) {
    if (matters_[i]) cells_[i] = cells_of(space, i, clauses_[i], is_summed_[i]);
  }
}

Feasible::Ref Feasible::note(const Clause& clause) {
  clauses_[clause.parameter].push_back(clause);
  return {clause.parameter, clauses_[clause.parameter].size() - 1};
}

/// Parameters that constraints name, and what their being active depends on.
void Feasible::find_matter() {
  matters_.assign(space_.size(), false);
  is_summed_ = matters_;
  for (const Linear& sum : question_.sums) {
    for (const Term& term : sum.terms) matters_[term.parameter] = is_summed_[term.parameter] = true;
  }
  for (const auto& refs : forbidden_) {
    for (const Ref& ref : refs) matters_[ref.parameter] = true;
  }
  for (const Ref& ref : has_) matters_[ref.parameter] = true;
  for (const std::size_t i : question_.active) matters_[i] = true;
  for (std::size_t i = space_.size(); i-- > 0;) {
    if (!matters_[i]) continue;
    for (const Ref& ref : gates_[i]) matters_[ref.parameter] = true;
  }
}

std::optional<bool> Feasible::exists(std::int64_t work) const {
  const Best best = search(Values(space_.size()), work);
  if (best.values) return true;
  return best.is_decided() ? std::optional(false) : std::nullopt;
}

std::optional<Values> Feasible::some(const Values& fixed) const {
  Best best = search(fixed, kMostWork);
  if (best.values || best.is_decided()) return std::move(best.values);
  throw Error(ErrorKind::usage, "whether a point keeps the constraints cannot be decided: they are too entangled");
}

/// Searches until the first point.
Feasible::Best Feasible::search(const Values& fixed, std::int64_t work) const {
  Values wanted = fixed;
  std::vector<bool> is_fixed;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    is_fixed.push_back(!std::holds_alternative<std::monostate>(fixed[i]));
    if (!is_fixed[i]) wanted[i] = space_.from_unit(i, 0.5);
  }
  Best best{Work(work), true};
  Branch branch{std::vector<const Cell*>(space_.size()), 0};
  look(0, branch, wanted, is_fixed, best);
  return best;
}

std::optional<Values> Feasible::nearest(const Values& wanted, const std::vector<bool>& fixed) const {
  Best best{Work(kLittleWork)};
  Branch branch{std::vector<const Cell*>(space_.size()), 0};
  look(0, branch, wanted, fixed, best);
  return best.values;
}

bool Feasible::has(const Ref& ref, const Branch& branch) const {
  const Cell* cell = branch.cells[ref.parameter];
  return cell != nullptr && cell->has[ref.clause];
}

bool Feasible::is_active(std::size_t parameter, const Branch& branch) const {
  const auto& gates = gates_[parameter];
  return std::all_of(gates.begin(), gates.end(), [&](const Ref& ref) { return has(ref, branch); });
}

/// Has what was chosen up to `parameter` come to something that is forbidden, or lost something that is asked for?
bool Feasible::is_dead(std::size_t parameter, const Branch& branch) const {
  for (const auto& refs : forbidden_) {
    std::size_t last = 0;
    for (const Ref& ref : refs) last = std::max(last, ref.parameter);
    if (last != parameter) continue;
    if (std::all_of(refs.begin(), refs.end(), [&](const Ref& ref) { return has(ref, branch); })) return true;
  }
  for (const Ref& ref : has_) {
    if (ref.parameter == parameter && !has(ref, branch)) return true;
  }
  const auto is_missing = [&](std::size_t i) { return i == parameter && branch.cells[i] == nullptr; };
  if (std::any_of(question_.active.begin(), question_.active.end(), is_missing)) return true;
  return std::any_of(question_.sums.begin(), question_.sums.end(),
                     [&](const Linear& sum) { return is_out_of_reach(sum, branch, parameter + 1); });
}

/// Whether a sum cannot hold by the ranges alone: one whose parameters are all decided to be active, or always active.
bool Feasible::is_out_of_reach(const Linear& sum, const Branch& branch, std::size_t next) const {
  double least = 0, most = 0, scale = std::abs(sum.bound);
  for (const Term& term : sum.terms) {
    double low = 0, high = 0;
    if (term.parameter >= next) {
      if (!gates_[term.parameter].empty()) return false;
      const auto& cells = cells_[term.parameter];
      low = std::min_element(cells.begin(), cells.end(), [](auto& a, auto& b) { return a.low < b.low; })->low;
      high = std::max_element(cells.begin(), cells.end(), [](auto& a, auto& b) { return a.high < b.high; })->high;
    } else {
      if (branch.cells[term.parameter] == nullptr) return false;
      low = branch.cells[term.parameter]->low;
      high = branch.cells[term.parameter]->high;
    }
    least += std::min(term.factor * low, term.factor * high);
    most += std::max(term.factor * low, term.factor * high);
    scale = std::max({scale, std::abs(term.factor * low), std::abs(term.factor * high)});
  }
  const double rounding = 1e-9 * scale;
  return least > sum.bound + rounding || (sum.relation == Relation::equal && most < sum.bound - rounding);
}

/// The cells of a parameter with what each costs at least, the cheapest first.
std::vector<std::pair<double, Cell>> Feasible::parts(std::size_t parameter, const Value& wanted, bool is_fixed) const {
  std::vector<std::pair<double, Cell>> out;
  const Parameter& p = space_.parameters()[parameter];
  for (const Cell& cell : cells_[parameter]) {
    if (!cell.is_numeric) {
      const std::int64_t k = space_.index_of(parameter, wanted);
      const bool is_in = std::binary_search(cell.members.begin(), cell.members.end(), k);
      if (is_fixed && !is_in) continue;
      Cell part = cell;
      if (is_in) part.members = {k};
      const std::int64_t apart = is_in ? 0 : std::abs(part.members.front() - k);
      out.emplace_back(is_in ? 0 : kChanged * (1 + 1e-6 * static_cast<double>(apart)), std::move(part));
      continue;
    }
    const double x = number_of(space_, parameter, wanted);
    const double off = std::max({cell.low - x, x - cell.high, 0.0});
    if (is_fixed && off > 0) continue;
    Cell part = cell;
    if (is_fixed) part.low = part.high = x;
    out.emplace_back(off / width_of(p), std::move(part));
  }
  std::stable_sort(out.begin(), out.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  return out;
}

void Feasible::look(std::size_t parameter, Branch& branch, const Values& wanted, const std::vector<bool>& fixed,
                    Best& best) const {
  while (parameter < space_.size() && !matters_[parameter]) ++parameter;
  if (parameter == space_.size()) return settle(branch, wanted, best);
  branch.cells[parameter] = nullptr;
  if (!is_active(parameter, branch)) {
    if (!is_dead(parameter, branch)) look(parameter + 1, branch, wanted, fixed, best);
    return;
  }
  const double before = branch.cost;
  best.work.spend(kPart * static_cast<std::int64_t>(cells_[parameter].size()));
  for (const auto& [cost, cell] : parts(parameter, wanted[parameter], !fixed.empty() && fixed[parameter])) {
    branch.cells[parameter] = &cell;
    branch.cost = before + cost;
    if (best.values && (best.is_first_enough || branch.cost >= best.cost)) break;
    best.work.spend(branch_work_);
    if (best.work.is_spent()) break;
    if (!is_dead(parameter, branch)) look(parameter + 1, branch, wanted, fixed, best);
  }
  branch.cells[parameter] = nullptr;
  branch.cost = before;
}

/// A branch decides all but the numbers.
void Feasible::settle(const Branch& branch, const Values& wanted, Best& best) const {
  std::vector<std::size_t> place(space_.size());
  std::vector<std::size_t> summed;
  std::vector<Variable> variables;
  for (std::size_t i = 0; i < space_.size(); ++i) {
    if (!is_summed_[i] || branch.cells[i] == nullptr) continue;
    const Parameter& p = space_.parameters()[i];
    const Cell& cell = *branch.cells[i];
    place[i] = variables.size();
    summed.push_back(i);
    const double step = cell.is_numeric && space_.count(i) ? p.step.value_or(1) : 0;
    variables.push_back({cell.low, cell.high, step, p.low, number_of(space_, i, wanted[i]),
                         1 / (has_choices(p) ? std::max(std::abs(cell.low), 1.0) : width_of(p))});
  }
  std::vector<Row> rows;
  for (const Linear& sum : question_.sums) {
    Row row{std::vector<double>(variables.size()), sum.relation, sum.bound};
    const bool is_active = std::all_of(sum.terms.begin(), sum.terms.end(),
                                       [&](const Term& t) { return branch.cells[t.parameter] != nullptr; });
    for (const Term& term : sum.terms) {
      if (is_active) row.factors[place[term.parameter]] += term.factor;
    }
    if (is_active) rows.push_back(std::move(row));
  }
  const auto found = rows.empty() ? std::optional(Solution{}) : space::nearest(variables, rows, best.work);
  if (!found) return;
  std::vector<std::optional<double>> numbers(space_.size());
  for (std::size_t k = 0; k < found->x.size(); ++k) numbers[summed[k]] = found->x[k];
  double cost = 0;  // numbers that stand in sums are counted by the program, not by the cell
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const Cell* cell = branch.cells[i];
    if (cell == nullptr || !cell->is_numeric) continue;
    const double x = number_of(space_, i, wanted[i]);
    const double y = numbers[i].value_or(std::clamp(x, cell->low, cell->high));
    cost += std::abs(x - y) / width_of(space_.parameters()[i]);
  }
  for (std::size_t i = 0; i < space_.size(); ++i) {
    const Cell* cell = branch.cells[i];
    if (cell != nullptr && !cell->is_numeric && cell->members.front() != space_.index_of(i, wanted[i]))
      cost += kChanged;
  }
  if (best.values && cost >= best.cost) return;
  Values values = values_of(branch, wanted, numbers);
  best.is_doubtful |= !answers(values);
  if (!answers(values)) return;
  best.values = std::move(values);
  best.cost = cost;
}

/// Do the sums hold as they are judged elsewhere? Branches keep all else by themselves.
bool Feasible::answers(const Values& values) const {
  return std::all_of(question_.sums.begin(), question_.sums.end(),
                     [&](const Linear& sum) { return holds(space_, sum, values); });
}

Values Feasible::values_of(const Branch& branch, const Values& wanted,
                           const std::vector<std::optional<double>>& numbers) const {
  Values values(space_.size());
  for (std::size_t i = 0; i < space_.size(); ++i) {
    if (!space_.is_active(i, values)) continue;
    const Cell* cell = branch.cells[i];
    if (cell == nullptr) {
      values[i] = wanted[i];
    } else if (!cell->is_numeric) {
      values[i] = space_.value_at(i, cell->members.front());
    } else {
      const double x = numbers[i].value_or(std::clamp(number_of(space_, i, wanted[i]), cell->low, cell->high));
      const Parameter& p = space_.parameters()[i];
      if (!space_.count(i)) {
        values[i] = x;
      } else {
        const auto k = std::llround((x - p.low) / p.step.value_or(1));
        values[i] = space_.value_at(i, std::clamp<std::int64_t>(k, 0, *space_.count(i) - 1));
      }
    }
  }
  return values;
}

}  // namespace dlrun::space
