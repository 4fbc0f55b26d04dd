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

/// A file of one step: one that the program can go on from, or results of examples.
struct Checkpoint {
  std::string path;  ///< as the program wrote it
  std::int64_t step = 0;
  std::optional<std::string> stamp = {};  ///< the file when it was reported: one that is written again has another
};

/// State of a program with dlrun's client for Python, as the client says it.
struct Client {
  bool is_there = false;              ///< the program waits at the end of its pieces by itself
  std::optional<std::int64_t> waits;  ///< behind this step it waits for a line about the next piece
  std::optional<int> done;            ///< the trial is over with this status of wait(), and the interpreter lives on
  std::int64_t peak_rss = 0;          ///< bytes that the trial's own process held; 0: the interpreter is its process
  std::string fault;                  ///< exception that ended the trial; empty: none
  bool is_oom = false;                ///< no memory was found
};

/// JSON lines on fd 3 and `::dlrun {…}` lines on stdout:
///   {"metric": "val_acc", "step": 3, "value": 0.93}     step left out: that of the line before, counted or not, or the
///                                                       first
///   {"checkpoint": "ck3.safetensors", "step": 3}
///   {"examples": "e3.csv", "step": 3}                   results of single examples: count_examples()
///   {"result": {"val_acc": 0.94}}                        values at the end
/// and those of a Client: {"client": 1}, {"waits": step}, {"fault": "ValueError: …", "oom": false}, {"done": 0}; of a
/// trial with a process of its own {"done": 0, "signal": 11, "peak_kb": 9000}.
/// Unknown types are ignored with one warning each; "nan", "inf", "-inf" are values too, and so are
/// NaN, Infinity and -Infinity as Python writes them.
///
/// A program reports over all pieces of its trial; each piece gets the values of its own steps.
class Reports {
 public:
  struct Options {
    std::int64_t begin = 0;  ///< steps that the program does not do again; its first is the next
    std::int64_t known = 0;  ///< steps whose values are recorded: those of the program do not count
    std::int64_t last = 1;   ///< steps of the trial
    std::map<std::string, std::string> regexes = {};  ///< metric -> expression with one group, searched in stdout
    std::vector<std::string> needed = {};             ///< metrics without which no step is over
  };
  /// @throws Error(usage) for an expression that is none.
  explicit Reports(const Options& options);

  /// A line of the report descriptor.
  void take_report_line(std::string_view line);
  /// A line of stdout: looked at for the prefix and the expressions.
  void take_output_line(std::string_view line);

  /// Does every needed metric have a value of this step or a later one? If the program has left a checkpoint of every
  /// step so far, that of this step is awaited too, or the next step; a client has said it before.
  bool has_reached(std::int64_t step) const;
  /// Values of a piece, the steps ascending: those of its steps, and those of earlier steps that came too late for the
  /// piece of theirs.
  std::vector<trial::Report> of_piece(std::int64_t from, std::int64_t to);
  /// The program is run again, from behind this step: matches and lines without a step count from there. Values of
  /// later steps are replaced, unless some piece has them.
  void go_back(std::int64_t step);
  /// Values at the end, as the program said them, become those of the last step of the piece that the program reported.
  /// If it has reported no step at all they are those of the piece's last step. A program that reported earlier steps
  /// alone has ended early, and its values are known.
  void put_results(std::int64_t from, std::int64_t to);
  /// Steps up to `to` that are complete since the last call: those before the newest one.
  std::vector<trial::Report> take_fresh(std::int64_t to);
  /// Values that no piece has and that no call has given since begin_notes(). REQUIRES: begin_notes() was called
  std::vector<trial::Report> take_unnoted();
  /// Likewise files with results of examples.
  std::vector<Checkpoint> take_unnoted_examples();
  /// From now on these give everything that no piece has.
  void begin_notes();
  /// Stamps files that have come since the last call. @return the checkpoints among them
  std::vector<Checkpoint> stamp_files(const std::function<std::string(const std::string& path)>& stamp_of);
  /// The newest checkpoint of a step up to `to`.
  std::optional<Checkpoint> checkpoint(std::int64_t to) const;
  /// Results of examples of the newest step up to `to` that no piece has; nullopt: none.
  std::optional<Checkpoint> take_examples(std::int64_t to);
  /// The newest value of a metric; 0: it has none.
  double last_value(const std::string& metric) const;
  /// Metrics with any value.
  std::set<std::string> names() const;
  /// The newest step of the trial that was reported.
  std::int64_t newest() const { return newest_; }
  /// The last step that was reported beyond the trial's, where values do not count; 0: none.
  std::int64_t beyond() const { return beyond_; }
  /// Steps that the program did again since the last call, though their values are recorded.
  std::int64_t take_repeated();
  const Client& client() const { return client_; }
  /// The client's question was answered.
  void answered() { client_.waits.reset(); }
  /// Lines for the log about what was not understood.
  std::vector<std::string> take_warnings();

 private:
  struct Value {
    double value = 0;
    bool is_told = false;   ///< some piece has it
    bool is_noted = false;  ///< see take_unnoted()
  };

  struct Examples {
    Checkpoint file;
    bool is_noted = false;  ///< see take_unnoted_examples()
  };

  bool awaits_checkpoint(std::int64_t step) const;
  void add_checkpoint(const Checkpoint& checkpoint);
  void add_examples(const Checkpoint& examples);
  void note_line(const Json& json);
  std::int64_t step_of(const Json& line, std::int64_t first);
  void note_result(const Json& result);
  bool note_client_line(const Json& json);
  void add_value(const std::string& metric, std::int64_t step, double value);
  void warn(const std::string& text);

  Options options_;
  Client client_;
  std::vector<std::pair<std::string, std::regex>> regexes_;
  std::map<std::int64_t, std::map<std::string, Value>> steps_;
  std::map<std::string, std::int64_t> newest_of_;  ///< by metric, steps that do not count among them
  std::map<std::string, double> result_;
  std::vector<Checkpoint> checkpoints_;
  std::map<std::int64_t, Examples> examples_;  ///< by step; those that a piece has are gone
  std::set<std::int64_t> checkpoint_steps_;    ///< steps that had one, also if its file has been written again
  std::int64_t newest_ = 0;                    ///< see newest()
  std::int64_t begin_ = 0;                     ///< step behind which this run of the program began
  std::optional<std::int64_t> of_last_line_;   ///< step that the last line was about, counted or not, or kNoStep
  std::int64_t beyond_ = 0;                    ///< see beyond()
  std::set<std::int64_t> repeated_;            ///< see take_repeated()
  std::int64_t fresh_ = 0;                     ///< steps up to here were handed out as fresh
  std::int64_t unnoted_ = 0;                   ///< steps before this one have nothing for take_unnoted()
  std::set<std::string> warned_;
  std::vector<std::string> warnings_;
};

}  // namespace dlrun::programs
