// SPDX-License-Identifier: Apache-2.0
#include "final_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "util/number_text.hpp"

namespace dlrun::cli {

namespace {

std::string names_text(const char* what, const std::vector<std::string>& names) {
  return names.empty() ? "" : fmt::format("; {}: {}", what, fmt::join(names, ", "));
}

std::string tensors_text(const warmstart::TransferPlan& plan) {
  std::vector<std::string> fresh, sliced;
  for (const warmstart::Transfer& tensor : plan.tensors) {
    const bool is_chosen = tensor.fresh == warmstart::Fresh::left_out;
    if (tensor.fresh) fresh.push_back(tensor.name + (is_chosen ? "" : fmt::format(" ({})", to_string(*tensor.fresh))));
    if (tensor.rule == warmstart::TransferRule::sliced) sliced.push_back(tensor.name);
  }
  return fmt::format("{} of the model's {} tensors are taken{}{}{}", plan.tensors.size() - fresh.size(),
                     plan.tensors.size(), names_text("in part", sliced), names_text("fresh", fresh),
                     names_text("the donor's without a place", plan.extra));
}

std::string donors_text(const final::FinalPlan& plan) {
  std::vector<std::string> names;
  for (const warmstart::Donor& donor : plan.donors)
    names.push_back(fmt::format("{} ({} {})", donor.describe(), plan.metric, short_number(*donor.value)));
  return fmt::format("begins by '{}' from {}", plan.policy, fmt::join(names, "; "));
}

std::string state_text(const final::FinalPlan& plan) {
  if (plan.goes_on)
    return fmt::format("optimizer: carried; schedule: goes on after epoch {}", plan.donors.front().epoch);
  return fmt::format("optimizer: {}; schedule: {}", plan.optimizer, plan.schedule);
}

void add_refused(const final::FinalPlan& plan, std::vector<std::string>& lines) {
  constexpr std::size_t kMost = 5;
  for (std::size_t i = 0; i < plan.refused.size() && i < kMost; ++i) {
    const final::Refused& one = plan.refused[i];
    lines.push_back(fmt::format("not {}/{}{}: {}", plan.study, one.trial,
                                one.value ? fmt::format(" ({})", short_number(*one.value)) : "", one.reason));
  }
  if (plan.refused.size() > kMost) lines.push_back(fmt::format("and {} more", plan.refused.size() - kMost));
}

}  // namespace

std::vector<std::string> final_text(const final::FinalPlan& plan) {
  std::vector<std::string> lines{fmt::format("configuration of {}/{}, {} epochs, {} seed{}", plan.study, plan.trial,
                                             plan.epochs, plan.seeds, plan.seeds == 1 ? "" : "s")};
  if (plan.rivals) lines.push_back(fmt::format("beside kaiming (fresh weights): {}", fmt::join(*plan.rivals, ", ")));
  if (plan.donors.empty()) return lines;
  if (!plan.begins_fresh) lines.push_back(donors_text(plan));
  if (plan.tensors) lines.push_back(tensors_text(*plan.tensors));
  if (!plan.begins_fresh)
    lines.push_back(plan.is_program ? "its program finds that file in DLRUN_INIT" : state_text(plan));
  add_refused(plan, lines);
  return lines;
}

std::vector<std::string> race_text(const final::WarmRace& race) {
  const std::int64_t most = race.most_epochs(), whole = race.plan.epochs * race.plan.seeds;
  std::vector<std::string> lines{
      fmt::format("{}: {} starts race for the final training of {}/{}: {} epochs each, {} seeds", race.name,
                  race.arms.size(), race.plan.study, race.plan.trial, race.epochs, race.seeds)};
  for (const final::WarmArm& arm : race.arms) lines.push_back(fmt::format("{}: {}", arm.name, arm.reason));
  for (const final::WarmArm& arm : race.left_out) lines.push_back(fmt::format("not {}: {}", arm.name, arm.reason));
  lines.push_back(fmt::format("the race costs at most {} epochs; the winner's final training {} of {} seed{}", most,
                              whole, race.plan.seeds, race.plan.seeds == 1 ? "" : "s"));
  return lines;
}

void print_plan(const std::vector<std::string>& lines, bool is_answer, Console& console) {
  for (const std::string& line : lines) is_answer ? console.data(line + "\n") : console.note(line);
}

}  // namespace dlrun::cli
