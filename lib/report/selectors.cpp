// SPDX-License-Identifier: Apache-2.0
#include "report/selectors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <string_view>

#include "report/trials.hpp"
#include "storage/store.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::report {

namespace {

constexpr std::int64_t kMostOfRange = 100'000;

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, fault] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_number = fault == std::errc() && end == text.data() + text.size() && value >= 0;
  return is_number ? std::optional(value) : std::nullopt;
}

[[noreturn]] void refuse(const std::string& word) {
  throw Error(ErrorKind::usage, fmt::format("'{}' is no trial", word),
              "write a number (of the study started last), STUDY/17, last, best, or a range such as 3-7");
}

[[noreturn]] void no_trial(const std::string& study, std::int64_t trial, std::int64_t count) {
  const std::string hint = count == 0 ? "it has no trials yet" : fmt::format("its trials are 0 to {}", count - 1);
  throw Error(ErrorKind::not_found, fmt::format("study '{}' has no trial {}", study, trial), hint);
}

std::int64_t require_best(const std::filesystem::path& store, const std::string& study) {
  const std::optional<std::int64_t> best = best_trial(store, study);
  if (!best) throw Error(ErrorKind::not_found, fmt::format("study '{}' has no best trial yet", study));
  return *best;
}

std::int64_t require_last(const std::filesystem::path& store, const std::string& study) {
  const std::optional<std::int64_t> last = last_trial(store, study);
  if (!last) no_trial(study, 0, 0);
  return *last;
}

void add_range(const TrialRange& range, const std::string& study, std::int64_t count, std::set<std::int64_t>& numbers) {
  if (range.past > count) no_trial(study, std::max(range.first, count), count);
  for (std::int64_t n = range.first; n < range.past; ++n) numbers.insert(n);
}

}  // namespace

TrialRange parse_trials(const std::string& word) {
  TrialRange range;
  const std::size_t slash = word.rfind('/');
  std::string_view rest = word;
  if (slash != std::string::npos) {
    range.study = word.substr(0, slash);
    rest.remove_prefix(slash + 1);
    if (range.study.empty()) refuse(word);
  }
  range.is_last = rest == "last";
  range.is_best = rest == "best";
  if (range.is_last || range.is_best) return range;
  const std::size_t dash = rest.find('-');
  const auto first = number(rest.substr(0, dash));
  const auto last = dash == std::string_view::npos ? first : number(rest.substr(dash + 1));
  if (!first || !last || *last < *first || *last - *first >= kMostOfRange) refuse(word);
  range.first = *first;
  range.past = *last + 1;
  return range;
}

Trials find_trials(const std::filesystem::path& store, const std::vector<std::string>& words) {
  Trials found;
  std::set<std::int64_t> numbers;
  std::int64_t count = 0;
  for (const std::string& word : words) {
    const TrialRange range = parse_trials(word);
    const std::string study = find_study(store, range.study);
    if (found.study.empty()) count = trial_count(store, study);
    if (!found.study.empty() && study != found.study) {
      throw Error(ErrorKind::usage, fmt::format("trials of two studies, '{}' and '{}'", found.study, study),
                  "name those of one study at a time");
    }
    found.study = study;
    if (range.is_best) {
      numbers.insert(require_best(store, study));
    } else if (range.is_last) {
      numbers.insert(require_last(store, study));
    } else {
      add_range(range, study, count, numbers);
    }
  }
  found.numbers.assign(numbers.begin(), numbers.end());
  return found;
}

namespace {

/// @throws Error(not_found) there is none.
std::vector<std::string> all_studies(const std::filesystem::path& store) {
  std::vector<std::string> known = storage::Store::names(store);
  if (!known.empty()) return known;
  throw Error(ErrorKind::not_found, fmt::format("there is no study in '{}'", store.string()),
              "`dlrun tune study.yaml` begins one; --store DIR names another store");
}

}  // namespace

std::string find_study(const std::filesystem::path& store, const std::string& name) {
  const std::vector<std::string> known = all_studies(store);
  if (std::find(known.begin(), known.end(), name) != known.end()) return name;
  if (name.empty() || name == "last") return storage::Store::last(store).value_or(known.front());
  const std::string nearest = nearest_name(name, known);
  throw Error(ErrorKind::not_found, fmt::format("there is no study '{}' in '{}'", name, store.string()),
              nearest.empty() ? "`dlrun studies` lists them" : fmt::format("did you mean '{}'?", nearest));
}

std::vector<std::string> find_studies(const std::filesystem::path& store, const std::vector<std::string>& words) {
  if (words.empty()) return {find_study(store, "")};
  if (words.size() == 1 && words[0] == "all") return all_studies(store);
  std::vector<std::string> studies;
  for (const std::string& word : words) {
    const std::string study = find_study(store, word);
    if (std::find(studies.begin(), studies.end(), study) == studies.end()) studies.push_back(study);
  }
  return studies;
}

OneTrial find_trial(const std::filesystem::path& store, const std::string& word) {
  const std::vector<std::string> names = storage::Store::names(store);
  if (!number(word) && std::find(names.begin(), names.end(), word) != names.end()) {
    throw Error(ErrorKind::usage, fmt::format("'{}' is a study, not a trial", word),
                fmt::format("write {0}/0, or see `dlrun status {0}`", word));
  }
  const Trials trials = find_trials(store, {word});
  if (trials.numbers.size() != 1) {
    throw Error(ErrorKind::usage, fmt::format("'{}' names {} trials, one is meant", word, trials.numbers.size()));
  }
  return {trials.study, trials.numbers[0]};
}

OneTrial find_winner(const std::filesystem::path& store, const std::string& word) {
  const bool is_trial = word.find('/') != std::string::npos || number(word) || word == "best" || word == "last";
  if (is_trial) return find_trial(store, word);
  const std::string study = find_study(store, word);
  return {study, require_best(store, study)};
}

Target find_target(const std::filesystem::path& store, const std::string& word) {
  if (word.find('/') == std::string::npos && !number(word)) return {find_study(store, word), std::nullopt};
  const OneTrial trial = find_trial(store, word);
  return {trial.study, trial.number};
}

}  // namespace dlrun::report
