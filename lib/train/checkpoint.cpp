// SPDX-License-Identifier: Apache-2.0
#include "train/checkpoint.hpp"

#include <algorithm>
#include <cstring>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "train/twins.hpp"
#include "trial/json.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

constexpr const char* kFormat = "dlrun-checkpoint-1";  // part of the format, raised with any change of meaning

/// A tensor of the file and the memory it comes from or goes to.
struct Place {
  TensorView view;
  char* memory;
};

std::string_view bytes_of(const void* data, std::size_t size) { return {static_cast<const char*>(data), size}; }

Place place_of(const nn::Parameter& parameter) {
  const at::Tensor& tensor = parameter.value;
  const char* dtype = tensor.scalar_type() == at::kLong ? "I64" : "F32";
  auto* memory = static_cast<char*>(tensor.mutable_data_ptr());
  return {{"model." + parameter.name, dtype, tensor.sizes().vec(), bytes_of(memory, tensor.nbytes())}, memory};
}

Place place_of(const nn::Parameter& parameter, const Slot& slot) {
  const float* begin = slot.values.data() + parameter.offset;
  auto* memory = reinterpret_cast<char*>(const_cast<float*>(begin));
  return {{fmt::format("opt.{}.{}", parameter.name, slot.name), "F32", parameter.value.sizes().vec(),
           bytes_of(memory, parameter.value.nbytes())},
          memory};
}

/// Place of a tensor that the average has in a version of its own.
Place average_of(const nn::Parameter& parameter, const at::Tensor& average) {
  nn::Parameter own = parameter;
  own.value = average;
  Place place = place_of(own);
  place.view.name = "average." + parameter.name;
  return place;
}

Place place_of(const NamedNumbers& named) {
  auto* memory = reinterpret_cast<char*>(named.numbers.data());
  return {
      {"gang." + named.name, "F32", {std::int64_t(named.numbers.size())}, bytes_of(memory, named.numbers.size_bytes())},
      memory};
}

/// @param epoch  that many are done
std::vector<Place> places(const Kept& kept, std::int64_t epoch) {
  std::vector<Place> result;
  const std::vector<nn::Parameter>& all = kept.parameters.all();
  const bool has_average = kept.average.is_defined() && epoch >= kept.averaged_from;
  for (std::size_t i = 0; i < all.size(); ++i) {
    result.push_back(place_of(all[i]));
    const at::Tensor average = has_average ? kept.average.of(kept.parameters, i) : at::Tensor();
    if (average.defined()) result.push_back(average_of(all[i], average));
    if (!all[i].trainable || !kept.optimizer.moves(std::size_t(all[i].offset))) continue;
    for (const Slot& slot : kept.optimizer.slots()) result.push_back(place_of(all[i], slot));
  }
  for (const NamedNumbers& named : kept.gang) result.push_back(place_of(named));
  return result;
}

Json to_json(const Best& best) {
  Json json = {{"epoch", best.epoch}, {"value", best.value}};
  if (!best.sha256.empty()) json.update({{"sha256", best.sha256}, {"bytes", best.bytes}});
  return json;
}

Best best_of(const Json& json) {
  return {json.at("epoch").get<std::int64_t>(), json.at("value").get<double>(), json.value("sha256", std::string()),
          json.value("bytes", std::int64_t(0))};
}

Json reports_to_json(const std::vector<trial::Report>& reports) {
  Json list = Json::array();
  for (const trial::Report& report : reports) {
    Json metrics = Json::array();
    for (const trial::Metric& metric : report.metrics) metrics.push_back({metric.name, metric.value});
    list.push_back({{"step", report.step}, {"metrics", metrics}});
  }
  return list;
}

std::vector<trial::Report> reports_of(const Json& json) {
  std::vector<trial::Report> reports;
  for (const Json& item : json) {
    trial::Report report{item.at("step").get<std::int64_t>(), {}};
    for (const Json& metric : item.at("metrics")) {
      report.metrics.push_back({metric.at(0).get<std::string>(), metric.at(1).get<double>()});
    }
    reports.push_back(std::move(report));
  }
  return reports;
}

Json to_json(const State& state, const Identity& identity) {
  Json json = {{"epoch", state.epoch},
               {"step", state.step},
               {"seed", identity.seed},
               {"replicate", identity.replicate},
               {"optimizer", identity.optimizer},
               {"fingerprint", identity.fingerprint},
               {"reports", reports_to_json(state.reports)}};
  if (state.batch > 0) json.update({{"batch", state.batch}, {"sums", state.sums.to_json()}});
  if (state.loss_scale) {
    json["loss_scale"] = {state.loss_scale->scale, state.loss_scale->good};
    json["skipped"] = state.skipped;
  }
  if (state.best) json["best"] = to_json(*state.best);
  if (state.carried != 0) json["carried"] = state.carried;
  if (state.start) json["start"] = trial::to_json(*state.start);
  if (!state.gang.is_null()) json["gang"] = state.gang;
  if (!state.gains.is_null()) json["gains"] = state.gains;
  return json;
}

/// Lists that are as long as the data has classes are so in both.
bool is_of_form(const Json& sums, const Json& fresh) {
  if (!fresh.is_structured() || fresh.empty()) return true;
  if (sums.type() != fresh.type() || sums.size() != fresh.size()) return false;
  const auto is_alike = [](const Json& a, const Json& b) { return is_of_form(a, b); };
  return std::equal(sums.begin(), sums.end(), fresh.begin(), is_alike);
}

State state_of(const Json& json, const SplitSums& fresh) {
  State state;
  state.sums = fresh;
  state.epoch = json.at("epoch").get<std::int64_t>();
  state.step = json.at("step").get<std::int64_t>();
  state.batch = json.value("batch", std::int64_t(0));
  if (state.batch > 0) {
    if (!is_of_form(json.at("sums"), fresh.to_json()))
      throw Error(ErrorKind::store, "the sums of its epoch are of other data or metrics");
    state.sums.restore(json.at("sums"));
  }
  state.reports = reports_of(json.at("reports"));
  if (json.contains("loss_scale")) {
    const Json& scale = json.at("loss_scale");
    state.loss_scale = LossScale{scale.at(0).get<double>(), scale.at(1).get<std::int64_t>()};
    state.skipped = json.at("skipped").get<std::int64_t>();
  }
  if (json.contains("best")) state.best = best_of(json.at("best"));
  state.carried = json.value("carried", std::int64_t(0));
  if (json.contains("start")) state.start = trial::weight_start(json.at("start"));
  state.gang = json.value("gang", Json());
  state.gains = json.value("gains", Json());
  return state;
}

[[noreturn]] void refuse(const std::string& what, const std::string& why) {
  throw Error(ErrorKind::store, fmt::format("{} cannot be restored: {}", what, why));
}

Json state_text(const SafeTensors& file, const std::string& what) {
  if (!file.has_checksum()) refuse(what, "it has no checksum");
  const auto format = file.metadata().find("format"), text = file.metadata().find("state");
  if (format == file.metadata().end() || text == file.metadata().end()) refuse(what, "it is no checkpoint of dlrun");
  if (format->second != kFormat) refuse(what, fmt::format("its format is '{}', not '{}'", format->second, kFormat));
  return parse_json(text->second, what);
}

Identity identity_of(const Json& json) {
  return {json.at("seed").get<std::uint64_t>(), json.at("replicate").get<int>(),
          json.at("optimizer").get<std::string>(), json.at("fingerprint").get<std::string>()};
}

void check_identity(const Json& json, const Identity& wanted, const std::string& what) {
  const Identity found = identity_of(json);
  if (!wanted.has_any_streams && found.seed != wanted.seed)
    refuse(what, fmt::format("its seed is {}, not {}", found.seed, wanted.seed));
  if (!wanted.has_any_streams && found.replicate != wanted.replicate) {
    refuse(what, fmt::format("it is of replicate {}, not {}", found.replicate, wanted.replicate));
  }
  if (found.optimizer != wanted.optimizer) {
    refuse(what, fmt::format("its optimizer is '{}', not '{}'", found.optimizer, wanted.optimizer));
  }
  if (!wanted.fingerprint.empty() && found.fingerprint != wanted.fingerprint)
    refuse(what, "it was made with other settings, another model or other data");
}

bool is_of_average(const TensorView& tensor) { return tensor.name.starts_with("average."); }

/// @param takes_over  another training's average is left where it is
void check_tensors(const SafeTensors& file, const std::vector<Place>& places, bool takes_over,
                   const std::string& what) {
  for (const Place& place : places) {
    const TensorView* found = file.find(place.view.name);
    if (!found) refuse(what, fmt::format("it has no tensor '{}'", place.view.name));
    if (found->dtype != place.view.dtype || found->shape != place.view.shape) {
      refuse(what, fmt::format("its tensor '{}' is {} [{}], but the model's is {} [{}]", place.view.name, found->dtype,
                               fmt::join(found->shape, ", "), place.view.dtype, fmt::join(place.view.shape, ", ")));
    }
  }
  const auto is_wanted = [&](const Place& place) { return is_of_average(place.view); };
  const bool leaves_average = takes_over && std::none_of(places.begin(), places.end(), is_wanted);
  const auto left = leaves_average ? std::count_if(file.tensors().begin(), file.tensors().end(), is_of_average) : 0;
  const std::size_t found = file.tensors().size() - std::size_t(left);
  if (found != places.size())
    refuse(what, fmt::format("it has {} tensors, but the training has {}", found, places.size()));
}

void check_position(const State& state, std::int64_t batches, const std::string& what) {
  const bool is_sound = state.epoch >= 0 && state.step >= 0 && state.batch >= 0 && state.batch <= batches &&
                        state.skipped >= 0 && state.skipped <= state.step;
  if (!is_sound)
    refuse(what, fmt::format("it is at epoch {}, batch {} of {}, step {}, which no training reaches", state.epoch,
                             state.batch, batches, state.step));
}

}  // namespace

Identity read_identity(const SafeTensors& file, const std::string& what) {
  try {
    return identity_of(state_text(file, what));
  } catch (const Json::exception& fault) {
    refuse(what, fmt::format("its state is malformed: {}", fault.what()));
  }
}

bool has_average(const SafeTensors& file) {
  return std::any_of(file.tensors().begin(), file.tensors().end(), is_of_average);
}

std::string encode_checkpoint(const State& state, const Identity& identity, const Kept& kept) {
  const Json twins = twins_of(kept.gang);
  Kept written = kept;
  written.gang = without_twins(kept.gang, twins);
  std::vector<TensorView> views;
  for (const Place& place : places(written, state.epoch)) views.push_back(place.view);
  Json json = to_json(state, identity);
  if (!twins.empty()) json["twins"] = twins;
  return write_safetensors(std::move(views), {{"format", kFormat}, {"state", to_text(json)}});
}

State decode_checkpoint(const SafeTensors& file, const std::string& what, const Identity& identity, const Kept& kept,
                        const SplitSums& fresh) {
  try {
    const Json json = state_text(file, what);
    check_identity(json, identity, what);
    State state = state_of(json, fresh);
    check_position(state, kept.batches, what);
    const Json twins = json.value("twins", Json::object());
    Kept written = kept;
    written.gang = without_twins(kept.gang, twins);
    const std::vector<Place> targets = places(written, state.epoch);
    check_tensors(file, targets, identity.has_any_streams, what);
    for (const Place& place : targets) {
      const std::string_view bytes = file.find(place.view.name)->bytes;
      std::memcpy(place.memory, bytes.data(), bytes.size());
    }
    fill_twins(kept.gang, twins);
    return state;
  } catch (const Json::exception& fault) {
    refuse(what, fmt::format("its state is malformed: {}", fault.what()));
  }
}

}  // namespace dlrun::train
