// SPDX-License-Identifier: Apache-2.0
#include "recipe/placement.hpp"

#include "options/kind.hpp"
#include "placement/cluster.hpp"
#include "placement/named.hpp"
#include "placement/orders.hpp"
#include "placement/portfolio.hpp"
#include "placement/schedules.hpp"

namespace dlrun::recipe {

namespace {

constexpr const char* kAuto = "auto";
using options::field;

std::vector<std::string> order_names() {
  std::vector<std::string> names = placement::names_of(placement::named_orders());
  names.insert(names.begin(), kAuto);
  return names;
}

/// Workers have no solver.
std::vector<std::string> placer_names() {
  std::vector<std::string> names;
  for (const placement::NamedPlacer& placer : placement::named_placers()) {
    if (!placer.needs_solver) names.emplace_back(placer.name);
  }
  return names;
}

options::Key schedule_key() {
  const auto& names = placement::kScheduleNames;
  return options::choice("schedule",
                         "the batches of a step (accumulate) pass through the devices as through a pipeline",
                         {std::begin(names), std::end(names)})
      .or_else("one batch after another")
      .search();
}

options::Fields<FoundPlacement> found_fields() {
  return {field(options::choice("placer", "how devices are found; `dlrun help place` has all", placer_names()).search(),
                &FoundPlacement::placer),
          field(options::choice("order", "in which layers are decided; auto: as rules say, or for a pipeline any",
                                order_names())
                    .search(),
                &FoundPlacement::order),
          field(options::choice("link", "between two devices, in the simulation", placement::link_names()),
                &FoundPlacement::link),
          field(options::integer("tries", "placements that a searching placer simulates").from(1).to(1e9),
                &FoundPlacement::tries),
          field(schedule_key(), &FoundPlacement::schedule),
          field(options::text("profile", "costs of layers that `dlrun place --graph FILE` measured")
                    .or_else("costs are estimated from the sizes of layers")
                    .file(),
                &FoundPlacement::profile),
          field(options::map_of("seconds", "content of the profile: forward and backward of each layer",
                                options::list("", "two numbers", options::real("", "seconds").from(0)))
                    .or_else("read from the profile"),
                &FoundPlacement::seconds)};
}

options::Key order_of(const std::string& pass) {
  return options::list(pass, "its content: layers that each device computes " + pass + ", in its order",
                       options::list("", "layers", options::text("", "a layer")))
      .or_else("as the file says; else layers as they could begin first");
}

options::Fields<GivenPlacement> given_fields() {
  return {
      field(options::text("path", "file that `dlrun place --output FILE` wrote").must().file(), &GivenPlacement::path),
      field(options::map_of("nodes", "its content: the device of each layer",
                            options::integer("", "a device").from(0).to(63))
                .or_else("read from the file"),
            &GivenPlacement::nodes),
      field(schedule_key(), &GivenPlacement::schedule), field(order_of("forward"), &GivenPlacement::forward),
      field(order_of("backward"), &GivenPlacement::backward)};
}

template <class Own>
options::Kind<PlacementConfig> kind_of(const char* name, const char* text, const options::Fields<Own>& fields) {
  const auto own = [](auto& config) -> auto& { return std::get<Own>(config); };
  return {name, text, options::all_within<PlacementConfig>(fields, own),
          [](PlacementConfig& out) { out.emplace<Own>(); }};
}

const options::Kinds<PlacementConfig>& placement_kinds() {
  static const options::Kinds<PlacementConfig> kinds = {
      kind_of("auto", "a placer decides, by a simulated step", found_fields()),
      kind_of("file", "as a file says", given_fields())};
  return kinds;
}

}  // namespace

options::Key placement_key() {
  return options::kind_key("placement", "several devices of one machine compute layers", placement_kinds())
      .or_else("one device computes all");
}

const std::string& schedule_of(const PlacementConfig& config) {
  return std::visit([](const auto& own) -> const std::string& { return own.schedule; }, config);
}

std::optional<PlacementConfig> read_placement(const Json& trial) {
  const Json section = trial.value("placement", Json());
  if (section.is_null()) return std::nullopt;
  return options::read_kind(section, placement_kinds(), "placement", kAuto);
}

}  // namespace dlrun::recipe
