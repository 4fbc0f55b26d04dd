// SPDX-License-Identifier: Apache-2.0
// Interface of a plugin that writes studies in the format of another tool: `dlrun export --to NAME [-o DIR] STUDY…`.
//
//   class Table : public dlrun::plugin::Exporter {
//    public:
//     explicit Table(const dlrun::plugin::Options&) {}
//     void write(const dlrun::plugin::Study& study, const std::filesystem::path& folder) override;
//   };
//   DLRUN_EXPORTER(Table)
//
// The plugin runs in a process of its own, beside dlrun, in one thread. It writes into a folder that takes its final
// name when everything is written: after an exception, a crash, or no answer within the deadline (60 s for each study,
// or DLRUN_PLUGIN_DEADLINE) the folder is removed, and dlrun ends with exit code 75 and the plugin's name. The study
// itself is never changed. Texts on standard output and error go to dlrun's standard error.
//
// Files should be a pure function of the study and of the options, so that two exports of a finished study are equal.
// Every text is valid UTF-8 without NUL. Names of studies are file names: letters, digits, '.', '_' and '-'. Names of
// parameters and metrics, and values, are whatever a person wrote, so they belong into files and not into paths.
#pragma once
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "dlrun/plugin/options.hpp"

namespace dlrun::plugin {

/// A parameter's value. monostate: none. A choice that is a list or a map is its JSON as text.
using StudyValue = std::variant<std::monostate, bool, std::int64_t, double, std::string>;

/// A metric that the search made as low or as high as it could.
struct StudyGoal {
  std::string metric;
  bool maximize = false;
};

struct StudyParameter {
  std::string name;
  std::string place;                ///< where it stands in a trial: "optimizer.lr"
  std::string type;                 ///< float | int | categorical | ordinal | constant
  double low = 0, high = 0;         ///< bounds of float and int
  std::vector<StudyValue> choices;  ///< values of the other types
};

/// A value that a trial measured. May be NaN or infinite.
struct StudyPoint {
  std::size_t metric = 0;  ///< index in Study::metrics
  int replicate = 0, fold = 0;
  std::int64_t epoch = 0;  ///< 1 is the first
  double value = 0;
  std::int64_t time = 0;  ///< milliseconds since 1970
};

struct StudyTrial {
  std::int64_t number = 0;
  std::string state;  ///< waiting | running | paused | completed | pruned | failed | cancelled
  std::vector<std::optional<double>> objectives;           ///< one for each goal, as measured; empty: none (yet)
  std::vector<std::pair<std::string, StudyValue>> params;  ///< the active parameters
  std::vector<std::optional<double>> metrics;  ///< by Study::metrics: the last value, a mean over replicates and folds
  std::vector<StudyPoint> points;              ///< all values, by replicate, fold, epoch, metric
  std::int64_t epochs = 0;
  std::int64_t attempts = 0;
  double seconds = 0;                             ///< time of computing
  std::string cause, message;                     ///< words about a failure
  std::optional<std::int64_t> started, finished;  ///< milliseconds since 1970
};

struct Study {
  std::string name;
  bool is_finished = false;      ///< false: these are its results so far
  std::int64_t created = 0;      ///< milliseconds since 1970
  std::vector<StudyGoal> goals;  ///< the first one first
  std::vector<StudyParameter> parameters;
  std::vector<std::string> metrics;  ///< names of all metrics, sorted
  std::vector<StudyTrial> trials;    ///< by number
};

class Exporter {
 public:
  virtual ~Exporter() = default;
  /// Writes a study; called for one after the other. At least one file must be there at the end.
  /// @param folder  absolute, there, the same for all studies; it holds a file `.dlrun-export`, which must stay
  /// @throws any std::exception whose text says why it cannot be written
  virtual void write(const Study& study, const std::filesystem::path& folder) = 0;
  /// Called after the last study: for a file about all of them.
  virtual void finish(const std::filesystem::path& /*folder*/) {}
};

}  // namespace dlrun::plugin

/// Makes `Class`, which has a constructor that takes a `const dlrun::plugin::Options&`, the exporter of this plugin.
#define DLRUN_EXPORTER(Class)                                                                       \
  extern "C" __attribute__((visibility("default"))) dlrun::plugin::Exporter* dlrun_plugin_exporter( \
      const dlrun::plugin::Options& options) {                                                      \
    return new Class(options);                                                                      \
  }
