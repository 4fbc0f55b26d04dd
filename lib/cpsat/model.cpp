// SPDX-License-Identifier: Apache-2.0
#include "cpsat/model.hpp"

namespace dlrun::cpsat {

namespace {

// Numbers of fields in ortools/sat/cp_model.proto.
namespace model_field {
constexpr int kVariables = 2, kConstraints = 3, kObjective = 4, kHint = 6;
}
namespace variable_field {
constexpr int kDomain = 2;
}
namespace constraint_field {
constexpr int kWhere = 2, kAny = 3, kLinear = 12, kInterval = 19, kNoOverlap = 20, kOne = 29;
}
namespace list_field {  // expressions, hints, clauses and intervals that do not overlap
constexpr int kItems = 1, kFactors = 2, kOffset = 3;
}
namespace linear_field {
constexpr int kDomain = 3;
}
namespace interval_field {
constexpr int kBegin = 4, kEnd = 5, kLength = 6;
}
namespace objective_field {
constexpr int kVariables = 1, kFactors = 4;
}

Message list_of(const std::vector<Literal>& items) {
  Message list;
  list.add_list(list_field::kItems, std::vector<std::int64_t>(items.begin(), items.end()));
  return list;
}

/// variable + offset
Message expression(Variable variable, std::int64_t offset) {
  Message sum;
  sum.add_list(list_field::kItems, {variable});
  sum.add_list(list_field::kFactors, {1});
  if (offset != 0) sum.add_field(list_field::kOffset, offset);
  return sum;
}

}  // namespace

Variable Model::variable(Range range) {
  Message variable;
  variable.add_list(variable_field::kDomain, {range.least, range.most});
  body_.add_field(model_field::kVariables, variable);
  return variables_++;
}

int Model::add_constraint(int kind, const Message& what, const std::vector<Literal>& where) {
  Message constraint;
  if (!where.empty())
    constraint.add_list(constraint_field::kWhere, std::vector<std::int64_t>(where.begin(), where.end()));
  constraint.add_field(kind, what);
  body_.add_field(model_field::kConstraints, constraint);
  return constraints_++;
}

void Model::require_sum(const std::vector<Term>& terms, Range range, const std::vector<Literal>& where) {
  std::vector<std::int64_t> variables, factors;
  for (const Term& term : terms) {
    variables.push_back(term.variable);
    factors.push_back(term.factor);
  }
  Message sum;
  sum.add_list(list_field::kItems, variables);
  sum.add_list(list_field::kFactors, factors);
  sum.add_list(linear_field::kDomain, {range.least, range.most});
  add_constraint(constraint_field::kLinear, sum, where);
}

void Model::require_any(const std::vector<Literal>& literals) {
  add_constraint(constraint_field::kAny, list_of(literals));
}

void Model::require_one(const std::vector<Literal>& literals) {
  add_constraint(constraint_field::kOne, list_of(literals));
}

int Model::interval(Variable begin, std::int64_t length, Literal where) {
  Message interval, constant;
  constant.add_field(list_field::kOffset, length);
  interval.add_field(interval_field::kBegin, expression(begin, 0));
  interval.add_field(interval_field::kEnd, expression(begin, length));
  interval.add_field(interval_field::kLength, constant);
  return add_constraint(constraint_field::kInterval, interval, {where});
}

void Model::require_no_overlap(const std::vector<int>& intervals) {
  add_constraint(constraint_field::kNoOverlap, list_of(intervals));
}

void Model::minimize(Variable variable) {
  objective_ = {};
  objective_.add_list(objective_field::kVariables, {variable});
  objective_.add_list(objective_field::kFactors, {1});
}

void Model::suggest(Variable variable, std::int64_t value) {
  suggested_.push_back(variable);
  values_.push_back(value);
}

std::string Model::bytes() const {
  Message model = body_;
  if (!objective_.bytes().empty()) model.add_field(model_field::kObjective, objective_);
  Message hint;
  hint.add_list(list_field::kItems, suggested_);
  hint.add_list(list_field::kFactors, values_);
  if (!suggested_.empty()) model.add_field(model_field::kHint, hint);
  return model.bytes();
}

}  // namespace dlrun::cpsat
