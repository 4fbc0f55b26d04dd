// SPDX-License-Identifier: Apache-2.0
#include "plan/ablation_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "ablation/analysis.hpp"
#include "ablation/claims.hpp"
#include "ablation/race.hpp"
#include "recipe/metric_kinds.hpp"
#include "recipe/metric_share.hpp"
#include "report/aliases.hpp"
#include "statistics/sequential.hpp"
#include "trial/kinds.hpp"

namespace dlrun::plan {

namespace {

using ablation::Plan;
using ablation::Variant;

using Count = std::optional<std::int64_t>;

std::string percent(const Count& value, const Count& base) {
  if (!value || base.value_or(0) == 0) return "";
  return fmt::format("{:+.1f} %", 100 * (double(*value) / double(*base) - 1));
}

/// The operations of a variant relative to the baseline's.
double relative_work(const Plan& plan, const Variant& variant) {
  const Count &base = plan.variants.at(0).operations, &own = variant.operations;
  return own && base.value_or(0) > 0 ? double(*own) / double(*base) : 1.0;
}

/// Epochs of a run of the variant.
std::int64_t epochs_of(const spec::StudySpec& spec, const Variant& variant) {
  const auto written = spec.json.at("trial").at("epochs").get<std::int64_t>();
  const bool may_differ = spec.kind == "train" || trial::runs_program(spec.kind);
  return may_differ ? variant.edits.value("epochs", written) : written;
}

/// Epochs of all members of a run.
double run_epochs(const spec::StudySpec& spec, const Variant& variant) {
  return double(epochs_of(spec, variant)) * double(spec.rules.members.count());
}

/// "9", or "3 to 9" where variants differ.
std::string run_epochs_text(const spec::StudySpec& spec) {
  std::set<double> lengths;
  for (const Variant& variant : spec.ablation->variants) lengths.insert(run_epochs(spec, variant));
  const std::string most = fmt::format("{:.0f}", *lengths.rbegin());
  return lengths.size() == 1 ? most : fmt::format("{:.0f} to {}", *lengths.begin(), most);
}

std::string judged_by(const spec::StudySpec& spec) {
  const ablation::Section& section = spec.ablation->section;
  const ablation::Analysis& analysis = section.analysis;
  if (section.is_race())
    return fmt::format(
        "{}: after each replicate from the second on, what is worse than the leader drops out; the best "
        "does so in at most {:g} % of races",
        analysis.metric, 100 * analysis.alpha);
  std::string text = fmt::format("{}: {}, {:g} % intervals, {} at {:g}", analysis.metric, analysis.test,
                                 100 * analysis.interval, analysis.correction, analysis.alpha);
  if (!analysis.rope) return text;
  const bool is_share = spec.kind == "train" && recipe::is_share(analysis.metric);
  return text + fmt::format(", negligible within ±{:g}", *analysis.rope) +
         (is_share ? fmt::format(" ({:g} points)", 100 * *analysis.rope) : "");
}

std::string design_text(const Plan& plan) {
  const std::string& text = plan.section.design;
  if (!plan.fraction) return text;
  std::vector<std::string> words;
  for (const ablation::Names& word : plan.fraction->words) words.push_back(fmt::format("{}", fmt::join(word, " x ")));
  constexpr std::size_t kMost = 7;  // words shown at most: three generators have as many
  const std::size_t more = words.size() > kMost ? words.size() - kMost : 0;
  words.resize(words.size() - more);
  return text + fmt::format(", resolution {}; constant: {}", plan.fraction->resolution, fmt::join(words, ", ")) +
         (more == 0 ? "" : fmt::format(", and {} more", more));
}

/// Components, or variants with names of their own, that are judged one by one.
ablation::Design design_of(const Plan& plan, const Json& study) {
  std::set<std::string> judged;
  for (const Variant& variant : plan.variants) {
    if (!plan.section.has_named_variants()) {
      judged.insert(variant.components.begin(), variant.components.end());
    } else if (!variant.is_baseline()) {
      judged.insert(variant.id);
    }
  }
  ablation::Design design = ablation::design_of(plan.section, judged.size());
  design.test_share = ablation::analysis_options(plan, study, true).test_share;
  return design;
}

/// Chance to find effects among replicates.
std::string found_by(const ablation::Design& design) {
  const ablation::Power power = ablation::power_of(design);
  std::string text =
      fmt::format("an effect of 1 sd of the differences in {:.0f} % of such studies, of 2 sd in {:.0f} %",
                  100 * power.small, 100 * power.large);
  if (power.replicates) return text + fmt::format("; {} replicates find 1 sd in 80 %", *power.replicates);
  if (design.test_share > 0) text += "; splits share examples, so that no number of replicates finds 1 sd in 80 %";
  return text;
}

/// Least contribution that the examples allow to be found.
std::string found_in(const Plan& plan, const Json& study) {
  constexpr double kDiffer = 0.1;  // share of examples on which two models differ, as an instance
  const std::string& metric = plan.section.analysis.metric;
  const Json& rows = study["derived"]["data"];
  const std::int64_t of_val = rows["val"].get<std::int64_t>();
  const std::int64_t judged = plan.folds > 0 ? of_val + rows["train"].get<std::int64_t>() : of_val;
  const double least = ablation::least_contribution(design_of(plan, study), int(std::max<std::int64_t>(judged, 2)));
  std::string text = fmt::format(
      "at best a contribution of {:.2g} sd of the examples' differences in 80 % of such studies ({} examples", least,
      judged);
  const double of_hits = least * std::sqrt(kDiffer);
  if (recipe::is_of_hits(metric) && of_hits < kDiffer)
    text += fmt::format("; {:.2g} of {} if the models differ on a tenth of them", of_hits, metric);
  return text + ")";
}

std::string finds_text(const spec::StudySpec& spec, const Plan& plan) {
  if (plan.section.analysis.claim() == "split") return found_by(design_of(plan, spec.json));
  if (spec.kind == "train") return found_in(plan, spec.json);
  return "what the examples allow that each run hands in; how many there are is not known yet";
}

/// Plan of a study whose replicates are looked at.
struct LookedPlan {
  std::int64_t least = 0, most = 0;  ///< replicates of a variant
  statistics::Outlook small, large;  ///< outlook for effects of 1 and 2 sd of the differences
  std::string levels;
};

LookedPlan looked_plan(const statistics::SequentialRules& rules) {
  const std::vector<int>& looks = rules.analysis.looks.at;
  LookedPlan plan{looks.front(), looks.back(), statistics::outlook(rules, 1), statistics::outlook(rules, 2), ""};
  std::vector<std::string> levels;
  for (std::size_t i = 0; i < looks.size(); ++i)
    levels.push_back(fmt::format("{} (p < {:.2g})", looks[i], rules.effect_levels[i]));
  plan.levels =
      fmt::format("{}, each variant by itself, after {} replicates",
                  rules.analysis.looks.boundary == statistics::Boundary::pocock ? "Pocock" : "O'Brien-Fleming",
                  fmt::join(levels, ", "));
  return plan;
}

/// Epochs of all variants by the size of their effects; the baseline trains all its replicates.
std::string looked_cost(const LookedPlan& plan, const spec::StudySpec& spec) {
  const double all = replicate_epochs(spec), base = run_epochs(spec, spec.ablation->variants.at(0));
  const auto expected = [&](const statistics::Outlook& outlook) {
    return (all - base) * outlook.replicates + base * double(plan.most);
  };
  return fmt::format("{:.0f} to {:.0f}; about {:.0f} if every effect is of 1 sd, {:.0f} of 2 sd",
                     all * double(plan.least), all * double(plan.most), expected(plan.small), expected(plan.large));
}

/// The rows of what is run, where its replicates are looked at.
void add_looks(report::Table& table, const spec::StudySpec& spec) {
  const LookedPlan plan = looked_plan(spec.cells->rules);
  const auto variants = std::int64_t(spec.ablation->variants.size());
  table.rows.push_back(
      {"runs", fmt::format("{} to {}: {} variants, the baseline among them, x {} to {} replicates",
                           variants * plan.least, variants * plan.most, variants, plan.least, plan.most)});
  table.rows.push_back({"looks", plan.levels});
  table.rows.push_back(
      {"finds",
       fmt::format("an effect of 1 sd of the differences in {:.0f} % of such studies, after {:.1f} replicates; "
                   "of 2 sd in {:.0f} %, after {:.1f}",
                   100 * plan.small.found, plan.small.replicates, 100 * plan.large.found, plan.large.replicates)});
  table.rows.push_back({"epochs", looked_cost(plan, spec)});
}

/// Runs that tune each variant, by its id; none where nothing is retuned.
std::map<std::string, std::int64_t> tuning_runs(const spec::StudySpec& spec) {
  std::map<std::string, std::int64_t> runs;
  if (!spec.retune) return runs;
  const auto counts = samplers::RetuneSampler(spec.space, *spec.retune, spec.seed).tuning_runs();
  const std::size_t variant = spec.retune->cells.variant;
  for (std::size_t v = 0; v < counts.size(); ++v)
    runs[spec.space.parameters()[variant].choices[v].get<std::string>()] = std::int64_t(counts[v]);
  return runs;
}

std::int64_t sum_of(const std::map<std::string, std::int64_t>& runs) {
  return std::accumulate(runs.begin(), runs.end(), std::int64_t(0),
                         [](std::int64_t sum, const auto& one) { return sum + one.second; });
}

/// Epochs of the runs that tune.
double tuning_epochs(const spec::StudySpec& spec, const std::map<std::string, std::int64_t>& tuning) {
  double sum = 0;
  for (const Variant& variant : spec.ablation->variants) {
    const auto found = tuning.find(variant.id);
    if (found != tuning.end()) sum += double(found->second) * run_epochs(spec, variant);
  }
  return sum;
}

/// Work in so many epochs of the baseline; settings that change the model count as those written.
double work_in_epochs(const spec::StudySpec& spec, const std::map<std::string, std::int64_t>& tuning) {
  const Plan& plan = *spec.ablation;
  double sum = 0;
  for (const Variant& variant : plan.variants) {
    const auto found = tuning.find(variant.id);
    const std::int64_t runs = plan.section.replicates.n + (found == tuning.end() ? 0 : found->second);
    sum += double(runs) * run_epochs(spec, variant) * relative_work(plan, variant);
  }
  return sum;
}

/// Settings that are tuned before anything is compared, and the runs it takes.
std::string tuning_text(const spec::StudySpec& spec) {
  std::vector<std::string> settings;
  for (std::size_t i = spec.retune->cells.variant + 1; i < spec.space.size(); ++i)
    settings.push_back(spec.space.parameters()[i].name);
  const std::int64_t runs = sum_of(tuning_runs(spec));
  const std::string& sampler = spec.retune->sampler;
  const ablation::Section& section = spec.ablation->section;
  const bool per_replicate = section.retune->is_per_replicate();
  return fmt::format("{}{} run{} of {} epochs before: {} points of {} for each {}, {}, on {}; {} decides",
                     section.stopping && per_replicate ? "at most " : "", runs, runs == 1 ? "" : "s",
                     run_epochs_text(spec), spec.retune->trials, fmt::join(settings, ", "),
                     per_replicate ? "variant and replicate" : "variant",
                     sampler == "random" ? "the same for all" : "searched by " + sampler + " for each",
                     per_replicate ? "seeds of their own" : "a seed of their own", spec.rules.objective.metric);
}

/// "96, of which 24 tune"
std::string mean_epochs_text(double comparing, double tuning) {
  return tuning == 0 ? fmt::format("{:.0f}", comparing)
                     : fmt::format("{:.0f}, of which {:.0f} tune", comparing + tuning, tuning);
}

report::Table ablation_plan_table(const spec::StudySpec& spec) {
  const Plan& plan = *spec.ablation;
  const std::size_t variants = plan.variants.size();
  const std::int64_t replicates = plan.section.replicates.n;
  const double most_each = double(spec.rules.epochs) * double(spec.rules.members.count());
  const double comparing = replicate_epochs(spec) * double(replicates);
  report::Table table{.title = "plan of " + spec.name, .columns = {"what", "value"}};
  const auto add = [&](const char* what, std::string value) { table.rows.push_back({what, std::move(value)}); };
  add("trial", spec.kind);
  add("design", design_text(plan));
  add("judged by", judged_by(spec));
  if (spec.kind == "train" || plan.section.analysis.claim() != "split")
    add("claims", ablation::claim_text(plan, spec.json["trial"]));
  if (plan.section.starts_from_baseline())
    add("starts", "variants from the baseline's final weights: an approximation");
  if (spec.retune) add("tuning", tuning_text(spec));
  if (plan.section.stopping) {
    add_looks(table, spec);
    return table;
  }
  if (plan.section.is_race()) {
    const std::int64_t most = ablation::most_runs(plan);
    add("runs", fmt::format("at most {}, of {} variants x {} replicates", most, variants, replicates));
    add("epochs", fmt::format("at most {:.0f}", std::min(most_each * double(most), comparing)));
    return table;
  }
  if (plan.has_rounds()) {
    const auto k = std::int64_t(plan.steps->components.size()), most = 1 + k * (k + 1) / 2;
    add("runs",
        fmt::format("at most {} = {} variants on the way x {} replicates", most * replicates, most, replicates));
    add("epochs", fmt::format("at most {:.0f}", most_each * double(replicates) * double(most)));
    return table;
  }
  add("runs", fmt::format("{} = {} variants, the baseline among them, x {} replicate{}",
                          std::int64_t(variants) * replicates, variants, replicates, replicates == 1 ? "" : "s"));
  if (plan.section.design != "fractional") add("finds", finds_text(spec, plan));
  const auto tuning = tuning_runs(spec);
  add("epochs", mean_epochs_text(comparing, tuning_epochs(spec, tuning)));
  if (spec.base_model) add("work", fmt::format("as {:.0f} epochs of the baseline", work_in_epochs(spec, tuning)));
  return table;
}

/// Whether a table shows the variant: of a design in rounds only the first round's.
bool is_shown(const Variant& variant, const Plan& plan) {
  if (!plan.has_rounds() || variant.is_baseline()) return true;
  const std::size_t off = variant.components.size(), all = plan.steps->components.size();
  return plan.puts_back() ? off + 1 >= all : off == 1;
}

report::Table variants_table(const Plan& plan) {
  report::Table table{.title = "variants",
                      .columns = {"variant", "kind", "parameters", "parameters_change", "operations",
                                  "operations_change", "what changes beside it"}};
  const auto cell = [](const Count& count) { return count ? Json(*count) : Json(); };
  const Variant& base = plan.variants.at(0);
  for (const Variant& variant : plan.variants) {
    if (!is_shown(variant, plan)) continue;
    const auto change = [&](Count Variant::*count) {
      return variant.is_baseline() ? "" : percent(variant.*count, base.*count);
    };
    table.rows.push_back({variant.id, variant.kind, cell(variant.parameters), change(&Variant::parameters),
                          cell(variant.operations), change(&Variant::operations),
                          fmt::format("{}", fmt::join(variant.notes, "; "))});
  }
  return table;
}

}  // namespace

double replicate_epochs(const spec::StudySpec& spec) {
  double sum = 0;
  for (const Variant& variant : spec.ablation->variants) sum += run_epochs(spec, variant);
  return sum;
}

std::vector<std::string> shown_variants(const spec::StudySpec& spec) {
  std::vector<std::string> names;
  for (const Variant& variant : spec.ablation.value().variants)
    if (is_shown(variant, *spec.ablation)) names.push_back(variant.id);
  return names;
}

std::vector<report::Table> ablation_tables(const spec::StudySpec& spec) {
  const Plan& plan = spec.ablation.value();
  std::vector<report::Table> tables = {ablation_plan_table(spec), variants_table(plan)};
  for (report::Table more : {report::alias_table(plan), report::not_trained_table(plan, "why")}) {
    if (!more.rows.empty()) tables.push_back(std::move(more));
  }
  for (report::Table& table : tables) table.shape = report::Shape::whole;
  return tables;
}

}  // namespace dlrun::plan
