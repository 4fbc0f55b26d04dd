// SPDX-License-Identifier: Apache-2.0
#include "ablation_plan.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <set>

#include "ablation/power.hpp"

namespace dlrun::cli {

namespace {

const Json& derived_of(const spec::StudySpec& spec) { return spec.json.at("derived").at("ablation"); }

std::string percent(const Json& value, const Json& base) {
  if (!value.is_number() || !base.is_number() || base == 0) return "";
  const double change = 100 * (value.get<double>() / base.get<double>() - 1);
  return fmt::format("{:+.1f} %", change);
}

/// The sum over a replicate of operations relative to the baseline's, in epochs of the baseline.
double relative_work(const Json& variants) {
  double sum = 0;
  const Json& base = variants.at(0).at("operations");
  for (const Json& variant : variants) {
    const Json& own = variant.at("operations");
    sum += own.is_number() && base.is_number() && base > 0 ? own.get<double>() / base.get<double>() : 1.0;
  }
  return sum;
}

std::string judged_by(const Json& analysis) {
  std::string text = fmt::format("{}: {}, {:g} % intervals, {} at {:g}", analysis.at("metric").get<std::string>(),
                                 analysis.at("test").get<std::string>(), 100 * analysis.at("interval").get<double>(),
                                 analysis.at("correction").get<std::string>(), analysis.at("alpha").get<double>());
  if (analysis.at("rope").is_number()) text += fmt::format(", negligible within ±{:g}", analysis["rope"].get<double>());
  return text;
}

/// Of the components one by one.
std::string found_by(const spec::StudySpec& spec) {
  const Json &ablation = spec.json.at("ablation"), &analysis = ablation.at("analysis");
  std::set<std::string> components;
  for (const Json& variant : derived_of(spec).at("variants")) {
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

report::Table plan_table(const spec::StudySpec& spec) {
  const Json& ablation = spec.json.at("ablation");
  const Json& variants = derived_of(spec).at("variants");
  const auto replicates = ablation.at("replicates").at("n").get<std::int64_t>();
  const double members = double(spec.rules.members.count());
  const double epochs = double(spec.rules.epochs) * double(replicates) * members;
  report::Table table{.title = "plan of " + spec.name, .columns = {"what", "value"}};
  const auto add = [&](const char* what, std::string value) { table.rows.push_back({what, std::move(value)}); };
  add("trial", spec.kind);
  add("design", ablation.at("design").get<std::string>());
  add("judged by", judged_by(ablation.at("analysis")));
  add("runs",
      fmt::format("{} = {} variants, the baseline among them, x {} replicate{}",
                  std::int64_t(variants.size()) * replicates, variants.size(), replicates, replicates == 1 ? "" : "s"));
  add("finds", found_by(spec));
  add("epochs", fmt::format("{:.0f}", epochs * double(variants.size())));
  if (spec.base_model) add("work", fmt::format("as {:.0f} epochs of the baseline", epochs * relative_work(variants)));
  return table;
}

report::Table variants_table(const Json& variants) {
  report::Table table{.title = "variants",
                      .columns = {"variant", "kind", "parameters", "parameters_change", "operations",
                                  "operations_change", "what changes beside it"}};
  const Json& base = variants.at(0);
  for (const Json& variant : variants) {
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

std::vector<report::Table> ablation_tables(const spec::StudySpec& spec) {
  const Json& derived = derived_of(spec);
  std::vector<report::Table> tables = {plan_table(spec), variants_table(derived.at("variants"))};
  report::Table left = left_table(derived);
  if (!left.rows.empty()) tables.push_back(std::move(left));
  return tables;
}

}  // namespace dlrun::cli
