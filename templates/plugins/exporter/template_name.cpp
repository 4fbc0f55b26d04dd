// SPDX-License-Identifier: Apache-2.0
// Writes STUDY.md: a table with a line for each trial. dlrun/plugin/exporter.hpp has the contract.
#include <dlrun/plugin/exporter.hpp>
#include <fstream>
#include <iomanip>
#include <sstream>
#include <stdexcept>

namespace plugin = dlrun::plugin;

namespace {

class TemplateName final : public plugin::Exporter {
 public:
  /// The values of its settings, checked and with defaults.
  explicit TemplateName(const plugin::Options& options) : digits_(static_cast<int>(options.integer("digits"))) {}

  void write(const plugin::Study& study, const std::filesystem::path& folder) override {
    std::ofstream file(folder / (study.name + ".md"));  // a study's name is a file name
    file << "# " << study.name << "\n\n| trial | state |";
    for (const plugin::StudyGoal& goal : study.goals) file << " " << cell(goal.metric) << " |";
    for (const plugin::StudyParameter& parameter : study.parameters) file << " " << cell(parameter.name) << " |";
    file << "\n|";
    for (std::size_t i = 0; i < 2 + study.goals.size() + study.parameters.size(); ++i) file << " --- |";
    file << "\n";
    for (const plugin::StudyTrial& trial : study.trials) file << line(study, trial) << "\n";
    file.close();
    if (!file) throw std::runtime_error("cannot write " + study.name + ".md");  // dlrun says so and keeps nothing
  }

 private:
  std::string line(const plugin::Study& study, const plugin::StudyTrial& trial) const {
    std::string out = "| " + std::to_string(trial.number) + " | " + trial.state + " |";
    for (const auto& value : trial.objectives) out += " " + (value ? number(*value) : "") + " |";
    for (const plugin::StudyParameter& parameter : study.parameters) out += " " + text(trial, parameter.name) + " |";
    return out;
  }

  /// A parameter that is not active has no value.
  std::string text(const plugin::StudyTrial& trial, const std::string& name) const {
    for (const auto& [key, value] : trial.params) {
      if (key != name) continue;
      if (const auto* real = std::get_if<double>(&value)) return number(*real);
      if (const auto* whole = std::get_if<std::int64_t>(&value)) return std::to_string(*whole);
      if (const auto* yes = std::get_if<bool>(&value)) return *yes ? "true" : "false";
      if (const auto* word = std::get_if<std::string>(&value)) return cell(*word);
    }
    return "";
  }

  std::string number(double value) const {
    std::ostringstream out;
    out << std::setprecision(digits_) << value;
    return out.str();
  }

  /// Text of a person, which may have what ends a cell.
  static std::string cell(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '|' ? std::string("\\|") : std::string(1, c == '\n' ? ' ' : c);
    return out;
  }

  int digits_;
};

}  // namespace

DLRUN_EXPORTER(TemplateName)
