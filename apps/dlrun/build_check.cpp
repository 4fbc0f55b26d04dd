// SPDX-License-Identifier: Apache-2.0
#include "build_check.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "ablation/cells.hpp"
#include "driver/profile.hpp"
#include "plan/ablation_plan.hpp"

namespace dlrun::cli {

namespace {

/// The values of a variant's cell in the first replicate; what is retuned stays as written.
space::Values cell_of(const space::Space& space, const std::string& variant) {
  const std::size_t last = space.find(ablation::kVariant).value();
  space::Values values;
  for (std::size_t i = 0; i < last; ++i) values.push_back(space.value_at(i, 0));
  values.push_back(space.from_json(last, variant));
  values.resize(space.size());
  return values;
}

/// Fault with its place; else the tensors that are not trained.
std::string remark(const trial::BuiltModel& model) {
  if (!model.fault.empty()) return fmt::format("{}: {}", model.place, model.fault);
  if (model.dead.empty()) return "";
  return fmt::format("W305: no gradient reaches {}", fmt::join(model.dead, ", "));
}

void add_difference(BuildCheck& check, const std::string& name, const trial::BuiltModel& model) {
  const auto word = [](bool is_so) { return is_so ? "yes" : "no"; };
  check.table.rows.push_back({name, word(model.is_built), model.is_built ? Json(model.parameters) : Json(),
                              model.is_built ? word(model.has_finite_loss) : "", remark(model)});
  check.is_fine = check.is_fine && model.fault.empty();
}

}  // namespace

BuildCheck check_build(const spec::StudySpec& spec) {
  BuildCheck check{{.title = "built, and trained for a step of two examples",
                    .columns = {"variant", "built", "parameters", "finite_loss", "what is wrong"}}};
  if (!spec.ablation) {
    check.table.columns[0] = "trial";
    add_difference(check, "first point", driver::build(spec, driver::first_sets(spec)));
    return check;
  }
  for (const std::string& name : plan::shown_variants(spec))
    add_difference(check, name, driver::build(spec, spec.space.sets(cell_of(spec.space, name))));
  return check;
}

}  // namespace dlrun::cli
