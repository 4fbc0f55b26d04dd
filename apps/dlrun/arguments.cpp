// SPDX-License-Identifier: Apache-2.0
#include "arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <charconv>
#include <cstdlib>

#include "help.hpp"
#include "storage/paths.hpp"
#include "util/edit_distance.hpp"
#include "util/error.hpp"

namespace dlrun::cli {

namespace po = boost::program_options;

namespace {

constexpr const char* kWords = "words";  // no option has this name: options with it are refused before

po::options_description describe(const std::vector<Option>& options) {
  po::options_description description;
  for (const Option& option : options) {
    const std::string name = option.letter ? fmt::format("{},{}", option.name, option.letter) : option.name;
    if (option.value.empty()) {
      description.add_options()(name.c_str(), po::bool_switch(), "");
    } else {
      description.add_options()(name.c_str(), po::value<std::vector<std::string>>()->composing(), "");
    }
  }
  description.add_options()(kWords, po::value<std::vector<std::string>>(), "");
  return description;
}

[[noreturn]] void unknown_option(const Verb& verb, const std::string& given) {
  std::vector<std::string> known;
  for (const Option& option : all_options(verb)) known.push_back("--" + option.name);
  const std::string nearest = nearest_name(given, known);
  const std::string see = fmt::format("`dlrun {} --help` lists its options", verb.name);
  throw Error(ErrorKind::usage, fmt::format("'{}' has no option '{}'", verb.name, given),
              nearest.empty() ? see : fmt::format("did you mean '{}'? {}", nearest, see));
}

std::string dashed(const Verb& verb, const std::string& name) {
  for (const Option& option : all_options(verb)) {
    if (option.name == name || "--" + option.name == name) {
      return option.value.empty() ? "--" + option.name : fmt::format("--{} {}", option.name, option.value);
    }
  }
  return name;
}

std::string usual_store() {
  const char* variable = std::getenv("DLRUN_STORE");
  return variable == nullptr || *variable == '\0' ? "dlrun-store" : variable;
}

po::variables_map parse_words(const Verb& verb, const std::vector<std::string>& words) {
  namespace style = po::command_line_style;
  const auto description = describe(all_options(verb));
  po::positional_options_description positional;
  positional.add(kWords, -1);
  po::variables_map map;
  try {
    po::command_line_parser parser(words);
    parser.options(description).positional(positional);
    parser.style(style::unix_style & ~style::allow_guessing);
    po::store(parser.run(), map);
  } catch (const po::unknown_option& fault) {
    unknown_option(verb, fault.get_option_name());
  } catch (const po::invalid_command_line_syntax& fault) {
    const bool extra = fault.kind() == po::invalid_syntax::extra_parameter;
    throw Error(ErrorKind::usage, fmt::format("option '{}' {}", dashed(verb, fault.get_option_name()),
                                              extra ? "takes no value" : "needs a value"));
  } catch (const po::multiple_occurrences& fault) {
    throw Error(ErrorKind::usage, fmt::format("option '{}' was given twice", dashed(verb, fault.get_option_name())));
  } catch (const po::error& fault) {
    throw Error(ErrorKind::usage, fault.what(), fmt::format("`dlrun {} --help` says what it takes", verb.name));
  }
  return map;
}

void check_choices(const std::string& what, const std::vector<std::string>& choices, const std::string& value) {
  if (choices.empty() || std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  const std::string nearest = nearest_name(value, choices);
  throw Error(ErrorKind::usage, fmt::format("{} may be {}, not '{}'", what, fmt::join(choices, " | "), value),
              nearest.empty() ? "" : fmt::format("did you mean '{}'?", nearest));
}

void check_count(const Verb& verb, const std::vector<std::string>& words) {
  std::size_t least = 0, most = 0;
  bool endless = false;
  for (const Argument& argument : verb.arguments) {
    least += std::size_t(argument.least);
    most += std::size_t(std::max(0, argument.most));
    endless = endless || argument.most < 0;
  }
  const std::string usage = "usage: " + usage_line(verb);
  if (words.size() < least) {
    const Argument& missing = verb.arguments[std::min(words.size(), verb.arguments.size() - 1)];
    throw Error(ErrorKind::usage, fmt::format("'{}' needs {}", verb.name, missing.name), usage);
  }
  if (!endless && words.size() > most) {
    throw Error(ErrorKind::usage, fmt::format("'{}' does not take '{}'", verb.name, words[most]), usage);
  }
}

}  // namespace

Arguments Arguments::parse(const Verb& verb, const std::vector<std::string>& words) {
  const po::variables_map map = parse_words(verb, words);
  Arguments parsed;
  parsed.line_ = fmt::format("dlrun {} {}", verb.name, fmt::join(words, " "));
  for (const Option& option : all_options(verb)) {
    if (!map.count(option.name)) continue;
    if (option.value.empty()) {
      if (map[option.name].as<bool>()) parsed.values_[option.name] = {};
      continue;
    }
    const auto& values = map[option.name].as<std::vector<std::string>>();
    for (const std::string& value : values) check_choices("--" + option.name, option.choices, value);
    if (values.size() > 1 && !option.repeats) {
      throw Error(ErrorKind::usage, fmt::format("option '--{}' was given {} times", option.name, values.size()));
    }
    parsed.values_[option.name] = values;
  }
  if (map.count(kWords)) parsed.words_ = map[kWords].as<std::vector<std::string>>();
  if (parsed.has("help")) return parsed;
  parsed.store_ = storage::resolved_store(parsed.text("store", usual_store())).string();
  check_count(verb, parsed.words_);
  for (std::size_t i = 0; i < std::min(parsed.words_.size(), verb.arguments.size()); ++i) {
    check_choices(verb.arguments[i].name, verb.arguments[i].choices, parsed.words_[i]);
  }
  return parsed;
}

std::string Arguments::text(const std::string& option, const std::string& fallback) const {
  const auto found = values_.find(option);
  return found == values_.end() || found->second.empty() ? fallback : found->second.back();
}

std::vector<std::string> Arguments::list(const std::string& option) const {
  const auto found = values_.find(option);
  return found == values_.end() ? std::vector<std::string>{} : found->second;
}

std::int64_t Arguments::number(const std::string& option, std::int64_t fallback, std::int64_t least) const {
  if (!has(option)) return fallback;
  const std::string value = text(option);
  std::int64_t number = 0;
  const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), number);
  if (fault != std::errc() || end != value.data() + value.size() || number < least) {
    throw Error(ErrorKind::usage,
                fmt::format("--{} needs a whole number of at least {}, not '{}'", option, least, value));
  }
  return number;
}

double Arguments::seconds(const std::string& option, double fallback) const {
  constexpr double kDay = 86400;
  return has(option) ? amount(option, "seconds", kDay) : fallback;
}

double Arguments::amount(const std::string& option, const std::string& unit, double most) const {
  const std::string value = text(option);
  double amount = 0;
  const auto [end, fault] = std::from_chars(value.data(), value.data() + value.size(), amount);
  if (fault != std::errc() || end != value.data() + value.size() || !(amount > 0 && amount <= most)) {
    throw Error(ErrorKind::usage,
                fmt::format("--{} needs {}, more than 0 and at most {:g}, not '{}'", option, unit, most, value));
  }
  return amount;
}

}  // namespace dlrun::cli
