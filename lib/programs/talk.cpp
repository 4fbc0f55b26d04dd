// SPDX-License-Identifier: Apache-2.0
#include "programs/talk.hpp"

#include <array>

#include "trial/json.hpp"
#include "util/error.hpp"

namespace dlrun::programs {

namespace {

constexpr std::string_view kPrintedMarks = "oew";  ///< by Stream: stdout, stderr, a remark of ours

Json to_json(const RunPiece& piece) { return {{"from", piece.from}, {"to", piece.to}, {"folder", piece.folder}}; }
RunPiece run_piece(const Json& json) { return {json.at("from"), json.at("to"), json.at("folder")}; }
Json to_json(const EndProgram& end) { return {{"grace", end.grace}, {"is_freed", end.is_freed}}; }

Json list_of(const std::vector<trial::Report>& reports) {
  Json list = Json::array();
  for (const trial::Report& report : reports) list.push_back(trial::to_json(report));
  return list;
}

std::vector<trial::Report> reports_of(const Json& list) {
  std::vector<trial::Report> out;
  for (const Json& report : list) out.push_back(trial::report(report));
  return out;
}

Json to_json(const Checkpoint& file) { return {{"path", file.path}, {"step", file.step}}; }

std::optional<Checkpoint> file_in(const Json& json, const char* key) {
  const auto file = json.find(key);
  if (file == json.end()) return std::nullopt;
  return Checkpoint{file->at("path"), file->at("step")};
}

Json to_json(const PieceOver& over) {
  Json json{{"parked", over.is_parked},  {"fault", int(over.fault)}, {"status", over.status},
            {"names", over.names},       {"beyond", over.beyond},    {"newest", over.newest},
            {"repeated", over.repeated}, {"peak", over.peak_rss},    {"held", over.held},
            {"socket", over.socket},     {"message", over.message},  {"reports", list_of(over.reports)},
            {"oom", over.is_oom},        {"free", over.is_free},     {"client", over.has_client}};
  if (over.checkpoint) json["checkpoint"] = to_json(*over.checkpoint);
  if (over.examples) json["examples"] = to_json(*over.examples);
  return json;
}

Json to_json(const Lent& lent) {
  return {{"is_lent", lent.is_lent},
          {"step", lent.step},
          {"objective", trial::number_to_json(lent.objective)},
          {"held", lent.held}};
}

Lent lent_of(const Json& json) {
  return {json.at("is_lent"), json.at("step"), trial::number_from_json(json.at("objective")), json.at("held")};
}

PieceOver piece_over(const Json& json) {
  PieceOver over;
  over.is_parked = json.at("parked");
  over.fault = StartFault(json.at("fault").get<int>());
  over.status = json.at("status");
  over.names = json.at("names").get<std::set<std::string>>();
  over.beyond = json.at("beyond");
  over.newest = json.at("newest");
  over.repeated = json.at("repeated");
  over.peak_rss = json.at("peak");
  over.held = json.at("held");
  over.socket = json.at("socket");
  over.message = json.at("message");
  over.is_oom = json.at("oom");
  over.is_free = json.at("free");
  over.has_client = json.at("client");
  over.reports = reports_of(json.at("reports"));
  over.checkpoint = file_in(json, "checkpoint");
  over.examples = file_in(json, "examples");
  return over;
}

Json to_json(const Reports::Options& options) {
  return {{"begin", options.begin},
          {"known", options.known},
          {"last", options.last},
          {"regexes", options.regexes},
          {"needed", options.needed}};
}

Reports::Options reports_options(const Json& json) {
  return {json.at("begin"), json.at("known"), json.at("last"), json.at("regexes"), json.at("needed")};
}

Json to_json(const NextTrial& next) {
  return {{"facts", next.facts}, {"files", next.files}, {"reports", to_json(next.reports)}};
}

NextTrial next_trial(const Json& json) {
  return {json.at("facts"), json.at("files"), reports_options(json.at("reports"))};
}

void add_texts(std::string& bytes, const std::vector<std::string>& texts) {
  bytes += std::to_string(texts.size()) + '\0';
  for (const std::string& text : texts) bytes += text + '\0';
}

/// Reads texts that end with a NUL, one after another.
class Texts {
 public:
  explicit Texts(std::string_view bytes) : bytes_(bytes) {}
  std::string next() {
    const std::size_t end = bytes_.find('\0');
    if (end == std::string_view::npos) throw Error(ErrorKind::internal, "a keeper's start is cut off");
    std::string text(bytes_.substr(0, end));
    bytes_.remove_prefix(end + 1);
    return text;
  }
  std::vector<std::string> list() {
    std::vector<std::string> texts;
    for (auto left = std::stoull(next()); left > 0; --left) texts.push_back(next());
    return texts;
  }

 private:
  std::string_view bytes_;
};

}  // namespace

std::string to_line(const Request& request) {
  constexpr std::array kNames{"piece", "end", "next"};  // by the alternatives of Request
  return to_text({{kNames[request.index()], std::visit([](const auto& one) { return to_json(one); }, request)}});
}

Request request_of(const std::string& line) {
  const Json json = parse_json(line, "a request");
  if (json.contains("piece")) return run_piece(json["piece"]);
  if (json.contains("next")) return next_trial(json["next"]);
  return EndProgram{json.at("end").at("grace"), json.at("end").at("is_freed")};
}

std::string to_line(const Answer& answer) {
  if (const auto* printed = std::get_if<Printed>(&answer))
    return kPrintedMarks[std::size_t(printed->stream)] + printed->line;
  if (const auto* measured = std::get_if<Measured>(&answer)) return to_text({{"measured", list_of(measured->reports)}});
  if (const auto* lent = std::get_if<Lent>(&answer)) return to_text({{"lent", to_json(*lent)}});
  if (std::holds_alternative<Alive>(answer)) return R"({"alive":{}})";
  if (std::holds_alternative<Free>(answer)) return R"({"free":{}})";
  if (std::holds_alternative<Gone>(answer)) return R"({"gone":{}})";
  return to_text({{"over", to_json(std::get<PieceOver>(answer))}});
}

Answer answer_of(const std::string& line) {
  const std::size_t mark = line.empty() ? std::string::npos : kPrintedMarks.find(line[0]);
  if (mark != std::string::npos) return Printed{static_cast<Stream>(mark), line.substr(1)};
  const Json json = parse_json(line, "an answer");
  if (json.contains("measured")) return Measured{reports_of(json["measured"])};
  if (json.contains("lent")) return lent_of(json["lent"]);
  if (json.contains("alive")) return Alive{};
  if (json.contains("free")) return Free{};
  if (json.contains("gone")) return Gone{};
  return piece_over(json.at("over"));
}

std::string to_bytes(const Start& start) {
  std::string bytes;
  add_texts(bytes, start.launch.arguments);
  add_texts(bytes, start.launch.environment);
  add_texts(bytes, {start.launch.folder, start.files, to_text(to_json(start.reports)), start.facts});
  add_texts(bytes, {start.is_reusable ? "reusable" : "", start.launch.hands_on_sigterm ? "hands on SIGTERM" : ""});
  return bytes;
}

Start start_of(const std::string& bytes) {
  Texts texts(bytes);
  Start start;
  start.launch.arguments = texts.list();
  start.launch.environment = texts.list();
  const std::vector<std::string> rest = texts.list();
  start.launch.folder = rest.at(0);
  start.files = rest.at(1);
  start.reports = reports_options(parse_json(rest.at(2), "a keeper's start"));
  start.facts = rest.at(3);
  const std::vector<std::string> flags = texts.list();
  start.is_reusable = !flags.at(0).empty();
  start.launch.hands_on_sigterm = !flags.at(1).empty();
  return start;
}

}  // namespace dlrun::programs
