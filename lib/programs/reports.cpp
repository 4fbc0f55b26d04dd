// SPDX-License-Identifier: Apache-2.0
#include "programs/reports.hpp"

#include <fmt/format.h>
#include <sys/wait.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>

#include "programs/subprocess.hpp"
#include "trial/json.hpp"
#include "util/error.hpp"
#include "util/whole.hpp"

namespace dlrun::programs {

namespace {

constexpr std::string_view kPrefix = "::dlrun ";
constexpr std::size_t kMaxWarnings = 20;
constexpr std::int64_t kNoStep = INT64_MIN;  ///< marks a line whose step is no whole number
constexpr std::size_t kMaxSearched = 4096;   ///< bytes that an expression looks at in one go: std::regex recurses

/// Python and JavaScript write numbers that JSON lacks as bare words: NaN, Infinity, -Infinity. Here they are texts.
std::string with_quoted_numbers(std::string_view line) {
  constexpr std::pair<std::string_view, std::string_view> kWords[] = {
      {"NaN", "\"nan\""}, {"-Infinity", "\"-inf\""}, {"Infinity", "\"inf\""}};
  std::string out;
  bool is_text = false;
  while (!line.empty()) {
    const auto word = std::find_if(std::begin(kWords), std::end(kWords),
                                   [&](const auto& w) { return !is_text && line.starts_with(w.first); });
    if (word != std::end(kWords)) {
      out += word->second;
      line.remove_prefix(word->first.size());
      continue;
    }
    const std::size_t bytes = is_text && line[0] == '\\' ? std::min<std::size_t>(2, line.size()) : 1;
    is_text ^= line[0] == '"';
    out += line.substr(0, bytes);
    line.remove_prefix(bytes);
  }
  return out;
}

constexpr const char* kNames = "a metric's name needs 1 to 100 bytes";
bool is_metric(const std::string& name) { return !name.empty() && name.size() <= 100; }

/// A whole number, which may be written as 3.0. @throws Error for anything else
std::int64_t whole_step(const Json& step) {
  constexpr double kMost = 9e15;  // up to here doubles have all whole numbers
  const double number = step.is_number() ? step.get<double>() : 0.5;
  if (std::trunc(number) == number && std::abs(number) <= kMost) return static_cast<std::int64_t>(number);
  throw Error(ErrorKind::usage, fmt::format("a step is a whole number, not '{}'", to_text(step)));
}

/// Text that a terminal would show of a line: progress bars begin it anew by a carriage return.
std::string_view shown_part(std::string_view line) {
  line = line.substr(0, line.find_last_not_of('\r') + 1);
  return line.substr(line.rfind('\r') + 1);
}

/// Part of a line that an expression searches.
struct Part {
  std::string_view text;
  std::size_t begin = 0;
  std::string_view bytes() const { return text.substr(begin, kMaxSearched); }
};

struct Found {
  std::string number;
  std::size_t match = 0, begin = 0, end = 0;  ///< places in the text: of the match, and of the number
};

std::optional<Found> search(const Part& part, const std::regex& expression) {
  const std::string_view bytes = part.bytes();
  const auto flags = part.begin == 0 ? std::regex_constants::match_default : std::regex_constants::match_prev_avail;
  std::cmatch match;
  const bool is_found = std::regex_search(bytes.data(), bytes.data() + bytes.size(), match, expression, flags);
  if (!is_found || match.size() < 2) return std::nullopt;
  const std::size_t number = part.begin + std::size_t(match.position(1));
  return Found{match[1].str(), part.begin + std::size_t(match.position(0)), number,
               number + std::size_t(match.length(1))};
}

/// The number that an expression finds in the first or the last kMaxSearched bytes of a line. One that goes on behind
/// the first ones is searched again with what follows.
/// @param is_cut  so is the line, at its end
std::optional<std::string> number_in(std::string_view text, const std::regex& expression, bool is_cut) {
  const std::size_t size = text.size();
  const std::size_t last = size - std::min(size, kMaxSearched);
  auto found = search({text}, expression);
  if (found && found->end == kMaxSearched && last > 0)
    found = search({text, std::max(found->match, found->begin - std::min(found->begin, kMaxSearched / 2))}, expression);
  if (!found && last > 0) found = search({text, last}, expression);
  const bool is_whole = found && !(is_cut && found->end == size);
  return is_whole ? std::optional(found->number) : std::nullopt;
}

}  // namespace

Reports::Reports(const Options& options)
    : options_(options), newest_(options.begin), begin_(options.begin), fresh_(options.known) {
  for (const auto& [metric, expression] : options.regexes) {
    try {
      regexes_.emplace_back(metric, std::regex(expression, std::regex::ECMAScript | std::regex::optimize));
    } catch (const std::regex_error& fault) {
      throw Error(ErrorKind::usage, fmt::format("metrics_regex '{}' of '{}': {}", expression, metric, fault.what()));
    }
  }
}

void Reports::warn(const std::string& text) {
  if (warned_.size() < kMaxWarnings && warned_.insert(text).second) warnings_.push_back("dlrun: " + text);
}

std::vector<std::string> Reports::take_warnings() { return std::exchange(warnings_, {}); }

void Reports::take_report_line(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  try {
    note_line(parse_json(with_quoted_numbers(line), "a report line"));
  } catch (const Error& fault) {
    warn(fault.what());
  } catch (const Json::exception& fault) {
    warn(std::string("a report line has a member of a wrong type: ") + fault.what());
  }
}

/// The first match of one metric in each line is the next step of it.
void Reports::take_output_line(std::string_view line) {
  if (line.starts_with(kPrefix)) return take_report_line(line.substr(kPrefix.size()));
  for (const auto& [metric, expression] : regexes_) {
    const auto text = number_in(shown_part(line), expression, line.size() >= LineCutter::kLimit);
    if (!text) continue;
    double value = 0;
    const auto [end, fault] = std::from_chars(text->data(), text->data() + text->size(), value);
    if (fault != std::errc() || end != text->data() + text->size()) {
      warn(fmt::format("metrics_regex of '{}' matched '{}', which is no number", metric, *text));
      continue;
    }
    const auto newest = newest_of_.find(metric);
    const std::int64_t step = std::max(newest == newest_of_.end() ? 0 : newest->second, begin_) + 1;
    of_last_line_ = std::max(of_last_line_.value_or(step), step);
    add_value(metric, step, value);
  }
}

void Reports::note_line(const Json& json) {
  if (!json.is_object()) return warn("a report line is no JSON object");
  if (json.contains("metric")) {
    of_last_line_ = step_of(json, begin_ + 1);
    add_value(json.at("metric").get<std::string>(), *of_last_line_, trial::number_from_json(json.at("value")));
  } else if (json.contains("checkpoint")) {
    add_checkpoint({json.at("checkpoint").get<std::string>(), step_of(json, begin_)});
  } else if (json.contains("examples")) {
    add_examples({json.at("examples").get<std::string>(), step_of(json, begin_)});
  } else if (json.contains("result")) {
    note_result(json["result"]);
  } else if (!note_client_line(json)) {
    warn("a report line has none of 'metric', 'checkpoint', 'examples', 'result'");
  }
}

/// Step that a line is about: its own, else that of the line before. @param first  if there was none
std::int64_t Reports::step_of(const Json& line, std::int64_t first) {
  if (line.contains("step")) {
    of_last_line_ = kNoStep;
    of_last_line_ = whole_step(line["step"]);
  }
  if (of_last_line_ == kNoStep)
    throw Error(ErrorKind::usage, "a line without a step comes behind one whose step is none");
  return of_last_line_.value_or(first);
}

void Reports::note_result(const Json& result) {
  if (!result.is_object()) return warn("'result' needs an object of metrics, as {\"val_acc\": 0.94}");
  for (const auto& [name, value] : result.items()) {
    if (is_metric(name)) result_[name] = trial::number_from_json(value);
    if (!is_metric(name)) warn(kNames);
  }
}

bool Reports::note_client_line(const Json& json) {
  if (json.contains("client")) return client_.is_there = true;
  if (json.contains("waits")) {
    client_.waits = whole<std::int64_t>(json["waits"]);
  } else if (json.contains("done")) {
    client_.done = W_EXITCODE(whole<int>(json["done"]), static_cast<int>(whole_or(json, "signal", 0)));
    client_.peak_rss = whole_or(json, "peak_kb", 0) * 1024;
  } else if (json.contains("fault")) {
    client_.fault = json["fault"].get<std::string>();
    client_.is_oom = json.value("oom", false);
  } else {
    return false;
  }
  return true;
}

/// A file that is named again holds the new step.
void Reports::add_checkpoint(const Checkpoint& checkpoint) {
  const auto is_same = [&](const Checkpoint& other) { return other.path == checkpoint.path; };
  if (std::erase_if(checkpoints_, is_same) > 0)
    warn(
        fmt::format("the checkpoint '{}' is written again: a file that changes while the program runs on may be of no "
                    "use; give each step's a name of its own",
                    checkpoint.path));
  checkpoints_.push_back(checkpoint);
  checkpoint_steps_.insert(checkpoint.step);
}

void Reports::add_examples(const Checkpoint& examples) {
  std::erase_if(examples_, [&](const auto& other) {  // a client names the file again that no report followed
    return other.first > examples.step && other.second.file.path == examples.path;
  });
  if (examples.step <= options_.known) return;
  if (examples.step > options_.last)
    return warn(
        fmt::format("results of examples have step {}, but the trial ends with step {}", examples.step, options_.last));
  examples_[examples.step] = {examples};
}

void Reports::add_value(const std::string& metric, std::int64_t step, double value) {
  if (!is_metric(metric)) return warn(kNames);
  if (step <= options_.begin)
    return warn(fmt::format("metric '{}' has step {}, but {} {}", metric, step,
                            options_.begin == 0 ? "steps count from" : "the program goes on with step",
                            options_.begin + 1));
  std::int64_t& newest = newest_of_[metric];
  newest = std::max(newest, step);
  if (step > options_.last) {
    if (std::exchange(beyond_, std::max(beyond_, step)) > 0) return;
    return warn(
        fmt::format("metric '{}' has step {}, but the trial ends with step {}: `epochs` says how many there are",
                    metric, step, options_.last));
  }
  newest_ = std::max(newest_, step);
  if (step <= options_.known) {
    repeated_.insert(step);
    return;
  }
  Value& known = steps_[step][metric];
  if (known.is_told)
    return warn(
        fmt::format("metric '{}' of step {} has a value that counts already: this one came too late", metric, step));
  known = {value};
  unnoted_ = std::min(unnoted_, step);
}

bool Reports::awaits_checkpoint(std::int64_t step) const {
  const auto has_one = [&](std::int64_t of) { return checkpoint_steps_.contains(of); };
  if (newest_ > step || has_one(step) || step - 1 <= options_.begin) return false;
  for (std::int64_t before = options_.begin + 1; before < step; ++before) {
    if (!has_one(before)) return false;
  }
  return true;
}

bool Reports::has_reached(std::int64_t step) const {
  const auto has_value = [&](const std::string& metric) {
    const auto newest = newest_of_.find(metric);
    return newest != newest_of_.end() && newest->second >= step;
  };
  if (options_.needed.empty() || (!client_.is_there && awaits_checkpoint(step))) return false;
  return std::all_of(options_.needed.begin(), options_.needed.end(), has_value);
}

std::vector<trial::Report> Reports::of_piece(std::int64_t from, std::int64_t to) {
  std::vector<trial::Report> out;
  for (auto& [step, values] : steps_) {
    if (step > to) break;
    trial::Report report{step, {}};
    for (auto& [name, value] : values) {
      if (step > from || !value.is_told) report.metrics.push_back({name, value.value});
      value.is_told = true;
    }
    if (!report.metrics.empty()) out.push_back(std::move(report));
  }
  return out;
}

std::int64_t Reports::take_repeated() { return std::int64_t(std::exchange(repeated_, {}).size()); }

void Reports::go_back(std::int64_t step) {
  const auto is_told = [](const auto& value) { return value.second.is_told; };
  for (const auto& [told, values] : steps_) {
    if (std::any_of(values.begin(), values.end(), is_told)) options_.known = std::max(options_.known, told);
  }
  for (auto& [metric, newest] : newest_of_) newest = std::min(newest, step);
  newest_ = std::min(newest_, step);
  fresh_ = std::min(fresh_, step);
  begin_ = step;
  of_last_line_.reset();
}

void Reports::put_results(std::int64_t from, std::int64_t to) {
  const bool has_reported = newest_ > options_.begin;
  if (has_reported && newest_ <= from) return;
  const std::int64_t step = has_reported ? std::min(newest_, to) : to;
  for (const auto& [name, value] : result_) steps_[step][name] = {value};
  if (!result_.empty()) newest_ = std::max(newest_, step);
}

std::vector<trial::Report> Reports::take_fresh(std::int64_t to) {
  std::vector<trial::Report> out;
  for (auto it = steps_.upper_bound(fresh_); it != steps_.end() && it->first < newest_ && it->first <= to; ++it) {
    out.push_back({it->first, {}});
    for (const auto& [name, value] : it->second) out.back().metrics.push_back({name, value.value});
    fresh_ = it->first;
  }
  return out;
}

void Reports::begin_notes() {
  unnoted_ = 0;
  for (auto& [step, values] : steps_) {
    for (auto& [name, value] : values) value.is_noted = false;
  }
  for (auto& [step, examples] : examples_) examples.is_noted = false;
}

std::vector<Checkpoint> Reports::take_unnoted_examples() {
  std::vector<Checkpoint> out;
  for (auto& [step, examples] : examples_) {
    if (!std::exchange(examples.is_noted, true)) out.push_back(examples.file);
  }
  return out;
}

std::vector<trial::Report> Reports::take_unnoted() {
  std::vector<trial::Report> out;
  for (auto it = steps_.lower_bound(unnoted_); it != steps_.end(); ++it) {
    trial::Report report{it->first, {}};
    for (auto& [name, value] : it->second) {
      if (!value.is_told && !value.is_noted) report.metrics.push_back({name, value.value});
      value.is_noted = true;
    }
    if (!report.metrics.empty()) out.push_back(std::move(report));
    unnoted_ = it->first;
  }
  return out;
}

std::optional<Checkpoint> Reports::checkpoint(std::int64_t to) const {
  std::optional<Checkpoint> newest;
  for (const Checkpoint& one : checkpoints_) {
    if (one.step <= to) newest = one;
  }
  return newest;
}

std::optional<Checkpoint> Reports::take_examples(std::int64_t to) {
  const auto end = examples_.upper_bound(to);
  if (end == examples_.begin()) return std::nullopt;
  Checkpoint newest = std::prev(end)->second.file;
  examples_.erase(examples_.begin(), end);
  return newest;
}

std::vector<Checkpoint> Reports::stamp_files(const std::function<std::string(const std::string& path)>& stamp_of) {
  std::vector<Checkpoint> stamped;
  for (Checkpoint& checkpoint : checkpoints_) {
    if (checkpoint.stamp) continue;
    checkpoint.stamp = stamp_of(checkpoint.path);
    stamped.push_back(checkpoint);
  }
  for (auto& [step, examples] : examples_) {
    if (!examples.file.stamp) examples.file.stamp = stamp_of(examples.file.path);
  }
  return stamped;
}

double Reports::last_value(const std::string& metric) const {
  for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) {
    const auto value = step->second.find(metric);
    if (value != step->second.end()) return value->second.value;
  }
  return 0;
}

std::set<std::string> Reports::names() const {
  std::set<std::string> names;
  for (const auto& [name, step] : newest_of_) names.insert(name);
  for (const auto& [name, value] : result_) names.insert(name);
  return names;
}

}  // namespace dlrun::programs
