// SPDX-License-Identifier: Apache-2.0
#include "plan/ablation_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <numeric>
#include <set>

#include "ablation/power.hpp"
#include "ablation/rounds.hpp"
#include "report/aliases.hpp"
#include "statistics/sequential.hpp"

namespace dlrun::plan {

namespace {

const Json& derived_of(const spec::StudySpec& spec) { return spec.json.at("derived").at("ablation"); }

std::string percent(const Json& value, const Json& base) {
  if (!value.is_number() || !base.is_number() || base == 0) return "";
  const double change = 100 * (value.get<double>() / base.get<double>() - 1);
  return fmt::format("{:+.1f} %", change);
}

/// The operations of a variant relative to the baseline's.
double relative_work(const Json& variants, const Json& variant) {
  const Json &base = variants.at(0).at("operations"), &own = variant.at("operations");
  return own.is_number() && base.is_number() && base > 0 ? own.get<double>() / base.get<double>() : 1.0;
}

std::string judged_by(const Json& analysis) {
  std::string text = fmt::format("{}: {}, {:g} % intervals, {} at {:g}", analysis.at("metric").get<std::string>(),
                                 analysis.at("test").get<std::string>(), 100 * analysis.at("interval").get<double>(),
                                 analysis.at("correction").get<std::string>(), analysis.at("alpha").get<double>());
  if (analysis.at("rope").is_number()) text += fmt::format(", negligible within ±{:g}", analysis["rope"].get<double>());
  return text;
}

std::string design_text(const spec::StudySpec& spec) {
  std::string text = spec.json.at("ablation").at("design").get<std::string>();
  const Json& derived = derived_of(spec);
  if (!derived.contains("fraction")) return text;
  const Json& fraction = derived["fraction"];
  std::vector<std::string> words;
  for (const Json& word : fraction.at("words"))
    words.push_back(fmt::format("{}", fmt::join(word.get<std::vector<std::string>>(), " x ")));
  constexpr std::size_t kMost = 7;  // words shown at most: three generators have as many
  const std::size_t more = words.size() > kMost ? words.size() - kMost : 0;
  words.resize(words.size() - more);
  text += fmt::format(", resolution {}; constant: {}", fraction.at("resolution").get<int>(), fmt::join(words, ", "));
  return more == 0 ? text : text + fmt::format(", and {} more", more);
}

/// Chance to find effects of the components, or of variants with names of their own, one by one.
std::string found_by(const spec::StudySpec& spec) {
  const Json &ablation = spec.json.at("ablation"), &analysis = ablation.at("analysis");
  std::set<std::string> components;
  const bool has_own_names = ablation["design"] == "list" || ablation["design"] == "leave_group_out";
  for (const Json& variant : derived_of(spec).at("variants")) {
    if (has_own_names && variant.at("kind") != "baseline") components.insert(variant.at("id").get<std::string>());
    if (has_own_names) continue;
    for (const Json& id : variant.at("components")) components.insert(id.get<std::string>());
  }
  const ablation::Power power = ablation::power_of(
      {ablation.at("replicates").at("n").get<int>(), int(components.size()), analysis.at("alpha").get<double>(),
       analysis.at("test").get<std::string>(), analysis.at("correction").get<std::string>()});
  std::string text =
      fmt::format("an effect of 1 sd of the differences in {:.0f} % of such studies, of 2 sd in {:.0f} %",
                  100 * power.small, 100 * power.large);
  if (power.replicates) text += fmt::format("; {} replicates find 1 sd in 80 %", *power.replicates);
  return text;
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
std::string looked_cost(const LookedPlan& plan, double variants, double epochs) {
  const auto expected = [&](const statistics::Outlook& outlook) {
    return epochs * ((variants - 1) * outlook.replicates + double(plan.most));
  };
  return fmt::format("{:.0f} to {:.0f}; about {:.0f} if every effect is of 1 sd, {:.0f} of 2 sd",
                     epochs * variants * double(plan.least), epochs * variants * double(plan.most),
                     expected(plan.small), expected(plan.large));
}

/// The rows of what is run, where its replicates are looked at.
void add_looks(report::Table& table, const spec::StudySpec& spec, double epochs) {
  const LookedPlan plan = looked_plan(spec.cells->rules);
  const auto variants = std::int64_t(derived_of(spec).at("variants").size());
  table.rows.push_back(
      {"runs", fmt::format("{} to {}: {} variants, the baseline among them, x {} to {} replicates",
                           variants * plan.least, variants * plan.most, variants, plan.least, plan.most)});
  table.rows.push_back({"looks", plan.levels});
  table.rows.push_back(
      {"finds",
       fmt::format("an effect of 1 sd of the differences in {:.0f} % of such studies, after {:.1f} replicates; "
                   "of 2 sd in {:.0f} %, after {:.1f}",
                   100 * plan.small.found, plan.small.replicates, 100 * plan.large.found, plan.large.replicates)});
  table.rows.push_back({"epochs", looked_cost(plan, double(variants), epochs)});
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

/// Work in so many runs of the baseline; settings that change the model count as those written.
double work_in_runs(const Json& variants, std::int64_t replicates, const std::map<std::string, std::int64_t>& tuning) {
  double sum = 0;
  for (const Json& variant : variants) {
    const auto found = tuning.find(variant.at("id").get<std::string>());
    const std::int64_t runs = replicates + (found == tuning.end() ? 0 : found->second);
    sum += double(runs) * relative_work(variants, variant);
  }
  return sum;
}

/// Settings that are tuned before anything is compared, and the runs it takes.
std::string tuning_text(const spec::StudySpec& spec, double epochs) {
  std::vector<std::string> settings;
  for (std::size_t i = spec.retune->cells.variant + 1; i < spec.space.size(); ++i)
    settings.push_back(spec.space.parameters()[i].name);
  const std::int64_t runs = sum_of(tuning_runs(spec));
  const std::string& sampler = spec.retune->sampler;
  const bool per_replicate = spec.json["ablation"]["retune"].at("per") == "replicate";
  return fmt::format("{}{} run{} of {:.0f} epochs before: {} points of {} for each {}, {}, on {}; {} decides",
                     spec.json["ablation"].contains("stopping") && per_replicate ? "at most " : "", runs,
                     runs == 1 ? "" : "s", epochs, spec.retune->trials, fmt::join(settings, ", "),
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
  const Json& ablation = spec.json.at("ablation");
  const Json& variants = derived_of(spec).at("variants");
  const auto replicates = ablation.at("replicates").at("n").get<std::int64_t>();
  const double members = double(spec.rules.members.count());
  const double each = double(spec.rules.epochs) * members, epochs = each * double(replicates);
  report::Table table{.title = "plan of " + spec.name, .columns = {"what", "value"}};
  const auto add = [&](const char* what, std::string value) { table.rows.push_back({what, std::move(value)}); };
  add("trial", spec.kind);
  add("design", design_text(spec));
  add("judged by", judged_by(ablation.at("analysis")));
  if (ablation.contains("start_from")) add("starts", "variants from the baseline's final weights: an approximation");
  if (spec.retune) add("tuning", tuning_text(spec, each));
  if (ablation.contains("stopping")) {
    add_looks(table, spec, each);
    return table;
  }
  if (ablation::has_rounds(derived_of(spec))) {
    const auto k = std::int64_t(derived_of(spec)["steps"]["components"].size()), most = 1 + k * (k + 1) / 2;
    add("runs",
        fmt::format("at most {} = {} variants on the way x {} replicates", most * replicates, most, replicates));
    add("epochs", fmt::format("at most {:.0f}", epochs * double(most)));
    return table;
  }
  add("runs",
      fmt::format("{} = {} variants, the baseline among them, x {} replicate{}",
                  std::int64_t(variants.size()) * replicates, variants.size(), replicates, replicates == 1 ? "" : "s"));
  if (ablation["design"] != "fractional") add("finds", found_by(spec));
  const auto tuning = tuning_runs(spec);
  add("epochs", mean_epochs_text(epochs * double(variants.size()), each * double(sum_of(tuning))));
  if (spec.base_model)
    add("work", fmt::format("as {:.0f} epochs of the baseline", each * work_in_runs(variants, replicates, tuning)));
  return table;
}

/// Whether a table shows the variant: of a design in rounds only the first round's.
bool is_shown(const Json& variant, const Json& derived) {
  if (!ablation::has_rounds(derived) || variant["kind"] == "baseline") return true;
  const std::size_t off = variant["components"].size(), all = derived["steps"]["components"].size();
  return derived["steps"]["puts_back"] == true ? off + 1 >= all : off == 1;
}

report::Table variants_table(const Json& derived) {
  const Json& variants = derived.at("variants");
  report::Table table{.title = "variants",
                      .columns = {"variant", "kind", "parameters", "parameters_change", "operations",
                                  "operations_change", "what changes beside it"}};
  const Json& base = variants.at(0);
  for (const Json& variant : variants) {
    if (!is_shown(variant, derived)) continue;
    const bool is_base = variant.at("kind") == "baseline";
    table.rows.push_back({variant["id"], variant["kind"], variant["parameters"],
                          is_base ? "" : percent(variant["parameters"], base["parameters"]), variant["operations"],
                          is_base ? "" : percent(variant["operations"], base["operations"]),
                          fmt::format("{}", fmt::join(variant["notes"].get<std::vector<std::string>>(), "; "))});
  }
  return table;
}

/// Duplicates and combinations that cannot be.
report::Table left_table(const Json& derived) {
  report::Table table{.title = "not trained", .columns = {"variant", "why"}};
  for (const Json& one : derived.value("duplicates", Json::array())) {
    table.rows.push_back({one["id"], fmt::format("the same as {}", one["of"].get<std::string>())});
  }
  for (const Json& one : derived.value("skipped", Json::array())) table.rows.push_back({one["id"], one["reason"]});
  return table;
}

}  // namespace

bool is_ablation(const spec::StudySpec& spec) { return spec.json.contains("ablation"); }

std::vector<std::string> shown_variants(const spec::StudySpec& spec) {
  std::vector<std::string> names;
  for (const Json& variant : derived_of(spec).at("variants"))
    if (is_shown(variant, derived_of(spec))) names.push_back(variant.at("id").get<std::string>());
  return names;
}

std::vector<report::Table> ablation_tables(const spec::StudySpec& spec) {
  const Json& derived = derived_of(spec);
  std::vector<report::Table> tables = {ablation_plan_table(spec), variants_table(derived)};
  report::Table aliases = report::alias_table(derived);
  if (!aliases.rows.empty()) tables.push_back(std::move(aliases));
  report::Table left = left_table(derived);
  if (!left.rows.empty()) tables.push_back(std::move(left));
  return tables;
}

}  // namespace dlrun::plan
