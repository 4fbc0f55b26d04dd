// SPDX-License-Identifier: Apache-2.0
#include "spec/prefix.hpp"

#include <algorithm>
#include <map>

#include "recipe/lr_scaling.hpp"
#include "recipe/parallel.hpp"
#include "recipe/rates.hpp"
#include "recipe/training.hpp"
#include "samplers/sampler.hpp"
#include "space/asked.hpp"
#include "spec/same_work.hpp"
#include "util/sha256.hpp"

namespace dlrun::spec {

namespace {

/// Settings of the rates, which count by their effect; and the length of a trial.
constexpr const char* kScheduled[] = {"epochs", "horizon", "schedule", "swa"};

/// A sampler with `draws` makes another number of steps, which all trials with its settings have in common.
std::int64_t steps_per_epoch(const StudySpec& spec, const recipe::TrainingConfig& training, std::int64_t per_step) {
  const std::int64_t batches = (spec.data->train + training.batch_size - 1) / training.batch_size;
  return recipe::steps_of(std::max<std::int64_t>(1, batches), per_step);
}

/// Rates of each epoch, and what they follow from.
struct Rates {
  recipe::ScheduleConfig config;
  std::optional<recipe::SwaConfig> swa;
  recipe::Schedule schedule;
  std::int64_t per_epoch;

  std::string of(std::int64_t epoch) const {
    std::string text = recipe::rates_of(schedule, epoch, per_epoch);
    text += recipe::is_averaged(swa, epoch) ? 'a' : '-';
    // Epoch patience + 2 is the first whose rate may follow from what was measured.
    if (config.op == "plateau" && epoch > config.patience + 1) text += to_text(recipe::to_json(config));
    return text;
  }
};

Rates rates_of(const StudySpec& spec, const Json& config, const recipe::TrainingConfig& training) {
  const recipe::ScheduleConfig curve = recipe::read_schedule(config, spec.data->val > 0);
  const auto gang = recipe::read_parallel(config);
  const std::int64_t per_epoch = steps_per_epoch(spec, training, gang ? gang->gang.ranks : training.accumulate);
  const Json lr = config.value("optimizer", Json::object()).value("lr", Json());
  recipe::Schedule schedule(curve, lr.is_number() ? lr.get<double>() : 1.0, training.span(), per_epoch);
  const auto swa = recipe::read_swa(config, training.epochs);
  if (swa) schedule.end_in(*swa);
  return {curve, swa, schedule, per_epoch};
}

/// Hash of all that must be equal whatever the schedule does.
std::string root_of(const StudySpec& spec, Json config, const trial::Member& member) {
  for (const char* key : kScheduled) config.erase(key);
  return config_hash(spec, config, member);
}

/// Length of a training, where a warm-up of `lr_scaling` or the intervals of a partition count by it.
std::string length_that_counts(const Json& config, const recipe::TrainingConfig& training) {
  if (!config.at("data").value("partition", Json()).is_null()) return std::to_string(training.span());
  const auto gang = recipe::read_parallel(config);
  const std::int64_t count = gang ? gang->gang.ranks : training.accumulate;
  const auto scaling = recipe::read_lr_scaling(config, training.batch_size, count);
  return scaling && scaling->warmup != "none" ? std::to_string(training.span()) : "";
}

/// Whether the trial begins with weights that are not its own.
bool is_donated(const StudySpec& spec, const Json& config, const space::Values& values) {
  return begins_after_baseline(spec, values) || config.value("warm_start", Json()).is_object();
}

}  // namespace

Prefix prefix_of(const StudySpec& spec, const space::Values& values, const trial::Member& member) {
  if (spec.kind != "train" || !spec.data) return {};
  const Json config = trial::configured(spec.json.at("trial"), spec.space.sets(values));
  if (is_donated(spec, config, values)) return {};
  const recipe::TrainingConfig training = recipe::read_training(config, spec.data->val > 0);
  const std::int64_t epochs = std::min(training.epochs, spec.rules.epochs);
  const Rates rates = rates_of(spec, config, training);
  Prefix after;
  std::string state = root_of(spec, config, member) + length_that_counts(config, training);
  for (std::int64_t epoch = 1; epoch <= epochs; ++epoch) {
    state += rates.of(epoch);
    state = Sha256::hex_of(state);
    after.push_back(state);
  }
  return after;
}

std::vector<Prefix> prefixes_of(const StudySpec& spec, const std::vector<space::Values>& trials,
                                const trial::Member& member) {
  std::vector<std::string> roots;
  std::map<std::string, int> alike;
  for (const space::Values& values : trials) {
    roots.push_back(root_of(spec, trial::configured(spec.json.at("trial"), spec.space.sets(values)), member));
    ++alike[roots.back()];
  }
  std::vector<Prefix> out;
  for (std::size_t i = 0; i < trials.size(); ++i) {
    out.push_back(alike[roots[i]] > 1 ? prefix_of(spec, trials[i], member) : Prefix{});
  }
  return out;
}

std::int64_t shared_epochs(const Prefix& a, const Prefix& b) {
  return std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin();
}

bool shares_stages(const StudySpec& spec) {
  const std::string usual = spec.ablation ? "all" : "stages";
  const std::string reuse = spec.json.value("reuse", usual);
  const bool is_asked = reuse == "stages" || reuse == "all";
  return spec.kind == "train" && is_asked && spec.keep.epochs.empty();  // each trial leaves checkpoints of its own
}

std::vector<space::Values> planned_trials(const StudySpec& spec) {
  constexpr std::size_t kMost = 4096;
  if (spec.sampler != "grid" || spec.cells || spec.rounds || spec.race) return {};
  const auto sampler = samplers::make_sampler(spec.sampler, spec.space, spec.seed);
  std::vector<space::Values> trials;
  const auto add = [&](space::Values values) {
    sampler->on_start(trial::TrialId(std::int64_t(trials.size())), values);
    trials.push_back(std::move(values));
  };
  for (const space::Values& asked : spec.rules.enqueue) {
    if (!space::is_complete(spec.space, asked)) return {};
    add(asked);
  }
  const auto limit = std::size_t(spec.rules.limits.trials.value_or(kMost + 1));
  while (trials.size() < limit && trials.size() <= kMost) {
    auto values = sampler->propose(std::int64_t(trials.size()));
    if (!values) break;
    add(std::move(*values));
  }
  return trials.size() <= kMost ? trials : std::vector<space::Values>{};
}

}  // namespace dlrun::spec
