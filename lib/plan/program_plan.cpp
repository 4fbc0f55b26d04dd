// SPDX-License-Identifier: Apache-2.0
#include "plan/program_plan.hpp"

#include <fmt/format.h>

#include <optional>
#include <vector>

#include "pruners/pruner.hpp"
#include "trial/kinds.hpp"
#include "util/units.hpp"

namespace dlrun::plan {

namespace {

/// Epochs before each rung that a program does once more if it begins with the first at every rung.
double repeated_epochs(const pruners::Pruner& pruner, double trials) {
  const std::vector<std::int64_t> rungs = pruner.rungs();
  const std::vector<double> shares = pruner.shares(), first = pruner.first_shares();
  double repeated = 0;
  for (std::size_t i = 1; i < rungs.size(); ++i)
    repeated += trials * (shares[i] - (first.empty() ? 0 : first[i])) * double(rungs[i - 1]);
  return repeated;
}

/// No key says how many may wait, and they may hold memory of a GPU.
bool is_limited_by_gpu(const spec::StudySpec& spec) { return !spec.parked && spec.device != "cpu"; }

std::string limit_text(const spec::StudySpec& spec) {
  std::string memory = spec.parked_mb ? fmt::format("what {} MB hold", grouped(*spec.parked_mb))
                                      : std::string("what half of the free memory holds");
  if (is_limited_by_gpu(spec)) memory += " while half of the GPU's memory is free";
  if (!spec.parked) return memory;
  return grouped(*spec.parked) + (spec.parked_mb ? ", and " + memory : "");
}

/// Do trials wait for others of their rung? Otherwise those that lose are ended at once.
bool waits_for_others(const spec::StudySpec& spec) {
  const auto* asha = std::get_if<pruners::Asha>(&spec.pruner.kind);
  return asha == nullptr || !asha->stops;
}

/// Memory of programs that wait, if something bounds it before the first one runs.
/// @param most  programs that wait at a time; nullopt: unknown
std::string memory_text(const spec::StudySpec& spec, const std::optional<double>& most, const Known& known) {
  if (known.program_bytes) {
    const double each = double(*known.program_bytes);
    return fmt::format("this study's trials so far held at most {} each{}", bytes_text(each),
                       most ? fmt::format(", so {} together", bytes_text(*most * each)) : "");
  }
  if (spec.memory_bytes > 0)
    return fmt::format("each holds at most {} (`resources.memory_mb`)", bytes_text(double(spec.memory_bytes)));
  return "what each holds is measured when it waits";
}

std::string waiting_text(const spec::StudySpec& spec, const std::vector<double>& shares, const Work& work,
                         const Known& known) {
  std::optional<double> most;
  if (!shares.empty() && work.trials && waits_for_others(spec)) most = double(*work.trials) * (1 - shares.back());
  const std::string count = most ? fmt::format(", up to about {} at a time", grouped(*most)) : std::string();
  return fmt::format("one for each trial, which waits between its pieces{}; on each worker at most {}; {}", count,
                     limit_text(spec), memory_text(spec, most, known));
}

std::string again_text(const pruners::Pruner& pruner, const Work& work) {
  std::string epochs = "its epochs";
  if (!pruner.shares().empty() && work.trials)
    epochs = fmt::format("about {} epochs", grouped(repeated_epochs(pruner, double(*work.trials))));
  return fmt::format("started again for each piece, from the last checkpoint; without one {} are trained again",
                     epochs);
}

}  // namespace

std::optional<std::string> program_plan(const spec::StudySpec& spec, const Work& work, const Known& known) {
  if (!trial::runs_program(spec.kind) || pruners::is_none(spec.pruner.kind)) return std::nullopt;
  const auto pruner = pruners::make_pruner(spec.pruner);
  if (pruner->rungs().size() < 2) return std::nullopt;
  const bool has_client = spec.kind == "python";
  const bool may_wait = spec.parked ? *spec.parked > 0 : spec.device == "cpu" || has_client;
  if (may_wait) return waiting_text(spec, pruner->shares(), work, known);
  const std::string again = again_text(*pruner, work);
  if (!is_limited_by_gpu(spec)) return again;
  return again + "; one with dlrun's client waits instead while half of the GPU's memory is free";
}

}  // namespace dlrun::plan
