// SPDX-License-Identifier: Apache-2.0
// Claim that an ablation study may make, its population, and how the study came to it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "ablation/analysis.hpp"
#include "ablation/component_checks.hpp"
#include "report/ablation.hpp"
#include "report/ablation_examples.hpp"
#include "statistics/summary.hpp"

namespace dlrun::report {

namespace {

using statistics::Contribution;

const char* test_name(const std::string& test) {
  if (test == "sign_flip") return "sign-flip test";
  return test == "wilcoxon" ? "Wilcoxon signed-rank test" : "paired t test";
}

bool is_per_replicate(const AblationStudy& study) {
  const auto& retune = study.plan.section.retune;
  return retune && retune->is_per_replicate();
}

std::int64_t examples_trained_on(const AblationStudy& study) {
  return study.spec.value("derived", Json::object()).value("data", Json::object()).value("train", std::int64_t(0));
}

/// Seeds key initial weights, order, augmentation and dropout; the data are those of the file, and so is the split but
/// where each replicate has its own.
std::string population(const AblationStudy& study, const std::vector<Judged>& judged) {
  if (study.claims != "split") {
    if (!has_folds(by_effect(judged)))
      return "models trained on this training set, with new seeds, judged on new examples";
    return fmt::format("new data: models trained on {} other examples like these, judged on new examples",
                       examples_trained_on(study));
  }
  const bool is_training = study.spec.value("trial", Json::object()).value("kind", "train") == "train";
  if (study.analysis.test_share > 0)
    return "data like this: another split for each replicate, and new seeds (weights, order, augmentation, dropout)";
  return is_training ? "this data and split, new seeds (weights, order, augmentation, dropout)"
                     : "this program, new seeds";
}

std::string variance_text(const AblationStudy& study, const std::vector<Judged>& judged) {
  const char* examples = study.has_clusters ? "examples (a group or a stretch of time counts as one)" : "examples";
  if (!has_folds(by_effect(judged)))
    return fmt::format("of seeds and {}, crossed (Satterthwaite's degrees of freedom)", examples);
  return fmt::format("of {} and of folds (two-way clusters), never less than that of either alone", examples);
}

std::string spread(const AblationVariant& base) {
  const std::vector<double> measured = measured_of(base);
  if (measured.empty()) return "not measured";
  if (measured.size() == 1) return fmt::format("{:.4g} (n = 1)", measured[0]);
  return fmt::format("{:.4g} ± {:.2g} (sd, n = {})", statistics::mean(measured),
                     statistics::standard_deviation(measured), measured.size());
}

std::size_t pairs_of(const std::vector<Judged>& judged) {
  std::size_t most = 0;
  for (const Judged& one : judged) most = std::max(most, one.found.effect ? std::size_t(one.found.effect->n) : 0);
  return most;
}

std::string list_of(const std::vector<Judged>& judged, bool (*counts)(const Contribution&)) {
  std::vector<std::string> names;
  for (const Judged& one : judged) {
    if (counts(one.found)) names.push_back(one.component);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

int lost_of(const std::vector<Judged>& judged) {
  int lost = 0;
  for (const Judged& one : judged) lost += one.found.lost;
  return lost;
}

/// Variants with a decided replicate; a design in rounds trains few of its variants.
std::int64_t trained_variants(const AblationStudy& study) {
  return std::count_if(study.variants.begin(), study.variants.end(), [](auto& v) { return !cells_of(v).empty(); });
}

/// Reasons to doubt the table.
std::vector<std::string> claim_doubts(const AblationStudy& study, const std::vector<Judged>& judged) {
  std::vector<std::string> out;
  const auto add = [&](const std::string& names, const char* what) {
    if (!names.empty()) out.push_back(names + what);
  };
  const AblationVariant* base = study.without({});
  if (base != nullptr && study.is_collapsed(*base)) {
    out.emplace_back("the baseline did not train (it is constant, or no better than guessing): nothing is ranked");
  } else {
    add(list_of(judged, [](const Contribution& c) { return c.is_collapsed; }),
        ": constant or no better than guessing, not ranked");
  }
  add(list_of(judged, [](const Contribution& c) { return c.is_unstable && !c.is_collapsed; }),
      ": more than a fifth of the replicates failed, not ranked");
  add(list_of(judged, [](const Contribution& c) { return c.is_disputed; }), ": t test and sign flips disagree (†)");
  if (study.without_examples > 0)
    out.push_back(
        runs_programs(study)
            ? fmt::format(
                  "the claim is about this split alone: {} runs left no results of examples whose mean is their "
                  "{} (docs/commands.md)",
                  study.without_examples, study.metric)
            : fmt::format("the claim is about this split alone: {} runs have no file with the values of their "
                          "examples at the epoch of {} (`dlrun verify` says whether it is damaged)",
                          study.without_examples, study.metric));
  if (study.has_other_examples)
    out.emplace_back("the claim is about this split alone: not all runs left results of the same examples");
  if (study.has_one_example)
    out.push_back(fmt::format("the claim is about this split alone: it has but one {} to judge by",
                              study.has_clusters ? "group or stretch of time" : "example"));
  if (lost_of(judged) > 0) out.push_back(fmt::format("{} pairs were lost, of which a run failed", lost_of(judged)));
  if (const auto open = open_cells(study); open > 0) out.push_back(fmt::format("{} runs are not over yet", open));
  const int family = std::max(1, int(judged.size()));
  const int least = ablation::least_replicates(ablation::design_of(study.plan.section, std::size_t(family)));
  if (study.plan.section.analysis.test != "paired_t" && int(study.seeds.size()) < least) {
    out.push_back(
        fmt::format("this test of {} components cannot conclude with fewer than {} replicates", family, least));
  }
  if (study.plan.has_rounds()) {
    out.emplace_back("the steps were chosen by the runs that measure them: their p values are too small");
  }
  if (study.plan.section.retune && !is_per_replicate(study)) {
    out.emplace_back(
        "each variant was tuned once: the luck of that, first of all the baseline's, is in every contribution and not "
        "in the intervals (retune: {per: replicate} has it there)");
  }
  if (study.analysis.rope == 0) out.emplace_back("no `rope`: nothing can be called negligible");
  return out;
}

}  // namespace

const char* correction_name(const std::string& correction) {
  if (correction == "none") return "without correction for their number";
  return correction == "bh" ? "corrected by Benjamini and Hochberg" : "corrected by Holm";
}

namespace {

/// "with 12 seeds each"; those of looks may have had fewer.
std::string seeds_text(const AblationStudy& study) {
  return fmt::format("with {}{} seeds each", study.analysis.looks.at.empty() ? "" : "up to ", study.seeds.size());
}

std::string search_text(const std::string& sampler) {
  return sampler == "random" ? "the same points of the space for all"
                             : "searched by " + sampler + " for each by itself";
}

/// An objective is measured by its own `at`, any other metric by that of the first.
bool is_at_best(const AblationStudy& study) {
  const Json objectives = study.spec.value("objective", Json::object());
  const Json all = objectives.is_array() ? objectives : Json::array({objectives});
  Json judged = all.empty() ? Json::object() : all[0];
  for (const Json& one : all) {
    if (one.value("metric", "") == study.metric) judged = one;
  }
  return judged.value("at", "last") == "best";
}

}  // namespace

Table claim_table(const AblationStudy& study, const std::vector<Judged>& judged) {
  Table table{fmt::format("ablation of {}", study.name), {"fact", "value"}, {}};
  const auto add = [&](const char* fact, Json value) { table.rows.push_back({fact, std::move(value)}); };
  const AblationVariant* base = study.without({});
  add("baseline", base == nullptr ? "none" : spread(*base));
  const ablation::Section& section = study.plan.section;
  if (section.from) add("baseline is", *section.from);
  if (section.proposed_by.program || section.proposed_by.replies)
    add("proposed by", section.proposed_by.program.value_or("a program"));
  add("metric", fmt::format("{}, {} is better", study.metric, study.maximize ? "more" : "less"));
  add("contribution", study.maximize ? "with - without: positive helps" : "without - with: positive helps");
  add("claims are about", population(study, judged));
  if (const std::string luck = luck_text(judged); !luck.empty()) add("their luck is", luck);
  if (section.starts_from_baseline())
    add("approximation",
        "variants begin with the baseline's final weights, of tensors that fit: what these learned with "
        "a component is not unlearned, so effects may be too small");
  if (section.retune)
    add("settings", fmt::format("retuned for each {}: the best of {} by {}, on {}",
                                is_per_replicate(study) ? "variant and replicate" : "variant", section.retune->trials,
                                ablation::objective_metric(study.spec),
                                is_per_replicate(study) ? "seeds of their own" : "a seed of their own"));
  add("test", fmt::format("{}, {} comparisons, {}", test_name(section.analysis.test), judged.size(),
                          correction_name(section.analysis.correction)));
  if (const auto own = exploratory_of(judged); own > 0)
    add("exploratory", fmt::format("{} that say what is expected of them, corrected as a family of their own", own));
  if (study.analysis.test_share > 0) {
    add("variance", fmt::format("corrected for splits that share examples (Nadeau and Bengio): 1/n + {:.3g} for 1/n",
                                study.analysis.test_share));
  }
  if (study.claims != "split") add("variance", variance_text(study, judged));
  if (study.analysis.rope > 0) add("negligible", within_rope(study.analysis));
  if (!study.analysis.looks.at.empty()) {
    add("looks",
        fmt::format("{} ({})", fmt::join(study.analysis.looks.at, ", "),
                    study.analysis.looks.boundary == statistics::Boundary::pocock ? "Pocock" : "O'Brien-Fleming"));
  }
  for (const auto& [name, runs] : study.cited) add("cited", fmt::format("{} runs, measured by {}", runs, name));
  for (const std::string& doubt : claim_doubts(study, judged)) add("warning", doubt);
  return table;
}

namespace {

std::string variance_clause(const AblationStudy& study, const std::vector<Judged>& judged) {
  if (study.claims != "split") return fmt::format(", variance {}", variance_text(study, judged));
  return study.analysis.test_share > 0 ? ", variance corrected for overlapping splits after Nadeau and Bengio" : "";
}

}  // namespace

std::string methods_paragraph(const AblationStudy& study, const std::vector<Judged>& judged) {
  std::string text = fmt::format(
      "We trained {} variants of the model {}; variants and baseline share seeds, and so the data order and the "
      "initial "
      "weights of what they have in common. We compared {} at the {} epoch pair by pair (n = {}; {} pairs lost to "
      "failed "
      "runs) and report mean differences with {:.0f} % intervals (Student's t{}) and the {}, {} over {} components, at "
      "alpha = {:.3g}.",
      trained_variants(study), seeds_text(study), study.metric, is_at_best(study) ? "best" : "last", pairs_of(judged),
      lost_of(judged), 100 * study.analysis.level, variance_clause(study, judged),
      test_name(study.plan.section.analysis.test), correction_name(study.plan.section.analysis.correction),
      judged.size(), study.analysis.alpha);
  if (const auto& retune = study.plan.section.retune)
    text += fmt::format(
        " Before, each variant and the baseline were tuned with the same budget{}: {} settings, {}, with {} not among "
        "those compared; those with the best {} were taken.",
        is_per_replicate(study) ? ", anew for each seed" : "", retune->trials, search_text(retune->sampler),
        is_per_replicate(study) ? "seeds" : "a seed", ablation::objective_metric(study.spec));
  if (const auto own = exploratory_of(judged); own > 0)
    text += fmt::format(" {} of them were exploratory and corrected as a family of their own.", own);
  if (study.analysis.rope > 0) {
    text += fmt::format(
        " Other effects whose {:.0f} % interval lies within ±{:.4g} are called negligible (two one-sided tests).",
        100 * (1 - 2 * study.analysis.alpha), study.analysis.rope);
  }
  if (!study.analysis.looks.at.empty()) {
    text += fmt::format(
        " Variants were looked at after {} seeds and given no more once settled, at {} levels that hold "
        "alpha over all looks.",
        fmt::join(study.analysis.looks.at, ", "),
        study.analysis.looks.boundary == statistics::Boundary::pocock ? "Pocock's" : "O'Brien-Fleming");
  }
  if (study.plan.section.starts_from_baseline())
    text +=
        " As an approximation, variants were not trained from scratch: they began with the final weights of the "
        "baseline with the same seed, where tensors agreed in name and shape.";
  return text + " The claims are about " + population(study, judged) + ".";
}

}  // namespace dlrun::report
