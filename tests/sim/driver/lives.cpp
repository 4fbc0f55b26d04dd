// SPDX-License-Identifier: Apache-2.0
#include "lives.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "disk.hpp"
#include "driver/decisions.hpp"
#include "driver/loop.hpp"
#include "report/report.hpp"
#include "seen_by_driver.hpp"
#include "storage/lock.hpp"
#include "storage/paths.hpp"
#include "util/error.hpp"

namespace dlrun::driver_sim {

namespace {

constexpr int kMostLives = 60;

class SimSignals final : public driver::Signals {
 public:
  int count() const override { return count_; }
  void raise() { ++count_; }

 private:
  int count_ = 0;
};

class SimDisplay final : public driver::Display {
 public:
  void progress(const driver::Progress& p) override {
    if (!trace) return;
    trace(fmt::format(
        "         {} of {} trials done, {} failed, {} pruned, {} paused, {} cancelled, {} run; {} workers; {} "
        "epochs, {} before; best {} of {}; {:.3f} s",
        p.trials_done, p.trials_limit.value_or(-1), p.trials_failed, p.trials_pruned, p.trials_paused,
        p.trials_cancelled, p.running, p.workers, p.epochs, p.epochs_before, p.best.value_or(0), p.best_trial,
        p.seconds));
    for (const driver::RunningPiece& piece : p.pieces)
      trace(fmt::format("           {}: {} epochs, {}", trial::describe(piece.member), piece.epochs,
                        fmt::join(piece.curve, " ")));
  }
  void line(const std::string& text) override {
    if (trace) trace("         " + text);
  }
};

/// All lives of one study.
class Lives {
 public:
  Lives(const Scenario& scenario, const std::filesystem::path& folder)
      : scenario_(scenario),
        folder_(folder),
        random_(scenario.seed, {"driver_sim", "lives"}),
        disk_(fate_),
        machines_(scenario_, timeline_) {
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "study.yaml") << scenario.study;
    std::ofstream rows(folder / "rows.csv");
    for (int row = 0; row < 40; ++row) rows << row % 7 << ',' << row % 3 << (row % 2 == 0 ? ",oak\n" : ",elm\n");
    rows.close();
    spec_ = read();
    options_.store = folder / "store";
    options_.listen.emplace();
  }

  Outcome play() {
    while (!is_finished_ && lives_ < kMostLives && faults_.empty()) live();
    if (!is_finished_ && faults_.empty()) faults_.push_back("the study does not end");
    Outcome out{.faults = std::move(faults_), .counts = std::move(machines_.counts())};
    out.faults.insert(out.faults.end(), machines_.faults().begin(), machines_.faults().end());
    out.counts["disk failed"] = disk_.failures();
    if (!out.faults.empty()) return out;
    let_live();
    const driver::Recomputed again = driver::recompute_decisions(options_.store, spec_.name);
    if (!again.fault.empty()) out.faults.push_back("decisions computed again: " + again.fault);
    std::ostringstream logical;
    report::export_logically(options_.store, {spec_.name}, logical);
    out.logical = logical.str();
    return out;
  }

 private:
  spec::StudySpec read() const {
    return spec::read({.file = folder_ / "study.yaml", .ablation = spec::Ablation::allowed});
  }

  void live() {
    ++lives_;
    const bool is_doomed = lives_ <= scenario_.weather.lives;
    let_live();
    if (lives_ == 2 && !scenario_.steering.amended.empty()) amend();
    fate_.begin(is_doomed ? std::int64_t(random_.below(std::uint64_t(scenario_.weather.calls))) : -1);
    disk_.fail_with(has_peace() ? 0 : scenario_.weather.disk);
    try {
      drive();
    } catch (const DriverDied&) {
      ++machines_.counts()["driver died"];
    } catch (const Error& fault) {
      if (fault.kind() != ErrorKind::outside) throw;
      ++machines_.counts()["given up"];
    }
    machines_.end();
    if (!fate_.is_dead() || random_.uniform() >= scenario_.weather.power) return;
    disk_.lose_power(random_);
    ++machines_.counts()["power lost"];
  }

  /// Nothing of the last driver's end is left.
  void let_live() {
    fate_.begin(-1);
    disk_.fail_with(0);
  }

  void amend() {
    std::ofstream(folder_ / "study.yaml") << scenario_.steering.amended;
    spec_ = read();
    options_.amend = storage::Store::find(options_.store, spec_.name).has_value();
    ++machines_.counts()["amended"];
  }

  /// Enough has happened to it: this driver may end the study.
  bool has_peace() const { return lives_ > scenario_.weather.lives + 5; }

  void drive() {
    const SimClock clock(timeline_, fate_);
    SimExecutor executor(machines_, timeline_, fate_);
    SimSignals signals;
    SimDisplay display;
    driver::Opened opened = driver::open_study(spec_, options_.store, options_, clock);
    bool is_over = opened.study->is_finished();
    if (!is_over) {
      plan_people(signals);
      executor.start(scenario_.weather.workers - scenario_.weather.joined);
      driver::Loop loop(opened.spec, options_, opened, {clock, executor, signals, display});
      is_over = tell(loop.run()).finished;
    }
    check_acknowledged(opened);
    opened.store->close();
    is_finished_ = is_over;
  }

  static const driver::Summary& tell(const driver::Summary& s) {
    if (trace) {
      trace(fmt::format("         {}{}{}: {}; {} completed, {} pruned, {} failed, {} cancelled; best {} of {}",
                        s.finished ? "finished" : "to be resumed", s.interrupted ? ", interrupted" : "",
                        s.out_of_time ? ", out of time" : "", s.reason, s.completed, s.pruned, s.failed, s.cancelled,
                        s.best.value_or(0), s.best_trial));
    }
    return s;
  }

  void plan_people(SimSignals& signals) {
    const Weather& w = scenario_.weather;
    const auto chance = [&](double probability) { return random_.uniform() < probability; };
    const auto at = [&] { return seconds(2 * random_.uniform()); };
    const int life = lives_;
    if (has_peace()) return;
    if (chance(w.interrupt)) {
      timeline_.plan(at(), [this, &signals, life] {
        if (life == lives_ && !fate_.is_dead()) signals.raise(), ++machines_.counts()["interrupted"];
      });
    }
    if (chance(w.revoke)) {
      timeline_.plan(at(), [this, life] {
        if (life != lives_ || fate_.is_dead()) return;
        storage::WriterLock::revoke(storage::study_file(options_.store, spec_.name, ".lock"));
        ++machines_.counts()["taken over"];
      });
    }
    for (const Request& request : scenario_.steering.requests) plan(request, signals);
    if (chance(w.stop)) plan_words(at(), {{"command", "stop"}});
    const std::int64_t trial = std::int64_t(random_.below(8));
    if (chance(scenario_.steering.commands)) plan_words(at(), {{"command", "cancel"}, {"trial", trial}});
    if (chance(scenario_.steering.commands)) plan_words(at(), {{"command", "retry"}, {"trial", trial}});
    if (chance(scenario_.steering.commands)) plan_words(at(), {{"command", "enqueue"}, {"values", {{"n", 1 + trial}}}});
    if (chance(w.remarks)) plan_words(at(), {{"command", "status"}});
    if (chance(w.remarks)) plan_words(at(), {{"command", "note"}, {"text", "seen"}});
  }

  void plan(const Request& request, SimSignals& signals) {
    if (request.life != lives_) return;
    if (request.text == "lose files") return plan_loss(seconds(request.after));
    if (request.text != "interrupt") return plan_words(seconds(request.after), Json::parse(request.text));
    timeline_.plan(seconds(request.after), [this, &signals, life = lives_] {
      if (life == lives_) signals.raise();
    });
  }

  void plan_loss(Duration after) {
    timeline_.plan(after, [this] { std::filesystem::remove_all(options_.store / "artifacts"); });
  }

  void plan_words(Duration after, const Json& request) {
    timeline_.plan(after, [this, request, life = lives_] {
      if (life != lives_) return;
      ++machines_.counts()[request.value("command", "unknown")];
      machines_.say(executor::ControlAsked{1, request});
    });
  }

  /// Whatever was acknowledged is in the log.
  void check_acknowledged(driver::Opened& opened) {
    std::set<AttemptKey> logged;
    opened.store->replay([&](const storage::LogRow& row) {
      const auto* event = std::get_if<study::Event>(&row);
      const auto* ended = event ? std::get_if<study::PieceEnded>(event) : nullptr;
      if (event) machines_.counts()["copied"] += std::holds_alternative<study::AttemptCopied>(*event);
      const auto* tested = event ? std::get_if<study::TestMeasured>(event) : nullptr;
      if (ended) logged.insert({ended->result.key, ended->result.attempt});
      if (tested) logged.insert({tested->result.key, tested->result.attempt});
    });
    for (const AttemptKey& attempt : machines_.acknowledged()) {
      if (logged.contains(attempt)) continue;
      faults_.push_back(fmt::format("attempt {} of piece {} of {} was acknowledged, but is not in the log",
                                    attempt.attempt, attempt.piece.piece, trial::describe(attempt.piece.member)));
    }
  }

  const Scenario& scenario_;
  std::filesystem::path folder_;
  RandomStream random_;
  Timeline timeline_;
  Fate fate_;
  Disk disk_;
  Machines machines_;
  spec::StudySpec spec_;
  driver::Options options_;
  int lives_ = 0;
  bool is_finished_ = false;
  std::vector<std::string> faults_;
};

std::string first_difference(const std::string& a, const std::string& b) {
  std::istringstream first(a), second(b);
  std::string x, y;
  for (int line = 1;; ++line) {
    const bool has_x = bool(std::getline(first, x)), has_y = bool(std::getline(second, y));
    if (has_x && has_y && x == y) continue;
    return fmt::format("the exports part at line {}:\n  undisturbed: {}\n  disturbed:   {}", line, has_x ? x : "(end)",
                       has_y ? y : "(end)");
  }
}

}  // namespace

Outcome play(const Scenario& scenario, const std::filesystem::path& folder) { return Lives(scenario, folder).play(); }

std::vector<std::string> check(const Scenario& s, const std::filesystem::path& folder, Counts& counts) {
  try {
    Outcome found = play(s, folder / "disturbed");
    for (const auto& [what, count] : found.counts) counts[what] += count;
    if (s.steering.is_any()) return found.faults;
    const Scenario calm = undisturbed(s);
    const Outcome expected = play(calm, folder / "calm");
    for (const auto& fault : expected.faults) found.faults.push_back("undisturbed: " + fault);
    if (found.faults.empty() && expected.logical != found.logical)
      found.faults.push_back(first_difference(expected.logical, found.logical));
    if (trace) trace(fmt::format("undisturbed:\n{}disturbed:\n{}", expected.logical, found.logical));
    return found.faults;
  } catch (const std::exception& fault) {
    return {fmt::format("it ends with an exception: {}", fault.what())};
  }
}

}  // namespace dlrun::driver_sim
