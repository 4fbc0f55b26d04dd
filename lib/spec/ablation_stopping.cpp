// SPDX-License-Identifier: Apache-2.0
#include "spec/ablation_stopping.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "ablation/power.hpp"
#include "statistics/sequential.hpp"

namespace dlrun::spec {

namespace {

using document::Node;

constexpr const char* kLooks = "ablation.stopping.looks";

/// A number of replicates that was written, and where.
struct Said {
  std::string path;
  int number = 0;
};

std::vector<Said> numbers_of(const Json& written, const Faults& faults) {
  const Json &replicates = written["replicates"], &stopping = written["stopping"];
  std::vector<Said> said;
  if (replicates["n"].is_number()) {
    const bool has_seeds = faults.was_written("ablation.replicates.seeds");
    said.push_back({has_seeds ? "ablation.replicates.seeds" : "ablation.replicates.n", replicates["n"].get<int>()});
  }
  if (stopping["looks"].is_array() && !stopping["looks"].empty() && stopping["looks"].back().is_number())
    said.push_back({kLooks, stopping["looks"].back().get<int>()});
  if (stopping["max"].is_number()) said.push_back({"ablation.stopping.max", stopping["max"].get<int>()});
  return said;
}

/// Enough to find an effect of one standard deviation of the differences in four studies of five.
int enough_replicates(const Json& analysis, std::size_t components) {
  constexpr int kFewest = 12, kMost = 40;
  const ablation::Power power =
      ablation::power_of({kFewest, int(components), analysis["alpha"].get<double>(),
                          analysis["test"].get<std::string>(), analysis["correction"].get<std::string>()});
  const int even = (power.replicates.value_or(kMost) + 1) / 2 * 2;
  return std::clamp(even, kFewest, kMost);
}

void check_agreement(const std::vector<Said>& said, Faults& faults) {
  for (std::size_t i = 1; i < said.size(); ++i) {
    if (said[i].number == said[0].number) continue;
    faults.clash(said[i].path, fmt::format("the most replicates are {} here", said[i].number), said[0].path,
                 fmt::format("{} here", said[0].number), "say it once: the last look is at all replicates");
  }
}

void check_looks(const Json& looks, Faults& faults) {
  if (!std::is_sorted(looks.begin(), looks.end(), std::less_equal<>()))
    return faults.at(kLooks, "looks must rise", "looks: [4, 6, 8, 10, 12]");
  if (looks.size() > 1) return;
  const int most = looks.at(0).get<int>();
  faults.at(faults.was_written(kLooks) ? kLooks : "ablation.replicates",
            fmt::format("a single look, at all {} replicates, stops nothing", most), "looks: [4, 6, 8, 10, 12]");
}

/// What the looks' levels do not hold for.
void check_use(const Json& written, const std::string& objective, Faults& faults) {
  const Json& analysis = written["analysis"];
  if (written["design"] != "loco" && written["design"] != "leave_group_out")
    faults.at("ablation.design", "looks settle components one by one, but this design needs all of its variants",
              "write design: loco, or a number of replicates and no stopping");
  if (analysis["test"] != "paired_t")
    faults.at("ablation.analysis.test", "the levels of looks are those of the paired t test", "test: paired_t");
  if (analysis["metric"] != objective)
    faults.at("ablation.analysis.metric",
              fmt::format("looks judge by the objective, which is {}", document::quote(objective)),
              "make it the study's objective");
}

}  // namespace

bool has_looks(const Node& section, const Json& written) {
  const Node* stopping = section.find("stopping");
  return written["replicates"] == "auto" || (stopping != nullptr && !stopping->is_null());
}

void open_replicates(Json& written, bool looks, const Faults& faults) {
  Json& replicates = written["replicates"];
  if (replicates == "auto") replicates = {{"n", nullptr}, {"seeds", nullptr}, {"vary", nullptr}};
  const bool is_said = faults.was_written("ablation.replicates.n") || faults.was_written("ablation.replicates.seeds");
  if (looks && replicates.is_object() && !is_said) replicates["n"] = nullptr;
}

void settle_looks(Json& written, bool looks, const std::string& objective, std::size_t components, Faults& faults) {
  if (!looks) written.erase("stopping");
  for (const char* part : {"ablation.stopping", "ablation.replicates", "ablation.analysis", "ablation.design"}) {
    if (!looks || faults.is_bad(part)) return;
  }
  const std::vector<Said> said = numbers_of(written, faults);
  check_agreement(said, faults);
  check_use(written, objective, faults);
  const int most = said.empty() ? enough_replicates(written["analysis"], components) : said[0].number;
  Json& stopping = written["stopping"];
  if (!stopping["looks"].is_array() || stopping["looks"].empty()) stopping["looks"] = statistics::default_looks(most);
  check_looks(stopping["looks"], faults);
  stopping.erase("max");
  written["replicates"]["n"] = most;
}

}  // namespace dlrun::spec
