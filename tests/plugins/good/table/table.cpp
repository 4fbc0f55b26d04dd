// SPDX-License-Identifier: Apache-2.0
// A CSV file for each study, with what `dlrun report --trials --format csv` prints, and a file with their names.
#include <array>
#include <charconv>
#include <cmath>
#include <dlrun/plugin/exporter.hpp>
#include <fstream>
#include <stdexcept>

namespace {

using namespace dlrun::plugin;

std::string number(double value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  return std::string(text.data(), end);
}

std::string cell(const std::string& text) {
  if (text.find_first_of(",\"\n") == std::string::npos) return text;
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string cell(const std::optional<double>& value) { return value ? number(*value) : ""; }

std::string cell(const StudyValue& value) {
  if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
  if (const auto* real = std::get_if<double>(&value)) return number(*real);
  if (const auto* yes = std::get_if<bool>(&value)) return *yes ? "true" : "false";
  const auto* text = std::get_if<std::string>(&value);
  return text != nullptr ? cell(*text) : "";
}

StudyValue param(const StudyTrial& trial, const std::string& name) {
  for (const auto& [key, value] : trial.params) {
    if (key == name) return value;
  }
  return {};
}

class Table final : public Exporter {
 public:
  explicit Table(const Options& options) : with_failed_(options.boolean("failed")) {}

  void write(const Study& study, const std::filesystem::path& folder) override {
    std::ofstream file(folder / (study.name + ".csv"));
    file << head(study);
    for (const StudyTrial& trial : study.trials) {
      if (with_failed_ || trial.state != "failed") file << line(study, trial);
    }
    file.close();
    if (!file) throw std::runtime_error("cannot write " + study.name + ".csv");
    names_ += study.name + "\n";
  }

  void finish(const std::filesystem::path& folder) override { std::ofstream(folder / "studies.txt") << names_; }

 private:
  static std::string head(const Study& study) {
    std::string out = "trial,state,objective,epochs,seconds,attempts,cause";
    for (std::size_t i = 1; i < study.goals.size(); ++i) out += "," + cell(study.goals[i].metric);
    for (const StudyParameter& parameter : study.parameters) out += "," + cell(parameter.name);
    for (const std::string& metric : study.metrics) out += "," + cell(metric);
    return out + "\n";
  }

  static std::string line(const Study& study, const StudyTrial& trial) {
    std::string out = std::to_string(trial.number) + "," + trial.state + "," + cell(trial.objectives.at(0)) + "," +
                      std::to_string(trial.epochs) + "," + number(trial.seconds) + "," +
                      std::to_string(trial.attempts) + "," + trial.cause;
    for (std::size_t i = 1; i < trial.objectives.size(); ++i) out += "," + cell(trial.objectives[i]);
    for (const StudyParameter& parameter : study.parameters) out += "," + cell(param(trial, parameter.name));
    for (const auto& value : trial.metrics) out += "," + cell(value);
    return out + "\n";
  }

  bool with_failed_;
  std::string names_;
};

}  // namespace

DLRUN_EXPORTER(Table)
