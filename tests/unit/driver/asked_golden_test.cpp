// SPDX-License-Identifier: Apache-2.0
// Calls of `dlrun ask` and `dlrun tell`, one after another, with all they answer, against tests/golden/asked.txt.
// DLRUN_APPROVE=1 writes the file anew.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <limits>
#include <sstream>

#include "around.hpp"
#include "driver/asked_study.hpp"
#include "support/catch.hpp"
#include "support/golden.hpp"
#include "util/error.hpp"

namespace asked_golden_test {

using namespace dlrun;
using namespace dlrun::driver;

namespace {

/// "0" or "0.r1.f2".
trial::Member member_of(const std::string& word) {
  trial::Member member;
  std::istringstream words(word);
  char separator = 0, kind = 0;
  words >> member.trial.value;
  for (int number = 0; words >> separator >> kind >> number;) (kind == 'r' ? member.replicate : member.fold) = number;
  return member;
}

/// "value=0.5", "value=nan"
trial::Metric metric_of(const std::string& word) {
  const std::size_t at = word.find('=');
  return {word.substr(0, at), std::strtod(word.c_str() + at + 1, nullptr)};
}

/// "tell MEMBER [at STEP] [METRIC=VALUE ...] [failed WHY]"
Tell tell_of(std::istringstream& words) {
  Tell tell;
  std::string word;
  words >> word;
  tell.member = member_of(word);
  while (words >> word) {
    if (word == "at") {
      words >> tell.step.emplace();
    } else if (word == "failed") {
      words >> tell.failure.emplace();
    } else {
      tell.metrics.push_back(metric_of(word));
    }
  }
  return tell;
}

std::string text_of(const Asked& asked) {
  if (asked.piece) {
    const study::StartPiece& p = *asked.piece;
    return fmt::format("{}, piece {}, attempt {}, steps {} to {}: {}", trial::describe(p.key.member), p.key.piece,
                       p.attempt, p.from_step + 1, p.to_step, to_text(asked.params));
  }
  std::string text = asked.reason.empty() ? "awaits" : "over: " + asked.reason;
  for (const trial::PieceKey& key : asked.awaited)
    text += fmt::format(" {}.{}", trial::describe(key.member), key.piece);
  return text;
}

std::string text_of(const Heard& heard) {
  const study::TrialView& t = heard.trial;
  return fmt::format("{}{} {} at {} of {} steps ({}){}", heard.is_known ? "known: " : "", trial::to_string(t.state),
                     t.objective ? fmt::format("{}", *t.objective) : "none", t.objective_step, t.steps,
                     trial::to_string(t.cause),
                     heard.missing.empty() ? "" : fmt::format(", lacks {}", fmt::join(heard.missing, ", ")));
}

/// Answers to calls about one study, a line each.
class Calls {
 public:
  explicit Calls(const std::string& study) : spec_(support::spec_from(study)) { options_.store = folder_ / "store"; }

  std::string answer(const std::string& call) {
    try {
      return "  " + call + " -> " + obey(call) + "\n";
    } catch (const Error& fault) {
      std::string text = fmt::format("  {} -> {}: {} ({})\n", call, int(fault.kind()), fault.what(), fault.hint());
      support::replace_all(text, folder_.path(), "FOLDER");
      return text;
    }
  }

 private:
  std::string obey(const std::string& call) {
    std::istringstream words(call);
    std::string verb;
    words >> verb;
    if (verb == "tell") return text_of(tell(spec_, options_, lines_, tell_of(words)));
    std::optional<trial::TrialId> only;
    if (std::int64_t trial = 0; words >> trial) only = trial::TrialId(trial);
    return text_of(ask(spec_, options_, lines_, only));
  }

  support::TempFolder folder_{support::in_memory()};
  spec::StudySpec spec_;
  Options options_;
  support::Lines lines_;
};

struct Session {
  const char* sections;  ///< of the study
  std::vector<const char*> calls;
};

const std::vector<Session>& sessions() {
  static const std::vector<Session> all{
      {"search: {sampler: random, lanes: 2}\nlimits: {trials: 3}\ntrial: {kind: asked}\n",
       {"tell 0 value=1",
        "ask 0",
        "ask",
        "ask 0",
        "ask 7",
        "tell 1 value=1",
        "ask",
        "ask",
        "tell 2 value=1",
        "tell 0 other=3",
        "tell 0 at 2 value=1",
        "tell 0 at 0 value=1",
        "tell 0 value=0.5",
        "tell 0 value=0.5",
        "tell 0 value=0.75",
        "tell 0 failed late",
        "ask 0",
        "ask",
        "tell 1 failed why",
        "tell 1 failed why",
        "tell 1 value=2",
        "ask",
        "tell 2 value=nan",
        "tell 2 value=nan",
        "ask",
        "ask 2"}},
      {"search: {sampler: random, lanes: 3, pruner: {op: asha, eta: 2}}\nlimits: {trials: 5}\n"
       "trial: {kind: asked, epochs: 4}\n",
       {"ask",
        "ask",
        "ask",
        "tell 0 at 1 value=3",
        "tell 1 at 1 value=2",
        "tell 2 at 1 value=1",
        "ask",
        "ask",
        "ask",
        "ask",
        "tell 1 at 1 value=2",
        "tell 2 at 1 value=4",
        "tell 2 at 3 value=1",
        "tell 2 at 2 value=1",
        "ask",
        "ask",
        "tell 3 value=0.1",
        "tell 4 value=0.2",
        "ask",
        "ask",
        "tell 2 value=0.3",
        "tell 3 at 2 value=0.1",
        "ask",
        "ask"}},
      {"search: {sampler: tpe, order: arrival, lanes: 1}\nlimits: {trials: 4}\ntrial: {kind: asked, epochs: 2}\n",
       {"ask", "ask", "ask", "tell 1 at 1 value=5", "tell 1 at 2 value=4", "tell 0 value=3", "ask", "ask",
        "tell 2 value=1", "tell 3 at 1 value=nan", "ask"}},
      {"search: {sampler: random, lanes: 2}\nlimits: {trials: 2}\ntrial: {kind: asked, replicates: 2}\n",
       {"ask", "ask", "ask", "tell 0 value=1", "tell 0.r1 value=3", "tell 0.r2 value=3", "tell 0.f1 value=3",
        "tell 1.r1 value=5", "tell 1 failed broken", "ask", "ask 1"}},
      {"objective: [{metric: value, direction: minimize}, {metric: cost, direction: maximize, reference: 0}]\n"
       "feasible: [{metric: size, max: 10}]\n"
       "search: {sampler: nsga2, lanes: 1}\nlimits: {trials: 2}\ntrial: {kind: asked}\n",
       {"ask", "tell 0 value=1", "tell 0 cost=2", "tell 0 size=30", "tell 0 size=30 other=1", "ask",
        "tell 1 value=1 cost=inf size=3", "ask"}},
      {"trial: {kind: function, function: {op: sphere}}\n", {"ask", "tell 0 value=1"}},
  };
  return all;
}

std::string all_answers() {
  std::string text;
  for (const Session& session : sessions()) {
    std::string study =
        "study: s\nseed: 4\nspace: {x: {type: float, low: 0, high: 1}}\n" + std::string(session.sections);
    if (study.find("objective") == std::string::npos) study += "objective: {metric: value, direction: minimize}\n";
    text += study;
    Calls calls(study);
    for (const char* call : session.calls) text += calls.answer(call);
  }
  return text;
}

}  // namespace

TEST_CASE("studies of people who ask and tell answer as they did", "[driver][golden]") {
  const std::string text = all_answers();
  CHECK(text == support::golden(DLRUN_SOURCE_DIR "/tests/golden/asked.txt", text));
}

}  // namespace asked_golden_test
