// SPDX-License-Identifier: Apache-2.0
#include "recipe/optimizer.hpp"

#include <type_traits>

#include "options/kind.hpp"
#include "plugin/found.hpp"

namespace dlrun::recipe {

namespace {

Fields<GroupConfig> group_fields() {
  return {field(list("match", "names of tensors, or of layers or groups of layers, as regular expressions",
                     text("", "a regular expression"))
                    .one()
                    .must(),
                &GroupConfig::match),
          field(real("lr", "factor of the learning rate").from(0), &GroupConfig::lr),
          field(real("weight_decay", "in place of the optimiser's").from(0).or_else("the optimiser's"),
                &GroupConfig::weight_decay),
          field(boolean("frozen", "these are not trained"), &GroupConfig::frozen)};
}

Fields<OptimizerConfig> common_fields(const Rates& rates) {
  return {field(real("weight_decay", "pulls weights towards 0").from(0).with(rates.weight_decay).search(),
                &OptimizerConfig::weight_decay),
          field(list("no_decay", "tensors without decay: biases, normalisations, embeddings",
                     choice("", "a kind of tensor", {"bias", "norm", "embedding"}))
                    .one(),
                &OptimizerConfig::no_decay),
          options::rows(list("groups", "tensors with settings of their own; the first that names a tensor holds",
                             table("", "tensors with settings of their own", options::keys_of(group_fields()))),
                        &OptimizerConfig::groups, group_fields())};
}

template <class Own>
options::Kind<OptimizerConfig> kind_of() {
  const auto part = [](auto& config) -> auto& { return std::get<Own>(config.method); };
  const auto lr = field(real("lr", "learning rate").above(0).with(Own::kRates.lr).search(), &OptimizerConfig::lr);
  return {Own::kName, Own::kText,
          options::joined<options::Field<OptimizerConfig>>(
              {{lr}, options::all_within<OptimizerConfig>(Own::fields(), part), common_fields(Own::kRates)}),
          [](OptimizerConfig& out) { out.method.emplace<Own>(); }};
}

/// Every method that dlrun has itself.
template <class... Methods>
options::Kinds<OptimizerConfig> kinds_of(const std::variant<Methods...>*) {
  options::Kinds<OptimizerConfig> kinds;
  const auto add = [&]<class Own>(const Own*) {
    if constexpr (!std::is_same_v<Own, PluginMethod>) kinds.push_back(kind_of<Own>());
  };
  (add(static_cast<const Methods*>(nullptr)), ...);
  return kinds;
}

options::Field<OptimizerConfig> guest_field(const Key& key) {
  return {key,
          [](const Json& value, const Key& own, const std::string&, OptimizerConfig& out) {
            std::get<PluginMethod>(out.method).section[own.name] = value;
          },
          nullptr};
}

options::Kind<OptimizerConfig> kind_of_plugin(const plugin::Manifest& manifest) {
  const Rates rates{.lr = manifest.whole.at("lr"), .weight_decay = manifest.whole.at("weight_decay")};
  Fields<OptimizerConfig> fields = {
      field(real("lr", "learning rate").above(0).with(rates.lr).search(), &OptimizerConfig::lr)};
  for (const Key& key : manifest.keys) fields.push_back(guest_field(key));
  const auto begin = [&manifest](OptimizerConfig& out) {
    out.method = PluginMethod{manifest.name, manifest.whole.at("state"), Json::object()};
  };
  return {manifest.name, manifest.about,
          options::joined<options::Field<OptimizerConfig>>({fields, common_fields(rates)}), begin};
}

const options::Kinds<OptimizerConfig>& optimizer_kinds() {
  static const options::Kinds<OptimizerConfig> kinds = [] {
    options::Kinds<OptimizerConfig> all = kinds_of(static_cast<const Method*>(nullptr));
    for (const plugin::Found* found : plugin::all_of(plugin::Kind::optimizer))
      all.push_back(kind_of_plugin(*found->manifest));
    return all;
  }();
  return kinds;
}

Json own_settings(const PluginMethod& method) { return method.section; }
template <class Own>
Json own_settings(const Own& own) {
  return options::write_fields(own, own.fields());
}

/// Settings by their keys.
Json settings_of(const Method& method) {
  return std::visit([](const auto& own) { return own_settings(own); }, method);
}

/// Settings that a method does not have count as these in a fingerprint.
const Json kAbsent = {{"momentum", 0.0},
                      {"dampening", 0.0},
                      {"nesterov", false},
                      {"momentum_decay", 0.004},
                      {"betas", {0.9, 0.999}},
                      {"eps", 1e-8},
                      {"alpha", 0.99},
                      {"rho", 0.9},
                      {"amsgrad", false},
                      {"decoupled", false},
                      {"centered", false},
                      {"lr_decay", 0.0},
                      {"initial_accumulator_value", 0.0},
                      {"trust", 0.001}};

Json groups_of(const OptimizerConfig& config) {
  Json groups = Json::array();
  for (const GroupConfig& group : config.groups) {
    groups.push_back({group.match, group.lr, options::written(group.weight_decay), group.frozen});
  }
  return groups;
}

}  // namespace

Key optimizer_key() {
  return options::kind_key("optimizer", "how weights follow gradients", optimizer_kinds()).with(Sgd::kName);
}

OptimizerConfig read_optimizer(const Json& trial) {
  return read_kind(trial.value("optimizer", Json()), optimizer_kinds(), "optimizer", Sgd::kName);
}

const char* name_of(const OptimizerConfig& config) {
  if (const auto* guest = std::get_if<PluginMethod>(&config.method)) return guest->name.c_str();
  return std::visit([](const auto& own) { return own.kName; }, config.method);
}

int slots_of(const OptimizerConfig& config) {
  return std::visit([](const auto& own) { return own.slots(); }, config.method);
}

namespace {

template <class... Methods>
std::vector<std::string> by_tensor(const std::variant<Methods...>&) {
  std::vector<std::string> names;
  ((kStepsByTensor<Methods> ? names.emplace_back(Methods::kName) : names.emplace_back()), ...);
  std::erase(names, "");
  return names;
}

}  // namespace

std::vector<std::string> methods_by_tensor() { return by_tensor(Method()); }

Json to_json(const OptimizerConfig& config) {
  Json s = kAbsent, added = Json::object();
  const Json settings = settings_of(config.method);
  for (const auto& [key, value] : settings.items()) {
    (s.contains(key) ? s : added)[key] = value;
  }
  Json out = {{"op", name_of(config)},
              {"lr", config.lr},
              {"weight_decay", config.weight_decay},
              {"momentum", {s["momentum"], s["dampening"], s["nesterov"], s["momentum_decay"]}},
              {"averages", {s["betas"][0], s["betas"][1], s["eps"], s["alpha"], s["rho"]}},
              {"forms", {s["amsgrad"], s["decoupled"], s["centered"]}},
              {"adagrad", {s["lr_decay"], s["initial_accumulator_value"]}},
              {"trust", s["trust"]},
              {"groups", groups_of(config)},
              {"no_decay", config.no_decay}};
  if (!added.empty()) out["settings"] = added;
  return out;
}

}  // namespace dlrun::recipe
