// SPDX-License-Identifier: Apache-2.0
// Checks of `placement:` beyond the table of keys: its files are read, so that they are part of the study, and fit the
// model; nothing stands there without effect.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "placement/graph.hpp"
#include "placement/portfolio.hpp"
#include "recipe/device_plan.hpp"
#include "spec/space_section.hpp"
#include "spec/study_spec.hpp"
#include "spec/trial_section.hpp"
#include "util/files.hpp"

namespace dlrun::spec {

namespace fs = std::filesystem;

namespace {

const std::string kPlace = "trial.placement";

Json read_json(const fs::path& path) { return parse_json(read_file(path), path.string()); }

/// Forward and backward seconds of each row.
Json seconds_of(const fs::path& path) {
  Json all = Json::object();
  for (const placement::Node& node : placement::read_graph(read_json(path)).nodes)
    all[node.name] = {node.forward, node.backward};
  return all;
}

/// Devices of a trial have numbers, those of a cluster's file have names.
int device_number(const std::string& device, const fs::path& path) {
  constexpr int kMost = 63;
  int number = 0;
  const auto [end, fault] = std::from_chars(device.data(), device.data() + device.size(), number);
  if (fault == std::errc() && end == device.data() + device.size() && number >= 0 && number <= kMost) return number;
  throw Error(ErrorKind::usage,
              fmt::format("'{}' places on the device '{}'; those of a trial are 0, 1, …", path.string(), device),
              "make the file by dlrun place STUDY.yaml --devices N");
}

/// Layers of each device by its number, in its order.
Json order_of(const Json& by_device, const fs::path& path) {
  std::vector<std::vector<std::string>> order;
  for (const auto& [device, layers] : by_device.items()) {
    const auto number = std::size_t(device_number(device, path));
    order.resize(std::max(order.size(), number + 1));
    order[number] = layers.get<std::vector<std::string>>();
  }
  return order;
}

/// In which order devices compute, if the file says it.
void take_orders(const Json& file, const fs::path& path, Json& section) {
  for (const char* pass : {"forward", "backward"})
    section[pass] = file.contains(pass) ? order_of(file[pass], path) : Json();
}

/// Devices of a placement's layers; orders go to the section.
Json devices_of(const fs::path& path, Json& section) {
  const Json file = read_json(path);
  if (!file.is_object() || file.value("format", Json()) != "dlrun-placement-1")
    throw Error(ErrorKind::usage, fmt::format("'{}' is no placement", path.string()),
                "dlrun place STUDY.yaml --output FILE writes one");
  Json all = Json::object();
  for (const auto& [name, device] : file.at("placement").items())
    all[name] = device_number(device.get<std::string>(), path);
  take_orders(file, path, section);
  return all;
}

/// The file that `key` names, and its content beside it.
template <class Read>
void take_file(Json& section, const char* key, const char* content, const std::vector<fs::path>& folders, Read read,
               Faults& faults) {
  if (!section[key].is_string()) return;
  const std::string at = join(kPlace, key);
  const auto path = find_named_file(section[key].get<std::string>(), folders, at, faults);
  if (!path) return;
  try {
    section[content] = read(*path);
    section[key] = path->string();
  } catch (const Error& fault) {
    faults.at(at, fault.what(), fault.hint());
  } catch (const std::exception& fault) {
    faults.at(at, fmt::format("'{}' cannot be read: {}", path->string(), fault.what()));
  }
}

bool is_piped(const Json& schedule) { return schedule.is_string(); }

/// An order is for placers that follow one, and for pipelines, whose cuts do.
void check_order(const Json& section, const Json& space, Faults& faults) {
  if (is_set(space, "placement.placer") || !section.value("placer", Json()).is_string()) return;
  const std::string placer = section["placer"].get<std::string>(), at = join(kPlace, "order");
  if (placer == "auto" && (is_piped(section["schedule"]) || is_set(space, "placement.schedule"))) return;
  if (placement::placer_named(placer).follows_order) return;
  if (is_set(space, "placement.order") || (faults.was_written(at) && section["order"] != "auto"))
    faults.at_key(at, fmt::format("the placer {} follows no order that is given", placer),
                  "write placer: greedy beside it, or remove it");
}

/// A number of tries is for placers that search.
void check_tries(const Json& section, const Json& space, Faults& faults) {
  const std::string at = join(kPlace, "tries");
  if (is_set(space, "placement.placer") || !section.value("placer", Json()).is_string()) return;
  const std::string placer = section["placer"].get<std::string>();
  if (faults.was_written(at) && !placement::placer_named(placer).searches)
    faults.at_key(at, fmt::format("tries changes nothing: the placer {} does not search", placer),
                  "write placer: greedy beside it, or remove it");
}

/// Files bring seconds; a profile alone makes them count.
void check_seconds(const Json& section, Faults& faults) {
  if (section.value("profile", Json()).is_string() || section.value("seconds", Json()).is_null()) return;
  faults.at_key(join(kPlace, "seconds"), "seconds change nothing: without a profile the costs of layers are estimated",
                "write profile: FILE, a graph that dlrun place --graph wrote");
}

/// @param may_idle  a variant of an ablation may lack the placement
void check_devices(const Json& study, bool may_idle, Faults& faults) {
  const Json resources = study["resources"].is_object() ? study["resources"] : Json::object();
  const Json devices = resources.value("devices", Json()), device = resources.value("device", Json());
  const bool has_several = devices.is_number_integer() && devices > 1;
  const bool is_placed = !study["trial"].value("placement", Json()).is_null();
  if (has_several && !is_placed && !may_idle)
    faults.at_key("resources.devices", "nothing is placed on several devices",
                  "write trial: {placement: auto}, or remove it");
  if (!is_placed) return;
  if (!has_several) faults.at_key(kPlace, "there is one device, which computes all", "write resources: {devices: 2}");
  if (device.is_string() && device != "cpu")
    faults.clash("resources.device", "the devices of a placed model are parts of the CPU", kPlace, "the placement",
                 "write device: cpu");
}

/// A placement, and how many batches make a step.
struct Tried {
  Json placement;
  int batches = 1;
};

/// A parameter of the placement or of `accumulate` that not every trial has.
bool has_conditions(const Json& space) {
  return std::any_of(space.begin(), space.end(), [](const Json& parameter) {
    const std::string at = parameter["at"].is_string() ? parameter["at"].get<std::string>() : std::string();
    return parameter["when"].is_object() && (at == "accumulate" || at.rfind("placement.", 0) == 0);
  });
}

/// Every other placer and order with every schedule: the devices of a placement may be no stages of a pipeline.
std::vector<Tried> pipelines_to_try(const Json& trial, const Json& space) {
  std::vector<Tried> all;
  for (const Json& schedule : values_in_study(trial, space, "placement.schedule")) {
    for (const Json& placer : values_in_study(trial, space, "placement.placer")) {
      for (const Json& order : values_in_study(trial, space, "placement.order")) {
        if (!is_piped(schedule)) continue;
        Json placement = trial["placement"];
        placement.update({{"schedule", schedule}, {"placer", placer}, {"order", order}});
        if (placement != trial["placement"]) all.push_back({placement, most_batches(trial, space)});
      }
    }
  }
  return all;
}

/// The trial's own, pipelines, and where placers are searched that by `exact`, which does not take every model.
std::vector<Tried> placements_to_try(const Json& study) {
  const Json &trial = study["trial"], &space = study["space"], &own = trial["placement"];
  std::vector<Tried> all{{own, most_batches(trial, space)}};
  for (const Json& placer : values_in_study(trial, space, "placement.placer")) {
    if (placer != "exact" || own.value("placer", Json()) == placer) continue;
    all.push_back({own});
    all.back().placement["placer"] = placer;
  }
  if (own["op"] != "auto" || has_conditions(space)) return all;
  const std::vector<Tried> more = pipelines_to_try(trial, space);
  all.insert(all.end(), more.begin(), more.end());
  return all;
}

/// A schedule needs several batches, and leaves the placer `auto` nothing to try.
void check_schedule(const Json& study, Faults& faults) {
  const Json &trial = study["trial"], &space = study["space"], &own = trial["placement"];
  const std::vector<Json> schedules = values_in_study(trial, space, "placement.schedule");
  const bool is_always = std::all_of(schedules.begin(), schedules.end(), is_piped);
  if (faults.is_bad("trial.accumulate") || !std::any_of(schedules.begin(), schedules.end(), is_piped)) return;
  if (most_batches(trial, space) < 2)
    faults.at_key(join(kPlace, "schedule"), "a step is one batch, which no schedule can cut",
                  "write accumulate: 4 beside the placement, with a batch_size a quarter as large");
  if (is_always && own.value("placer", Json()) == "auto" && !is_set(space, "placement.placer") &&
      faults.was_written(join(kPlace, "tries")))
    faults.at_key(join(kPlace, "tries"), "the placer auto cuts each order once for a pipeline, and tries nothing more",
                  "remove it, or write placer: greedy");
}

/// @param is_ablation  a variant may lack layers that the placement's file names
void check_fit(const Json& study, const dataset::Schema& schema, bool is_ablation, Faults& faults) {
  const Json& trial = study["trial"];
  const Json devices = study["resources"].is_object() ? study["resources"].value("devices", Json()) : Json();
  const Json batch = trial.value("batch_size", Json());
  std::vector<model::ModelError> found;
  const model::Graph graph = model::build(trial["model"], interface_of(schema, trial), &found);
  if (!found.empty() || !devices.is_number_integer() || !batch.is_number_integer()) return;
  for (const Tried& tried : placements_to_try(study)) {
    try {
      const auto placement = recipe::read_placement({{"placement", tried.placement}});
      if (!placement) continue;
      if (!is_ablation) recipe::require_no_other_layers(graph, *placement);
      recipe::plan_devices(graph, *placement, {devices, batch, tried.batches});
    } catch (const Error& fault) {
      return faults.at(kPlace, fault.what(), fault.hint());
    }
  }
}

}  // namespace

void check_placement(Json& study, const std::vector<fs::path>& folders, const dataset::Schema& schema, bool is_ablation,
                     Faults& faults) {
  if (faults.is_bad(kPlace)) return;
  Json& trial = study["trial"];
  if (trial.value("placement", Json()).is_null()) {
    trial.erase("placement");
    return check_devices(study, is_ablation, faults);
  }
  Json& section = trial["placement"];
  if (section["op"] == "auto") {
    take_file(section, "profile", "seconds", folders, seconds_of, faults);
    check_order(section, study["space"], faults);
    check_tries(section, study["space"], faults);
    check_seconds(section, faults);
  } else {
    const auto read = [&](const fs::path& path) { return devices_of(path, section); };
    take_file(section, "path", "nodes", folders, read, faults);
  }
  check_devices(study, is_ablation, faults);
  check_schedule(study, faults);
  if (!trial.value("parallel", Json()).is_null())
    faults.clash(kPlace, "ranks of a gang compute whole models so far", "trial.parallel", "the ranks",
                 "remove one of the two");
  if (!faults.is_bad(kPlace) && !faults.is_bad("trial.model")) check_fit(study, schema, is_ablation, faults);
}

}  // namespace dlrun::spec
