// SPDX-License-Identifier: Apache-2.0
#include "storage/codec.hpp"

#include <array>

#include "trial/json.hpp"
#include "util/error.hpp"
#include "util/json_view.hpp"

namespace dlrun::storage {

namespace {

using study::DecisionKind;

constexpr std::array<std::string_view, 6> kDecisionKinds{"start", "go_on", "idle", "prune", "finish", "amend"};

template <class... Ts>
struct Overloaded : Ts... {
  using Ts::operator()...;
};
template <class... Ts>
Overloaded(Ts...) -> Overloaded<Ts...>;

bool has_piece(DecisionKind kind) {
  return kind == DecisionKind::start || kind == DecisionKind::go_on || kind == DecisionKind::prune;
}

DecisionKind decision_kind(const std::string& name) {
  for (std::size_t i = 0; i < kDecisionKinds.size(); ++i) {
    if (kDecisionKinds[i] == name) return static_cast<DecisionKind>(i);
  }
  throw Error(ErrorKind::store, "'" + name + "' is no kind of decision");
}

Json lost_to_json(const study::AttemptLost& e) {
  Json json = {{"piece", trial::to_json(e.key)}, {"attempt", e.attempt}, {"cause", trial::to_string(e.cause)}};
  if (!e.message.empty()) json["message"] = e.message;
  if (!e.log_tail.empty()) json["log_tail"] = e.log_tail;
  return json;
}

study::AttemptLost lost_from_json(const JsonView& json) {
  return {trial::piece_key(json.at("piece")), json.at("attempt").get<int>(),
          trial::cause(json.at("cause").get<std::string>()), json.value("message", std::string()),
          json.value("log_tail", std::string())};
}

space::Values values_from_json(const std::vector<JsonView>& list) {
  space::Values values;
  for (const JsonView& value : list) values.push_back(value_from_json(value));
  return values;
}

Json values_to_json(const space::Values& values) {
  Json json = Json::array();
  for (const space::Value& value : values) json.push_back(to_json(value));
  return json;
}

study::Decision decision_from_json(const JsonView& json) {
  study::Decision d;
  d.number = json.at("number").get<std::int64_t>();
  d.kind = decision_kind(json.at("kind").get<std::string>());
  d.lane = json.at("lane").get<int>();
  d.at = json.at("at").get<study::Tick>();
  d.end = json.value("end", study::Tick(0));
  if (const auto piece = json.find("piece")) d.key = trial::piece_key(*piece);
  d.from_step = json.value("from", std::int64_t(0));
  d.to_step = json.value("to", std::int64_t(0));
  d.values = values_from_json(json.list_or_none("values"));
  if (const auto donor = json.find("donor")) d.donor = trial::piece_key(*donor);
  d.lanes = json.value("lanes", 1);
  d.reason = json.value("reason", std::string());
  return d;
}

Json learned_to_json(const study::Learned& e) {
  Json trials = Json::array();
  for (const study::EarlierTrial& earlier : e.trials) {
    Json json = {{"trial", earlier.number}, {"steps", earlier.steps}};
    for (const space::Value& value : earlier.values) json["values"].push_back(to_json(value));
    for (const double objective : earlier.objectives) json["objectives"].push_back(trial::number_to_json(objective));
    if (!earlier.is_whole) json["whole"] = false;
    trials.push_back(std::move(json));
  }
  return {{"study", e.study}, {"hash", e.hash}, {"trials", std::move(trials)}, {"left_out", e.left_out}};
}

study::EarlierTrial earlier_trial(const JsonView& json) {
  study::EarlierTrial earlier;
  earlier.number = json.at("trial").get<std::int64_t>();
  earlier.steps = json.at("steps").get<std::int64_t>();
  earlier.is_whole = json.value("whole", true);
  earlier.values = values_from_json(json.at("values").list());
  for (const JsonView& value : json.list_or_none("objectives")) {
    earlier.objectives.push_back(trial::number_from_json(value));
  }
  return earlier;
}

study::Learned learned_from_json(const JsonView& json) {
  study::Learned e;
  e.study = json.at("study").get<std::string>();
  e.hash = json.at("hash").get<std::string>();
  for (const auto& [why, count] : json.at("left_out").items()) e.left_out[std::string(why)] = count.get<std::int64_t>();
  for (const JsonView& one : json.at("trials").list()) e.trials.push_back(earlier_trial(one));
  return e;
}

study::Amended amended_from_json(const JsonView& json) {
  study::Amended e;
  e.version = json.at("version").get<int>();
  e.hash = json.at("hash").get<std::string>();
  e.digest = json.at("digest").get<std::string>();
  for (const JsonView& change : json.at("changes").list()) e.changes.push_back(change.get<std::string>());
  for (const auto& [key, value] : json.at("defaults").items()) e.defaults[std::string(key)] = value.get<std::string>();
  return e;
}

study::Event event_from_json(LogKind kind, const JsonView& json) {
  const auto trial_of = [&] { return trial::TrialId(json.at("trial").get<std::int64_t>()); };
  switch (kind) {
    case LogKind::piece_ended: return study::PieceEnded{trial::piece_result(json)};
    case LogKind::attempt_lost: return lost_from_json(json);
    case LogKind::stop_asked: return study::StopAsked{json.at("reason").get<std::string>()};
    case LogKind::resumed: return study::Resumed{};
    case LogKind::cancel_asked: return study::CancelAsked{trial_of()};
    case LogKind::retry_asked: return study::RetryAsked{trial_of()};
    case LogKind::enqueue_asked: return study::EnqueueAsked{values_from_json(json.at("values").list())};
    case LogKind::test_measured: return study::TestMeasured{trial::piece_result(json)};
    case LogKind::learned: return learned_from_json(json);
    case LogKind::amended: return amended_from_json(json);
    case LogKind::attempt_copied:
      return study::AttemptCopied{trial::piece_key(json.at("piece")), json.at("attempt").get<int>()};
    case LogKind::lane_added: return study::LaneAdded{};
    default: throw Error(ErrorKind::store, std::to_string(int(kind)) + " is no kind of event");
  }
}

}  // namespace

const std::vector<std::pair<LogKind, std::string_view>>& log_kind_names() {
  static const std::vector<std::pair<LogKind, std::string_view>> names{
      {LogKind::decision, "decision"},         {LogKind::piece_ended, "piece_ended"},
      {LogKind::attempt_lost, "attempt_lost"}, {LogKind::stop_asked, "stop_asked"},
      {LogKind::resumed, "resumed"},           {LogKind::cancel_asked, "cancel_asked"},
      {LogKind::retry_asked, "retry_asked"},   {LogKind::test_measured, "test_measured"},
      {LogKind::learned, "learned"},           {LogKind::enqueue_asked, "enqueue_asked"},
      {LogKind::amended, "amended"},           {LogKind::attempt_copied, "attempt_copied"},
      {LogKind::lane_added, "lane_added"}};
  return names;
}

std::string_view to_string(DecisionKind kind) { return kDecisionKinds[static_cast<std::size_t>(kind)]; }

Json to_json(const space::Value& value) {
  return std::visit(Overloaded{[](std::monostate) { return Json(); }, [](std::int64_t v) { return Json(v); },
                               [](double v) { return trial::number_to_json(v); },
                               [](space::Choice v) { return Json::array({v.index}); }},
                    value);
}

space::Value value_from_json(const JsonView& json) {
  if (json.is_null()) return std::monostate();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_array()) return space::Choice{json.at(0).get<std::uint32_t>()};
  return trial::number_from_json(json);
}

Coded encode(const study::Event& event) {
  const auto of_trial = [](trial::TrialId id) { return Json{{"trial", id.value}}; };
  const Json json = std::visit(Overloaded{[](const study::PieceEnded& e) { return trial::to_json(e.result); },
                                          [](const study::AttemptLost& e) { return lost_to_json(e); },
                                          [](const study::StopAsked& e) {
                                            return Json{{"reason", e.reason}};
                                          },
                                          [](const study::Resumed&) { return Json::object(); },
                                          [&](const study::CancelAsked& e) { return of_trial(e.trial); },
                                          [&](const study::RetryAsked& e) { return of_trial(e.trial); },
                                          [](const study::TestMeasured& e) { return trial::to_json(e.result); },
                                          [](const study::Learned& e) { return learned_to_json(e); },
                                          [](const study::EnqueueAsked& e) {
                                            return Json{{"values", values_to_json(e.values)}};
                                          },
                                          [](const study::Amended& e) {
                                            return Json{{"version", e.version},
                                                        {"hash", e.hash},
                                                        {"digest", e.digest},
                                                        {"changes", e.changes},
                                                        {"defaults", e.defaults}};
                                          },
                                          [](const study::AttemptCopied& e) {
                                            return Json{{"piece", trial::to_json(e.key)}, {"attempt", e.attempt}};
                                          },
                                          [](const study::LaneAdded&) { return Json::object(); }},
                               event);
  return {static_cast<LogKind>(event.index() + 1), to_text(json)};
}

Coded encode(const study::Decision& d) {
  Json json = {{"number", d.number}, {"kind", to_string(d.kind)}, {"lane", d.lane}, {"at", d.at}};
  if (d.end != 0) json["end"] = d.end;
  if (has_piece(d.kind)) json["piece"] = trial::to_json(d.key);
  if (d.from_step != 0) json["from"] = d.from_step;
  if (d.to_step != 0) json["to"] = d.to_step;
  if (d.donor) json["donor"] = trial::to_json(*d.donor);
  if (d.lanes != 1) json["lanes"] = d.lanes;
  if (!d.reason.empty()) json["reason"] = d.reason;
  if (!d.values.empty()) json["values"] = values_to_json(d.values);
  return {LogKind::decision, to_text(json)};
}

LogRow decode(LogKind kind, std::string_view body) {
  try {
    const JsonView json = read_json(body);
    if (kind == LogKind::decision) return decision_from_json(json);
    return event_from_json(kind, json);
  } catch (const JsonFault& fault) {
    throw Error(ErrorKind::store, std::string("malformed row of the log: ") + fault.what());
  } catch (const Error& fault) {
    throw Error(ErrorKind::store, fault.what());
  }
}

}  // namespace dlrun::storage
