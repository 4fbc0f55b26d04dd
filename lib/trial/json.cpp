// SPDX-License-Identifier: Apache-2.0
#include "trial/json.hpp"

#include <cmath>
#include <limits>

#include "util/error.hpp"
#include "util/json_view.hpp"
#include "util/whole.hpp"

namespace dlrun::trial {

namespace {

template <class Make>
auto reading(const char* what, Make make) {
  const auto refuse = [&](const std::exception& fault) -> Error {
    return {ErrorKind::usage, std::string("malformed ") + what + ": " + fault.what()};
  };
  try {
    return make();
  } catch (const Json::exception& fault) {
    throw refuse(fault);
  } catch (const JsonFault& fault) {
    throw refuse(fault);
  }
}

std::string text_of(const Json& json) { return to_text(json); }
std::string text_of(const JsonView& json) { return json.text(); }

const Json& list_of(const Json& json) { return json; }
std::vector<JsonView> list_of(const JsonView& json) { return json.list(); }

std::vector<JsonView> list_or_none(const JsonView& json, const char* name) { return json.list_or_none(name); }

Json tensor_to_json(const TensorStart& t) {
  Json json = {{"name", t.name}, {"rule", t.rule}, {"to", t.to}};
  if (!t.donor.empty()) json["donor"] = t.donor;
  if (!t.source.empty()) json["source"] = t.source;
  if (!t.from.empty()) json["from"] = t.from;
  return json;
}

template <class J>
TensorStart tensor_start(const J& json) {
  TensorStart t{json.at("name").template get<std::string>(), json.at("rule").template get<std::string>()};
  t.donor = json.value("donor", std::string());
  t.source = json.value("source", std::string());
  if (json.contains("from")) t.from = wholes(json.at("from"));
  t.to = wholes(json.at("to"));
  return t;
}

}  // namespace

Json number_to_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return value;
}

template <class J>
double number_from_json(const J& json) {
  if (json.is_number()) return json.template get<double>();
  if (json == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (json == "inf") return std::numeric_limits<double>::infinity();
  if (json == "-inf") return -std::numeric_limits<double>::infinity();
  throw Error(ErrorKind::usage, "'" + text_of(json) + "' is no number");
}

const Json& list_or_none(const Json& json, const char* name) {
  static const Json none = Json::array();
  const auto found = json.find(name);
  return found == json.end() ? none : *found;
}

Json to_json(const PieceKey& key) {
  return Json::array({key.member.trial.value, key.member.replicate, key.member.fold, key.piece});
}

Json to_json(const Report& report) {
  Json metrics = Json::object();
  for (const Metric& metric : report.metrics) metrics[metric.name] = number_to_json(metric.value);
  return {{"step", report.step}, {"metrics", std::move(metrics)}};
}

Json to_json(const Artifact& a) {
  return {{"role", a.role}, {"sha256", a.sha256}, {"bytes", a.bytes}, {"step", a.step}};
}

Json to_json(const WeightStart& start) {
  Json json = {{"tensors", Json::array()}, {"notes", start.notes}};
  for (const TensorStart& tensor : start.tensors) json["tensors"].push_back(tensor_to_json(tensor));
  return json;
}

Json to_json(const SharedStart& shared) {
  const Member& m = shared.member;
  return Json::array({m.trial.value, m.replicate, m.fold, shared.epochs});
}

Json to_json(const PieceResult& r) {
  Json json = {{"piece", to_json(r.key)}, {"attempt", r.attempt}, {"outcome", to_string(r.outcome)}};
  if (r.cause != Cause::none) json["cause"] = to_string(r.cause);
  if (!r.message.empty()) json["message"] = r.message;
  if (!r.log_tail.empty()) json["log_tail"] = r.log_tail;
  if (r.seconds != 0) json["seconds"] = r.seconds;
  if (r.peak_rss != 0) json["peak_rss"] = r.peak_rss;
  if (r.repeated != 0) json["repeated"] = r.repeated;
  if (!r.parked_at.empty()) json["parked_at"] = r.parked_at;
  for (const Report& report : r.reports) json["reports"].push_back(to_json(report));
  for (const Artifact& artifact : r.artifacts) json["artifacts"].push_back(to_json(artifact));
  if (r.start) json["start"] = to_json(*r.start);
  if (r.shared) json["shared"] = to_json(*r.shared);
  return json;
}

template <class J>
PieceKey piece_key(const J& json) {
  return reading("piece", [&] {
    PieceKey key;
    key.member = {TrialId(whole<std::int64_t>(json.at(0))), whole<int>(json.at(1)), whole<int>(json.at(2))};
    key.piece = whole<int>(json.at(3));
    return key;
  });
}

template <class J>
Report report(const J& json) {
  return reading("report", [&] {
    Report out;
    out.step = whole<std::int64_t>(json.at("step"));
    for (const auto& [name, value] : json.at("metrics").items())
      out.metrics.push_back({std::string(name), number_from_json(value)});
    return out;
  });
}

template <class J>
Artifact artifact(const J& json) {
  return reading("artifact", [&] {
    return Artifact{json.at("role").template get<std::string>(), json.at("sha256").template get<std::string>(),
                    whole<std::int64_t>(json.at("bytes")), whole<std::int64_t>(json.at("step"))};
  });
}

template <class J>
WeightStart weight_start(const J& json) {
  return reading("start", [&] {
    WeightStart start;
    for (const auto& item : list_of(json.at("tensors"))) start.tensors.push_back(tensor_start(item));
    for (const auto& note : list_of(json.at("notes"))) start.notes.push_back(note.template get<std::string>());
    return start;
  });
}

template <class J>
SharedStart shared_start(const J& json) {
  return reading("shared", [&] {
    const Member member{TrialId(whole<std::int64_t>(json.at(0))), whole<int>(json.at(1)), whole<int>(json.at(2))};
    return SharedStart{member, whole<std::int64_t>(json.at(3))};
  });
}

template <class J>
PieceResult piece_result(const J& json) {
  return reading("result", [&] {
    PieceResult r;
    r.key = piece_key(json.at("piece"));
    r.attempt = whole<int>(json.at("attempt"));
    r.outcome = outcome(json.at("outcome").template get<std::string>());
    r.cause = cause(json.value("cause", std::string("none")));
    r.message = json.value("message", std::string());
    r.log_tail = json.value("log_tail", std::string());
    r.seconds = json.value("seconds", 0.0);
    r.peak_rss = whole_or(json, "peak_rss", 0);
    r.repeated = whole_or(json, "repeated", 0);
    r.parked_at = json.value("parked_at", std::string());
    for (const auto& item : list_or_none(json, "reports")) r.reports.push_back(report(item));
    for (const auto& item : list_or_none(json, "artifacts")) r.artifacts.push_back(artifact(item));
    if (json.contains("start")) r.start = weight_start(json.at("start"));
    if (json.contains("shared")) r.shared = shared_start(json.at("shared"));
    return r;
  });
}

template double number_from_json(const Json& json);
template PieceKey piece_key(const Json& json);
template Report report(const Json& json);
template Artifact artifact(const Json& json);
template WeightStart weight_start(const Json& json);
template SharedStart shared_start(const Json& json);
template PieceResult piece_result(const Json& json);
template double number_from_json(const JsonView& json);
template PieceKey piece_key(const JsonView& json);
template Report report(const JsonView& json);
template Artifact artifact(const JsonView& json);
template PieceResult piece_result(const JsonView& json);

}  // namespace dlrun::trial
