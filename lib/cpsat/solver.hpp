// SPDX-License-Identifier: Apache-2.0
// CP-SAT itself.
#pragma once
#include <filesystem>

#include "cpsat/model.hpp"

namespace dlrun::cpsat {

struct Limits {
  double effort = 10;     ///< at most so much of the solver's own clock, which counts its operations
  double gap = 0;         ///< as good as this share of the least value is enough
  std::int64_t seed = 1;  ///< for what it draws
};

struct Answer {
  bool is_impossible = false;        ///< no values satisfy all constraints
  std::vector<std::int64_t> values;  ///< each variable's; empty: none were found
  double least = 0;                  ///< no values have a smaller objective
  double effort = 0;                 ///< spent
  std::int64_t branches = 0;         ///< explored in the search
};

class Solver {
 public:
  /// @throws Error(usage) if the library cannot be opened
  explicit Solver(const std::filesystem::path& library);

  /// By one thread: the same on every run of one version of the library.
  /// @throws Error(internal) for a model that the solver does not take
  Answer solve(const Model& model, const Limits& limits) const;

 private:
  using Solve = void(const void* model, int model_size, const void* parameters, int parameters_size, void** answer,
                     int* answer_size);
  Solve* solve_ = nullptr;
};

}  // namespace dlrun::cpsat
