// SPDX-License-Identifier: Apache-2.0
#include "cpsat/solver.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "cpsat/library.hpp"
#include "util/error.hpp"

namespace dlrun::cpsat {

namespace {

// Numbers of fields in ortools/sat/sat_parameters.proto and, of the answer, cp_model.proto.
namespace parameter {
constexpr int kSeed = 31, kEffort = 67, kCatchesInterrupts = 135, kGap = 160, kWorkers = 206;
}
namespace answer_field {
constexpr int kStatus = 1, kSolution = 2, kBound = 4, kBranches = 12, kEffort = 17;
}
constexpr std::int64_t kInvalid = 1, kInfeasible = 3;  // CpSolverStatus

Message parameters_of(const Limits& limits) {
  Message parameters;
  parameters.add_field(parameter::kSeed, limits.seed);
  parameters.add_field(parameter::kEffort, limits.effort);
  parameters.add_field(parameter::kGap, limits.gap);
  parameters.add_field(parameter::kWorkers, std::int64_t(1));
  parameters.add_field(parameter::kCatchesInterrupts, std::int64_t(0));
  return parameters;
}

Answer answer_of(std::string_view bytes) {
  Answer answer;
  read_message(bytes, [&](const Field& field) {
    if (field.number == answer_field::kSolution) answer.values = read_numbers(field.bytes);
    if (field.number == answer_field::kBound) answer.least = field.real;
    if (field.number == answer_field::kBranches) answer.branches = std::int64_t(field.value);
    if (field.number == answer_field::kEffort) answer.effort = field.real;
    if (field.number != answer_field::kStatus) return;
    answer.is_impossible = field.value == kInfeasible;
    if (field.value == kInvalid) throw Error(ErrorKind::internal, "CP-SAT calls the model invalid");
  });
  return answer;
}

}  // namespace

/// Stays open until the process ends: it keeps threads and tables of its own.
Solver::Solver(const std::filesystem::path& library) {
  void* handle = ::dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr)
    throw Error(ErrorKind::usage, fmt::format("the CP-SAT solver cannot be opened: {}", ::dlerror()), install_hint());
  solve_ = reinterpret_cast<Solve*>(::dlsym(handle, "SolveCpModelWithParameters"));
  if (solve_ == nullptr)
    throw Error(ErrorKind::usage, fmt::format("'{}' has no SolveCpModelWithParameters", library.string()),
                install_hint());
}

Answer Solver::solve(const Model& model, const Limits& limits) const {
  const std::string asked = model.bytes(), parameters = parameters_of(limits).bytes();
  void* bytes = nullptr;
  int size = 0;
  solve_(asked.data(), int(asked.size()), parameters.data(), int(parameters.size()), &bytes, &size);
  const std::unique_ptr<void, decltype(&std::free)> owned(bytes, std::free);
  return answer_of({static_cast<const char*>(bytes), std::size_t(size)});
}

}  // namespace dlrun::cpsat
