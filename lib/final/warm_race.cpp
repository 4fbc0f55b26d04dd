// SPDX-License-Identifier: Apache-2.0
#include "final/warm_race.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "recipe/length.hpp"
#include "report/warm_race.hpp"
#include "spec/concise.hpp"
#include "spec/continued_schedule.hpp"
#include "trial/kinds.hpp"
#include "trial/trial_name.hpp"
#include "util/error.hpp"
#include "warmstart/race.hpp"

namespace dlrun::final {

namespace {

/// `final` as if the arm had won.
Json won_by(const std::string& arm, Json final, const warmstart::Race& race) {
  warmstart::Race over = race;
  over.chose = arm;
  final["warm_start"] = warmstart::decided(final["warm_start"], over);
  return final;
}

Json without_rivals(Json final) {
  final.erase("compare");
  return final;
}

std::string donor_text(const FinalRun& run) {
  return run.plan.donors.empty() ? "a trial of the search" : run.plan.donors.front().describe();
}

std::string reason_of(const std::string& arm, const FinalRun& run) {
  if (arm == "none") return "fresh weights, with which every other arm is compared";
  if (arm == "resume") return fmt::format("{} goes on exactly where it stopped", donor_text(run));
  if (arm == "shrink_perturb")
    return fmt::format("{}, shrunk: such weights start slowly and may end higher", donor_text(run));
  if (arm == warmstart::kFinish) return fmt::format("{} goes on, the rest of its schedule", donor_text(run));
  return warmstart::takes_donors(arm) ? "begins with " + donor_text(run) : "fresh weights, changed";
}

/// Arms in the order in which the plan would take them. `resume` trains least and equals never having stopped; weights
/// that are shrunk are the ones that end higher where weights of the search hold a training back.
std::vector<std::string> usual_arms(bool is_program) {
  return is_program ? std::vector<std::string>{"best"} : std::vector<std::string>{"resume", "best", "shrink_perturb"};
}

class RacePlanner {
 public:
  RacePlanner(const std::filesystem::path& store, const FinalWish& wish)
      : store_(store), wish_(wish), race_(warmstart::race_of(wish.final.at("warm_start")).value()) {
    out_.name = warm_race_name(wish.name);
    race_.study = out_.name;
  }

  WarmRace plan() {
    add_arm("none");
    if (race_.arms.empty()) {
      choose();
    } else {
      for (const std::string& arm : race_.arms) {
        if (arm != "none") add_arm(arm);
      }
    }
    const FinalRun& fresh = out_.arms.front().whole;
    out_.plan = fresh.plan;
    out_.epochs = race_.arm_epochs(fresh.plan.epochs);
    out_.seeds = race_.seeds;
    require_shorter();
    out_.study = study(fresh.study);
    race_.trained = out_.most_epochs();  // as if none dropped out
    if (wish_.final.value("compare", Json()).is_array()) out_.compared = planned(won_by("none", wish_.final, race_));
    return std::move(out_);
  }

 private:
  bool has(const std::string& arm) const {
    return std::any_of(out_.arms.begin(), out_.arms.end(), [&](const WarmArm& one) { return one.name == arm; });
  }

  FinalRun planned(const Json& final) const { return plan_final(store_, wish_.study, final, wish_.name); }

  /// @throws Error(usage) where it cannot be.
  void add_arm(const std::string& arm) {
    FinalRun whole = planned(won_by(arm, without_rivals(wish_.final), race_));
    if (arm == "resume") require_one_machine(whole);
    if (arm == "resume") require_rest(whole);
    std::string reason = reason_of(arm, whole);
    out_.arms.push_back({arm, std::move(reason), std::move(whole)});
  }

  static void require_one_machine(const FinalRun& run) {
    if (!run.study.at("trial").value("parallel", Json()).is_null())
      throw Error(ErrorKind::usage, "several ranks cannot go on with a training", "take best");
  }

  static void require_rest(const FinalRun& run) {
    const std::int64_t done = run.plan.donors.front().epoch;
    if (done < run.plan.epochs) return require_schedule(run);
    throw Error(ErrorKind::usage,
                fmt::format("{} was trained {} epochs, so none of {} remains", donor_text(run), done, run.plan.epochs),
                "train longer, or race without resume");
  }

  /// On the short schedule it cannot resume, but goes through the rest of the donor's.
  static void require_schedule(const FinalRun& run) {
    const auto misfit = spec::misfit_of_schedule(run.study.at("trial"), "continue", false);
    if (misfit)
      throw Error(ErrorKind::usage, "in the race: " + misfit->fault, "name the policy, or race without resume");
  }

  /// @return why the arm cannot be; nullopt: it is taken
  std::optional<Error> refusal_of(const std::string& arm) {
    try {
      add_arm(arm);
      return std::nullopt;
    } catch (const Error& fault) {
      if (fault.kind() != ErrorKind::usage) throw;
      return fault;
    }
  }

  void choose() {
    std::optional<Error> last;
    for (const std::string& arm : usual_arms(out_.arms.front().whole.plan.is_program)) {
      if (arm == "best" && has("resume")) continue;
      const auto refusal = refusal_of(arm);
      if (!refusal) continue;
      out_.left_out.push_back({arm, refusal->what(), {}});
      last = refusal;
    }
    if (out_.arms.size() < 2) throw Error(last.value());
  }

  void require_shorter() const {
    if (out_.epochs < out_.plan.epochs) return;
    throw Error(ErrorKind::usage,
                fmt::format("an arm would train {} of {} epochs, which is no shorter than the final training",
                            out_.epochs, out_.plan.epochs),
                "write fewer as warm_start.race.epochs, or name the policy");
  }

  // ---- the study

  Json study(Json base) const {
    base["study"] = out_.name;
    base["trial"] = recipe::lasting(base["trial"], out_.epochs);
    base["trial"].erase("replicates");
    base["ablation"] = arms_as_variants();
    if (!out_.plan.is_program) base.erase("space");  // a program's arguments name parameters
    for (const char* key : {"search", "limits", "keep"}) base.erase(key);
    base["final"] = marker();
    return base;
  }

  /// `warm_start:` of an arm on the short schedule.
  Json short_start(const WarmArm& arm) const {
    Json start = arm.whole.study.at("trial").at("warm_start");
    start.update(warmstart::short_settings_of(arm.name));
    start.erase("why");
    return start;
  }

  Json arms_as_variants() const {
    Json components = Json::array();
    for (std::size_t i = 1; i < out_.arms.size(); ++i)
      components.push_back({{"id", out_.arms[i].name}, {"set", {{"warm_start", short_start(out_.arms[i])}}}});
    return {{"components", components},
            {"design", "race"},
            {"replicates", {{"seeds", seeds()}}},
            {"analysis", {{"claims", "split"}}}};  // donors have seen the rows of other splits
  }

  /// Seeds that the final training does not run on.
  Json seeds() const {
    Json out = Json::array();
    for (int i = 1; i <= out_.seeds; ++i) out.push_back(out_.plan.seeds + i);
    return out;
  }

  Json marker() const {
    Json out = spec::concise_section("final", wish_.final);
    out["of"] = fmt::format("{}/{}", wish_.study, out_.plan.trial);
    out["epochs"] = out_.plan.epochs;
    Json& race = out["warm_start"]["race"];
    if (!race.is_object()) race = Json::object();
    race["arms"] = Json::array();
    for (const WarmArm& arm : out_.arms) race["arms"].push_back(arm.name);
    race["epochs"] = out_.epochs;
    race["decides"] = wish_.name;
    if (!wish_.sets.empty()) race["sets"] = wish_.sets;
    return out;
  }

  const std::filesystem::path& store_;
  const FinalWish& wish_;
  warmstart::Race race_;
  WarmRace out_;
};

}  // namespace

WarmRace plan_warm_race(const std::filesystem::path& store, const FinalWish& wish) {
  return RacePlanner(store, wish).plan();
}

std::optional<Json> decided_by(const std::filesystem::path& store, const std::string& race, Json final) {
  const auto result = report::warm_race(store, race);
  if (!result || !result->is_over) return std::nullopt;
  if (result->chosen.empty())
    throw Error(ErrorKind::failures, fmt::format("every arm of the race '{}' has failed", race),
                fmt::format("`dlrun show {}/0` says why", race));
  warmstart::Race over = warmstart::race_of(final.at("warm_start")).value();
  over.study = race;
  over.chose = result->chosen;
  over.trained = result->epochs;
  final["warm_start"] = warmstart::decided(final["warm_start"], over);
  return final;
}

std::string warm_race_name(const std::string& final_training) { return final_training + "-race"; }

std::optional<FinalWish> wish_of(const Json& race) {
  Json final = race.value("final", Json());
  if (!final.is_object() || !final.value("of", Json()).is_string()) return std::nullopt;
  const auto settings = warmstart::race_of(final.value("warm_start", Json()));
  if (!settings || settings->decides.empty()) return std::nullopt;
  const auto of = trial::trial_name(final["of"].get<std::string>());
  if (!of) return std::nullopt;
  final.erase("of");
  final["trial"] = of->trial.value;
  for (const char* key : {"decides", "sets"}) final["warm_start"]["race"].erase(key);
  return FinalWish{of->study, std::move(final), settings->decides, settings->sets};
}

}  // namespace dlrun::final
