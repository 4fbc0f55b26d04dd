// SPDX-License-Identifier: Apache-2.0
#include "final/final_run.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "final/checkpoint.hpp"
#include "final/command_of_trial.hpp"
#include "final/donor_reading.hpp"
#include "final/donor_rows.hpp"
#include "final/fit.hpp"
#include "final/resuming.hpp"
#include "final/trial_study.hpp"
#include "report/selectors.hpp"
#include "report/trial_reader.hpp"
#include "spec/concise.hpp"
#include "spec/continued_schedule.hpp"
#include "storage/paths.hpp"
#include "storage/raced_winner.hpp"
#include "storage/reading.hpp"
#include "storage/store.hpp"
#include "tensors/weights.hpp"
#include "trial/kinds.hpp"
#include "trial/runner.hpp"
#include "util/error.hpp"
#include "util/files.hpp"
#include "warmstart/race.hpp"
#include "warmstart/transfer_rules.hpp"

namespace dlrun::final {

namespace {

using warmstart::averages;

constexpr std::size_t kMostRefused = 5;  // in a message

/// Whether it begins as every training does.
bool is_fresh(const std::string& arm) { return arm == "kaiming" || arm == "kaiming_longer" || arm == "none"; }

bool takes_donors(const std::string& arm) { return !is_fresh(arm) && warmstart::takes_donors(arm); }

class Planner {
 public:
  Planner(const std::filesystem::path& store, const std::string& study, const Json& final)
      : store_(store),
        name_(study),
        final_(final),
        start_(final.value("warm_start", Json::object())),
        race_(warmstart::race_of(start_)) {
    const auto row = storage::Store::find(store, study);
    if (!row) throw Error(ErrorKind::not_found, fmt::format("there is no study '{}'", study));
    spec_ = row->spec;
    kind_ = spec_.at("trial").at("kind").get<std::string>();
    if (kind_ != "train" && !is_program())
      throw Error(ErrorKind::usage, fmt::format("the trials of '{}' do not train, so they have no weights", study));
    arms_ = arms();
  }

  std::string trial() {
    choose_trial();
    return fmt::format("{}/{}", name_, trial_);
  }

  FinalRun plan(const std::string& name) {
    choose_trial();
    choose_donors();
    FinalRun out;
    out.study = base(name);
    out.is_compared = final_.value("compare", Json()).is_array();
    if (out.is_compared) {
      out.study["ablation"] = comparison();
      if (!is_program()) out.study.erase("space");  // a program's arguments name parameters
      out.study.erase("search");
      out.study.erase("limits");
      out.study.erase("keep");
    } else if (!is_fresh(policy())) {
      out.study["trial"]["warm_start"] = warm_start(policy());
    }
    out.study["final"] = marker();
    out.plan = facts(out.study["trial"]);
    return out;
  }

 private:
  bool is_program() const { return trial::runs_program(kind_); }

  // ---- what is asked for

  /// The winner, after a race.
  std::string policy() const {
    if (race_) return race_->chose;
    const Json written = start_.value("policy", Json());
    return written.is_string() ? written.get<std::string>() : goes_on() ? "resume" : "best";
  }

  /// Whether the search followed the beginning of this very training, and nothing is set that `resume` makes no use of.
  /// A donor that ended early is known once donors are chosen.
  bool goes_on() const {
    const Json horizon = spec_.at("trial").value("horizon", Json()), asked = final_.value("epochs", Json());
    const Json sets = final_.value("set", Json());
    Json rest = spec::concise_section("final", {{"warm_start", start_}}).value("warm_start", Json::object());
    for (const char* key : {"from", "k", "allow_superset"}) rest.erase(key);
    const bool is_changed = (sets.is_object() && !sets.empty()) || from().value("study", Json()).is_string();
    const bool is_gang = !spec_.at("trial").value("parallel", Json()).is_null();  // ranks cannot resume
    const bool is_drawn =
        spec_.at("trial").value("init", Json()).is_null() && spec_.at("trial").value("warm_start", Json()).is_null();
    const bool is_alike = !is_changed && !is_gang && is_drawn && !has_ended_;
    return is_alike && horizon.is_number() && (!asked.is_number() || asked == horizon) && rest.empty();
  }

  Json from() const { return start_.value("from", Json()).is_object() ? start_["from"] : Json::object(); }

  /// The rivals in their order; the policy itself is one of them, and kaiming is the baseline.
  std::vector<std::string> arms() const {
    std::vector<std::string> out;
    for (const Json& arm : final_.value("compare", Json()).is_array() ? final_["compare"] : Json::array()) {
      if (arm != "kaiming") out.push_back(arm.get<std::string>());
    }
    const bool is_there = std::find(out.begin(), out.end(), policy()) != out.end();
    if (!is_there && !is_fresh(policy())) out.insert(out.begin(), policy());
    if (out.empty() && race_) out.emplace_back("kaiming_longer");  // fresh weights won, and there has to be a rival
    return out;
  }

  std::size_t donors_of(const std::string& arm) const {
    return averages(arm) ? std::size_t(start_.value("k", 3)) : takes_donors(arm) ? 1 : 0;
  }

  // ---- which configuration, which donors

  void choose_trial() {
    const Json other = from().value("study", Json());
    givers_ = other.is_string() ? report::find_study(store_, other.get<std::string>()) : name_;
    if (givers_ != name_) require_kind(givers_);
    reading_ = reading_of(spec_, storage::Store::find(store_, givers_).value().spec, from());
    ranked_ = rank_donors(store_, givers_, reading_);
    const Json asked = final_.value("trial", Json());
    trial_ = asked.is_number() ? trial_named(std::to_string(asked.get<std::int64_t>())) : usual_trial();
  }

  std::int64_t trial_named(const std::string& word) const {
    return report::find_trial(store_, name_ + "/" + word).number;
  }

  /// The best trial of the search; or that of the best donor, where another ranking is asked for, or where weights are
  /// wanted and the best trial has no checkpoint.
  std::int64_t usual_trial() const {
    const auto& donors = ranked_.donors;
    const bool may_be_donor = givers_ == name_ && !donors.empty() && !is_raced();
    const bool is_ranked = from().value("rank_by", Json()).is_string() || from().value("at", Json()).is_number();
    if (may_be_donor && is_ranked) return donors.front().trial;
    const std::int64_t best = trial_named("best");
    const auto is_best = [&](const warmstart::Donor& donor) { return donor.trial == best; };
    const bool lacks_weights = needs_donors() && std::none_of(donors.begin(), donors.end(), is_best);
    return may_be_donor && lacks_weights ? donors.front().trial : best;
  }

  bool needs_donors() const { return std::any_of(arms_.begin(), arms_.end(), takes_donors); }

  void choose_donors() {
    if (givers_ == name_) put_first();
    has_ended_ = !is_program() && !ranked_.donors.empty() && has_run_out(store_, ranked_.donors.front());
    arms_ = arms();
    std::size_t most = 1;
    for (const std::string& arm : arms_) most = std::max(most, donors_of(arm));
    if (!is_program()) keep_alike(store_, ranked_, most);
    if (is_program() && ranked_.donors.size() > most) ranked_.donors.resize(most);
    if (needs_donors() && ranked_.donors.empty()) refuse_all(givers_);
    check_resume();
    if (!is_program() && !ranked_.donors.empty()) check_schedules();
    if (needs_donors() && !is_program()) check_rows(most);
  }

  void check_rows(std::size_t used) const {
    const Json sets = final_.value("set", Json());
    Json config = report::TrialReader(store_, {name_, trial_}).config();
    if (sets.is_object()) config = trial::configured(config, sets);
    const auto end = ranked_.donors.begin() + std::ptrdiff_t(std::min(used, ranked_.donors.size()));
    require_unseen_rows(store_, {ranked_.donors.begin(), end}, {std::move(config), seed_of(store_, name_)});
  }

  /// Has a race chosen the best configuration, which need not be that of the best checkpoint?
  bool is_raced() const {
    const auto search = storage::open_for_reading(storage::study_file(store_, name_, ".db"));
    return storage::raced_winner(*search).has_value();
  }

  /// Refusals of every run are told before any begins.
  void check_resume() const {
    const bool resumes = std::find(arms_.begin(), arms_.end(), "resume") != arms_.end();
    if (!resumes || is_program() || ranked_.donors.empty()) return;
    const warmstart::Donor& donor = ranked_.donors.front();
    if (donor.epoch >= epochs()) return;  // another check says that no epoch remains
    const bool takes_all = policy() == "resume" && start_.value("allow_superset", false);
    require_resumable(store_, {.donor = donor, .trial = config(), .epochs = epochs(), .takes_all = takes_all});
  }

  /// An arm that takes the donor's schedule up needs a rest of it.
  void check_schedules() const {
    const warmstart::Donor& donor = ranked_.donors.front();
    const bool is_over = donor.horizon > 0 && donor.epoch >= donor.horizon;
    for (const std::string& arm : arms_) {
      Json start = settings_of(arm);
      warmstart::fill_in(start);
      if (!takes_donors(arm) || start.at("policy") == "resume") continue;
      const auto misfit = spec::misfit_of_schedule(config(), start.at("schedule").get<std::string>(), is_over);
      if (misfit) throw Error(ErrorKind::usage, fmt::format("'{}': {}", arm, misfit->fault), misfit->help);
    }
  }

  /// A checkpoint is of use to trials of its own kind.
  void require_kind(const std::string& study) const {
    const std::string kind = storage::Store::find(store_, study).value().spec.at("trial").at("kind");
    if (kind == kind_) return;
    throw Error(ErrorKind::usage,
                fmt::format("trials of '{}' are of kind {}, those of '{}' of kind {}", study, kind, name_, kind_),
                "checkpoints of one kind are of no use to the other");
  }

  /// The donor of the configuration that was asked for stands before better ones.
  void put_first() {
    auto& all = ranked_.donors;
    const auto own = std::find_if(all.begin(), all.end(), [&](const auto& donor) { return donor.trial == trial_; });
    if (own != all.end()) std::rotate(all.begin(), own, own + 1);
  }

  [[noreturn]] void refuse_all(const std::string& study) const {
    std::vector<std::string> why;
    for (const Refused& one : ranked_.refused) {
      if (why.size() < kMostRefused) why.push_back(fmt::format("{}/{}: {}", study, one.trial, one.reason));
    }
    if (why.empty())
      why.push_back(std::string("it has no trials that left a checkpoint") +
                    (is_program() ? fmt::format("; {}; policy `none` begins without", kReporting) : ""));
    throw Error(ErrorKind::usage, fmt::format("no trial of '{}' can give weights", study),
                fmt::format("{}", fmt::join(why, "; ")));
  }

  // ---- the study

  std::int64_t epochs() const {
    const Json asked = final_.value("epochs", Json());
    if (asked.is_number()) return asked.get<std::int64_t>();
    const Json config = report::TrialReader(store_, {name_, trial_}).config();
    const Json horizon = config.value("horizon", Json());
    return horizon.is_number() ? horizon.get<std::int64_t>() : config.at("epochs").get<std::int64_t>();
  }

  int seeds() const { return final_.value("seeds", 1); }

  Json base(const std::string& name) const {
    Json study = trial_study_json(store_, name_, trial_, "");
    study.update({{"study", name}, {"trial", concise_trial(config())}, {"reuse", "none"}});
    drop_changed(study["space"]);
    drop_late_epochs(study, epochs());
    settle_command(study["trial"], store_, {name_, trial_});
    return study;
  }

  /// Values that the search found give way to the final training's own.
  void drop_changed(Json& constants) const {
    const Json found = report::TrialReader(store_, {name_, trial_}).config(), own = config();
    const auto is_changed = [&](const Json& constant) {
      const Json at = constant.value("at", Json());
      return at.is_string() && trial::setting_at(found, at) != trial::setting_at(own, at);
    };
    constants.erase(std::remove_if(constants.begin(), constants.end(), is_changed), constants.end());
  }

  /// The final training's trial in its normal form, in which every place is there that `final.set` may name.
  Json config() const {
    Json trial = report::TrialReader(store_, {name_, trial_}).config();
    for (const char* key : {"horizon", "init", "warm_start", "replicates"}) trial.erase(key);
    trial["epochs"] = epochs();
    const Json sets = final_.value("set", Json());
    if (sets.is_object()) trial = trial::configured(trial, sets);
    if (!final_.value("compare", Json()).is_array() && seeds() > 1) trial["replicates"] = seeds();
    return trial;
  }

  /// Settings that are written hold for the arm of their policy.
  Json settings_of(const std::string& arm) const {
    Json out = arm == policy()
                   ? spec::concise_section("final", {{"warm_start", start_}}).value("warm_start", Json::object())
                   : Json::object();
    for (const char* key : {"from", "k", "race"}) out.erase(key);
    if (!warmstart::mixes(arm)) out.erase("lambda"), out.erase("sigma");
    out.update(warmstart::settings_of(arm));
    if (arm == policy() && race_ && !is_program()) out["why"] = "chosen by the race " + race_->study;
    return out;
  }

  Json warm_start(const std::string& arm) const {
    Json out = settings_of(arm);
    if (donors_of(arm) == 0) return out;
    out["donors"] = Json::array();
    const std::size_t count = std::min(donors_of(arm), ranked_.donors.size());
    if (donors_of(arm) > 1 && count < 2)
      throw Error(ErrorKind::usage, fmt::format("'{}' takes several donors, but there is one", arm),
                  "the plan of another policy says why the others are none");
    for (std::size_t i = 0; i < count; ++i) out["donors"].push_back(to_json(ranked_.donors[i]));
    return out;
  }

  Json changes_of(const std::string& arm) const {
    if (arm != "kaiming_longer") return {{"warm_start", warm_start(arm)}};
    return {{"epochs", epochs() + donors_more() + share_of_race()}};
  }

  /// Epochs that the donor has trained before the final training's own. A race's winner may have none of them: fresh
  /// weights have no donor, and who resumes trains as many less.
  std::int64_t donors_more() const {
    const bool has_none = race_ && (!takes_donors(policy()) || policy() == "resume");
    return has_none || ranked_.donors.empty() ? 0 : ranked_.donors.front().epoch;
  }

  /// Epochs of the race that one seed has to answer for.
  std::int64_t share_of_race() const { return race_ ? (race_->trained + seeds() - 1) / seeds() : 0; }

  Json comparison() const {
    Json components = Json::array();
    for (const std::string& arm : arms_) components.push_back({{"id", arm}, {"set", changes_of(arm)}});
    return {{"components", components},
            {"design", "loco"},
            {"replicates", {{"n", seeds()}}},
            {"tested", "all"},
            {"analysis", {{"claims", "split"}}}};  // donors have seen the rows of other splits
  }

  Json marker() const {
    Json out = spec::concise_section("final", final_);
    out["of"] = fmt::format("{}/{}", name_, trial_);
    out["epochs"] = epochs();
    if (out.contains("warm_start") && out["warm_start"].contains("from")) out["warm_start"].erase("from");
    return out;
  }

  // ---- what is going to happen

  /// @param trial  of the final training
  FinalPlan facts(const Json& trial) {
    FinalPlan plan{.study = name_, .trial = trial_, .epochs = epochs(), .seeds = seeds(), .policy = policy()};
    plan.metric = reading_.metric;
    if (final_.value("compare", Json()).is_array()) plan.rivals = arms_;
    plan.is_program = is_program();
    plan.begins_fresh = !takes_donors(policy());
    plan.takes_donors = needs_donors();
    plan.donors = ranked_.donors;
    if (plan.donors.empty()) return plan;
    if (!plan.begins_fresh && !plan.is_program) add_start(plan, trial);
    plan.refused = best_first(ranked_.refused, reading_.maximize);
    return plan;
  }

  void add_start(FinalPlan& plan, const Json& trial) const {
    Json section = warm_start(policy());
    warmstart::fill_in(section);
    const auto start = warmstart::warm_start_of(section);
    const tensors::SafeTensors file(read_file(file_of(store_, start->donors.front())), "donor");
    if (const auto wanted = model_of(trial, final_.value("set", Json()), spec_)) {
      plan.tensors = warmstart::plan_transfer(tensors::weights_of(file), *wanted, warmstart::transfer_rules(*start));
      require_fit(*plan.tensors, *start);
    }
    if (start->carries_optimizer) require_same_optimizer(file, trial, ranked_.donors.front());
    plan.goes_on = policy() == "resume";
    plan.optimizer = section.value("optimizer", std::string("reset"));
    plan.schedule = section.value("schedule", std::string("restart"));
  }

  const std::filesystem::path& store_;
  const std::string name_;
  const Json final_, start_;
  const std::optional<warmstart::Race> race_;
  Json spec_;
  std::string kind_;
  Reading reading_;
  std::vector<std::string> arms_;
  std::string givers_;  ///< study whose trials give weights
  RankedDonors ranked_;
  bool has_ended_ = false;  ///< patience has ended the first donor's training
  std::int64_t trial_ = 0;
};

}  // namespace

FinalRun plan_final(const std::filesystem::path& store, const std::string& study, const Json& final,
                    const std::string& name) {
  return Planner(store, study, final).plan(name);
}

std::string trial_after(const std::filesystem::path& store, const std::string& study, const Json& final) {
  return Planner(store, study, final).trial();
}

}  // namespace dlrun::final
