// SPDX-License-Identifier: Apache-2.0
#include "ablation/stopping.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ablation/analysis.hpp"
#include "statistics/sequential.hpp"

namespace dlrun::ablation {

namespace {

constexpr const char* kLooks = "ablation.stopping.looks";

/// A number of replicates with the place where it was written.
struct Said {
  std::string path;
  int number = 0;
};

std::vector<Said> said_numbers(const Section& section, const Faults& faults) {
  const Stopping& stopping = *section.stopping;
  const bool has_seeds = faults.was_written("ablation.replicates.seeds");
  std::vector<Said> said;
  if (has_seeds || faults.was_written("ablation.replicates.n"))
    said.push_back({has_seeds ? "ablation.replicates.seeds" : "ablation.replicates.n", section.replicates.n});
  if (!stopping.looks.empty()) said.push_back({kLooks, stopping.looks.back()});
  if (stopping.max) said.push_back({"ablation.stopping.max", *stopping.max});
  return said;
}

/// Enough to find an effect of one standard deviation of the differences in four studies of five.
int enough_replicates(const Section& section, std::size_t components) {
  constexpr int kFewest = 12, kMost = 40;
  Design design = design_of(section, components);
  design.replicates = kFewest;
  const int even = (power_of(design).replicates.value_or(kMost) + 1) / 2 * 2;
  return std::clamp(even, kFewest, kMost);
}

void check_agreement(const std::vector<Said>& said, Faults& faults) {
  for (std::size_t i = 1; i < said.size(); ++i) {
    if (said[i].number == said[0].number) continue;
    faults.clash(said[i].path, fmt::format("the most replicates are {} here", said[i].number), said[0].path,
                 fmt::format("{} here", said[0].number), "say it once: the last look is at all replicates");
  }
}

void check_looks(const std::vector<int>& looks, Faults& faults) {
  if (!std::is_sorted(looks.begin(), looks.end(), std::less_equal<>()))
    return faults.at(kLooks, "looks must rise", "looks: [4, 6, 8, 10, 12]");
  if (looks.size() > 1) return;
  faults.at(faults.was_written(kLooks) ? kLooks : "ablation.replicates",
            fmt::format("a single look, at all {} replicates, stops nothing", looks.at(0)), "looks: [4, 6, 8, 10, 12]");
}

/// Designs, tests and metrics that the levels of looks do not hold for.
void check_use(const Section& section, const std::string& objective, Faults& faults) {
  if (section.design != "loco" && section.design != "leave_group_out")
    faults.at("ablation.design", "looks settle components one by one, but this design needs all of its variants",
              "write design: loco, or a number of replicates and no stopping");
  if (section.analysis.claim() != "split")
    faults.at("ablation.analysis.claims",
              fmt::format("looks judge by this split alone, which cannot settle claims: {}", section.analysis.claim()),
              "write a number of replicates, or claims: split");
  if (section.analysis.test != "paired_t")
    faults.at("ablation.analysis.test", "the levels of looks are those of the paired t test", "test: paired_t");
  if (section.analysis.metric != objective)
    faults.at("ablation.analysis.metric",
              fmt::format("looks judge by the objective, which is {}", document::quote(objective)),
              "make it the study's objective");
}

}  // namespace

bool settle_looks(Section& section, const std::string& objective, std::size_t components, Faults& faults) {
  for (const char* part : {"ablation.stopping", "ablation.replicates", "ablation.analysis", "ablation.design"}) {
    if (faults.is_bad(part)) return false;
  }
  const std::vector<Said> said = said_numbers(section, faults);
  check_agreement(said, faults);
  check_use(section, objective, faults);
  section.replicates.n = said.empty() ? enough_replicates(section, components) : said[0].number;
  Stopping& stopping = *section.stopping;
  if (stopping.looks.empty()) stopping.looks = statistics::default_looks(section.replicates.n);
  check_looks(stopping.looks, faults);
  stopping.max.reset();
  return true;
}

}  // namespace dlrun::ablation
