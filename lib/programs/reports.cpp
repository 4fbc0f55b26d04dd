// SPDX-License-Identifier: Apache-2.0
#include "programs/reports.hpp"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "trial/json.hpp"
#include "util/error.hpp"

namespace dlrun::programs {

namespace {

constexpr std::string_view kPrefix = "::dlrun ";
constexpr std::size_t kMaxWarnings = 20;
constexpr std::size_t kMaxSearched = 4096;  ///< bytes of a line that expressions look at: std::regex recurses

std::vector<trial::Metric> metrics_of(const std::map<std::string, double>& values) {
  std::vector<trial::Metric> out;
  for (const auto& [name, value] : values) out.push_back({name, value});
  return out;
}

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

}  // namespace

Reports::Reports(const Options& options) : options_(options) {
  newest_ = told_ = options.from_step;
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
    take(parse_json(with_quoted_numbers(line), "a report line"));
  } catch (const Error& fault) {
    warn(fault.what());
  } catch (const Json::exception& fault) {
    warn(std::string("a report line has a member of a wrong type: ") + fault.what());
  }
}

void Reports::take_output_line(std::string_view line) {
  if (line.starts_with(kPrefix)) return take_report_line(line.substr(kPrefix.size()));
  const std::string head(line.substr(0, kMaxSearched));
  for (const auto& [metric, expression] : regexes_) {
    std::smatch match;
    if (!std::regex_search(head, match, expression) || match.size() < 2) continue;
    const std::string text = match[1].str();
    double value = 0;
    const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (fault != std::errc() || end != text.data() + text.size()) {
      warn(fmt::format("metrics_regex of '{}' matched '{}', which is no number", metric, text));
      continue;
    }
    // Every match of one metric is the next step of it.
    const std::string& name = metric;  // clang 14 captures no structured binding
    const auto seen =
        std::count_if(steps_.begin(), steps_.end(), [&name](const auto& step) { return step.second.contains(name); });
    std::int64_t& step = matched_[metric];
    step = std::max(step, options_.from_step + seen) + 1;
    add(metric, step, value);
  }
}

void Reports::take(const Json& json) {
  if (!json.is_object()) return warn("a report line is no JSON object");
  if (json.contains("metric")) {
    add(json.at("metric").get<std::string>(), json.value("step", std::max(newest_, options_.from_step + 1)),
        trial::number_from_json(json.at("value")));
  } else if (json.contains("checkpoint")) {
    checkpoint_ = Checkpoint{json.at("checkpoint").get<std::string>(), json.value("step", newest_)};
  } else if (json.contains("result")) {
    for (const auto& [name, value] : json.at("result").items()) result_[name] = trial::number_from_json(value);
  } else {
    warn("a report line has none of 'metric', 'checkpoint', 'result'");
  }
}

void Reports::add(const std::string& metric, std::int64_t step, double value) {
  if (metric.empty() || metric.size() > 100) return warn("a metric's name needs 1 to 100 bytes");
  if (step <= options_.from_step)
    return warn("metric '" + metric + "' has step " + std::to_string(step) + ", but this piece begins after step " +
                std::to_string(options_.from_step));
  if (step > options_.to_step) {
    beyond_ = std::max(beyond_, step);
    return warn("metric '" + metric + "' has step " + std::to_string(step) + ", but this piece ends with step " +
                std::to_string(options_.to_step) + ": `epochs` of the trial says how many there are");
  }
  newest_ = std::max(newest_, step);
  steps_[step][metric] = value;
}

std::vector<trial::Report> Reports::reports() const {
  auto steps = steps_;
  const std::int64_t last = std::max(options_.to_step, steps.empty() ? 0 : steps.rbegin()->first);
  for (const auto& [name, value] : result_) steps[last][name] = value;
  std::vector<trial::Report> out;
  for (const auto& [step, values] : steps) out.push_back({step, metrics_of(values)});
  return out;
}

std::vector<trial::Report> Reports::take_fresh() {
  std::vector<trial::Report> out;
  for (auto it = steps_.upper_bound(told_); it != steps_.end() && it->first < newest_; ++it) {
    out.push_back({it->first, metrics_of(it->second)});
    told_ = it->first;
  }
  return out;
}

}  // namespace dlrun::programs
