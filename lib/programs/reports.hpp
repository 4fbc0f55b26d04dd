// SPDX-License-Identifier: Apache-2.0
// Messages of a program while it runs, collected: metrics, checkpoints, results.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "trial/trial.hpp"
#include "util/json.hpp"

namespace dlrun::programs {

/// A file the program can go on from.
struct Checkpoint {
  std::string path;  ///< as the program wrote it
  std::int64_t step = 0;
};

/// JSON lines on fd 3 and `::dlrun {…}` lines on stdout:
///   {"metric": "val_acc", "step": 3, "value": 0.93}     step left out: the step of the line before, or the first
///   {"checkpoint": "ck3.safetensors", "step": 3}
///   {"result": {"val_acc": 0.94}}                        values at the end
/// Unknown types are ignored with one warning each; "nan", "inf", "-inf" are values too, and so are
/// NaN, Infinity and -Infinity as Python writes them.
class Reports {
 public:
  struct Options {
    std::int64_t from_step = 0;
    std::int64_t to_step = 1;
    std::map<std::string, std::string> regexes;  ///< metric -> expression with one group, searched in stdout
  };
  /// @throws Error(usage) for an expression that is none.
  explicit Reports(const Options& options);

  void take_report_line(std::string_view line);
  /// A line of stdout: looked at for the prefix and the expressions.
  void take_output_line(std::string_view line);

  /// Steps in ascending order; the result's values are at the last step (to_step where none was reported).
  std::vector<trial::Report> reports() const;
  /// Steps completed since the last call: those before the newest one.
  std::vector<trial::Report> take_fresh();
  const std::optional<Checkpoint>& checkpoint() const { return checkpoint_; }
  /// The last step that was reported beyond to_step, where values do not count; 0: none.
  std::int64_t beyond() const { return beyond_; }
  /// Lines for the log about what was not understood.
  std::vector<std::string> take_warnings();

 private:
  void take(const Json& json);
  void add(const std::string& metric, std::int64_t step, double value);
  void warn(const std::string& text);

  Options options_;
  std::vector<std::pair<std::string, std::regex>> regexes_;
  std::map<std::int64_t, std::map<std::string, double>> steps_;
  std::map<std::string, std::int64_t> matched_;  ///< step of a metric's last match, which may be beyond to_step
  std::map<std::string, double> result_;
  std::optional<Checkpoint> checkpoint_;
  std::int64_t newest_ = 0;  ///< step the last line was about
  std::int64_t beyond_ = 0;
  std::int64_t told_ = 0;  ///< steps up to here were handed out as fresh
  std::set<std::string> warned_;
  std::vector<std::string> warnings_;
};

}  // namespace dlrun::programs
