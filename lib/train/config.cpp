// SPDX-License-Identifier: Apache-2.0
#include "train/config.hpp"

#include <cmath>

#include <fmt/format.h>

#include "util/edit_distance.hpp"
#include "util/error.hpp"
#include "util/sha256.hpp"

namespace dlrun::train {

namespace {

/// One section (`optimizer:`) whose values are asked for by key; messages name the place.
class Section {
 public:
  Section(const Json& trial, std::string place) : place_(std::move(place)) {
    const auto found = trial.find(place_);
    if (found == trial.end() || found->is_null()) return;
    json_ = found->is_string() ? Json{{"op", *found}} : *found;
    if (!json_.is_object()) throw Error(ErrorKind::usage, fmt::format("{} must be a map or a name", place_));
  }

  bool is_empty() const { return json_.empty(); }

  std::string op(const std::string& fallback, const std::vector<std::string>& known) const {
    const Json value = json_.value("op", Json(fallback));
    const std::string name = value.is_string() ? value.get<std::string>() : to_text(value);
    if (std::find(known.begin(), known.end(), name) != known.end()) return name;
    const std::string nearest = nearest_name(name, known);
    throw Error(ErrorKind::usage, fmt::format("{}.op: there is no '{}'", place_, name),
                nearest.empty() ? fmt::format("known are {}", fmt::join(known, ", "))
                                : fmt::format("did you mean '{}'?", nearest));
  }

  /// A number in [low, high].
  double number(const char* key, double fallback, double low, double high) const {
    const Json value = json_.value(key, Json(fallback));
    if (!value.is_number()) refuse(key, value, "a number");
    const double number = value.get<double>();
    if (!(number >= low && number <= high)) refuse(key, value, fmt::format("in [{}, {}]", low, high));
    return number;
  }

  bool flag(const char* key, bool fallback) const {
    const Json value = json_.value(key, Json(fallback));
    if (!value.is_boolean()) refuse(key, value, "true or false");
    return value.get<bool>();
  }

  std::pair<double, double> betas() const {
    const Json value = json_.value("betas", Json{0.9, 0.999});
    const bool is_pair = value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number();
    if (!is_pair) refuse("betas", value, "a list of two numbers");
    for (const Json& beta : value) {
      if (!(beta.get<double>() >= 0 && beta.get<double>() < 1)) refuse("betas", value, "in [0, 1)");
    }
    return {value[0].get<double>(), value[1].get<double>()};
  }

 private:
  [[noreturn]] void refuse(const char* key, const Json& value, const std::string& wanted) const {
    throw Error(ErrorKind::usage, fmt::format("{}.{} is {}, but must be {}", place_, key, to_text(value), wanted));
  }

  std::string place_;
  Json json_ = Json::object();
};

constexpr double kHuge = 1e300;

OptimizerConfig read_optimizer(const Json& trial) {
  const Section section(trial, "optimizer");
  OptimizerConfig config;
  config.op = section.op("sgd", {"sgd", "adam", "adamw"});
  config.lr = section.number("lr", config.op == "sgd" ? 0.05 : 0.001, 0, kHuge);
  config.weight_decay = section.number("weight_decay", config.op == "adamw" ? 0.01 : 0, 0, kHuge);
  if (config.op == "sgd") {
    config.momentum = section.number("momentum", 0, 0, 1);
    config.nesterov = section.flag("nesterov", false);
    return config;
  }
  std::tie(config.beta1, config.beta2) = section.betas();
  config.eps = section.number("eps", 1e-8, 0, kHuge);
  return config;
}

ScheduleConfig read_schedule(const Json& trial) {
  const Section section(trial, "schedule");
  ScheduleConfig config;
  config.op = section.op("constant", {"constant", "step", "cosine"});
  config.warmup = section.number("warmup", 0, 0, 1e9);
  if (config.op == "step") {
    config.every = std::int64_t(section.number("every", 10, 1, 1e9));
    config.gamma = section.number("gamma", 0.1, 0, kHuge);
  }
  if (config.op == "cosine") config.min_lr = section.number("min_lr", 0, 0, kHuge);
  return config;
}

LossConfig read_loss(const Json& trial, bool classifies) {
  const Section section(trial, "loss");
  LossConfig config;
  config.op = section.op(classifies ? "cross_entropy" : "mse",
                         {"cross_entropy", "binary_cross_entropy", "mse", "mae", "huber"});
  if (config.op == "cross_entropy") config.label_smoothing = section.number("label_smoothing", 0, 0, 1);
  if (config.op == "huber") config.delta = section.number("delta", 1, 1e-12, kHuge);
  return config;
}

std::vector<std::string> read_metrics(const Json& trial, bool classifies) {
  const auto found = trial.find("metrics");
  if (found == trial.end() || found->is_null()) {
    return classifies ? std::vector<std::string>{"accuracy"} : std::vector<std::string>{"mae"};
  }
  const std::vector<std::string> known = {"accuracy", "mae", "mse", "rmse", "r2"};
  std::vector<std::string> names;
  for (const Json& item : found->is_array() ? *found : Json::array({*found})) {
    const std::string name = item.is_string() ? item.get<std::string>() : to_text(item);
    if (std::find(known.begin(), known.end(), name) == known.end()) {
      throw Error(ErrorKind::usage, fmt::format("metrics: there is no '{}'", name),
                  fmt::format("known are {}", fmt::join(known, ", ")));
    }
    if ((name == "accuracy") != classifies) {
      throw Error(ErrorKind::usage, fmt::format("metrics: '{}' does not fit data with {}", name,
                                                classifies ? "classes" : "numbers as targets"));
    }
    names.push_back(name);
  }
  return names;
}

std::int64_t read_count(const Json& trial, const char* key, std::int64_t fallback) {
  const Json value = trial.value(key, Json(fallback));
  if (!value.is_number_integer() || value.get<std::int64_t>() < 1) {
    throw Error(ErrorKind::usage, fmt::format("{} is {}, but must be an integer of at least 1", key, to_text(value)));
  }
  return value.get<std::int64_t>();
}

std::optional<double> read_clip(const Json& trial) {
  const Json value = trial.value("clip_norm", Json());
  if (value.is_null()) return std::nullopt;
  if (!value.is_number() || !(value.get<double>() > 0)) {
    throw Error(ErrorKind::usage, fmt::format("clip_norm is {}, but must be a number above 0", to_text(value)));
  }
  return value.get<double>();
}

}  // namespace

Config read_config(const Json& trial, const dataset::Schema& data) {
  const bool classifies = data.classes > 0;
  Config config;
  config.epochs = read_count(trial, "epochs", 10);
  config.batch_size = read_count(trial, "batch_size", 32);
  config.optimizer = read_optimizer(trial);
  config.schedule = read_schedule(trial);
  config.loss = read_loss(trial, classifies);
  config.metrics = read_metrics(trial, classifies);
  config.clip_norm = read_clip(trial);
  config.data = trial.value("data", Json());
  config.model = trial.value("model", Json());
  return config;
}

std::string fingerprint(const Config& config, const std::string& model_hash, const std::string& data_hash) {
  const OptimizerConfig& o = config.optimizer;
  const ScheduleConfig& s = config.schedule;
  const Json json = {
      {"model", model_hash},
      {"data", data_hash},
      {"epochs", config.epochs},
      {"batch_size", config.batch_size},
      {"clip_norm", config.clip_norm ? Json(*config.clip_norm) : Json()},
      {"optimizer", {o.op, o.lr, o.weight_decay, o.momentum, o.nesterov, o.beta1, o.beta2, o.eps}},
      {"schedule", {s.op, s.every, s.gamma, s.min_lr, s.warmup}},
      {"loss", {config.loss.op, config.loss.label_smoothing, config.loss.delta}},
  };
  return Sha256::hex_of(to_text(json));
}

}  // namespace dlrun::train
