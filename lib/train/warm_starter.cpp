// SPDX-License-Identifier: Apache-2.0
#include "train/warm_starter.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "train/donors.hpp"
#include "train/initial.hpp"
#include "train/prefix.hpp"
#include "train/statistics.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

using Donors = std::vector<std::size_t>;  // by number; empty: fresh

/// Weights with what every tensor came from.
struct Mix {
  Weights weights;
  std::vector<Donors> from;  ///< by number in Parameters::all()
};

/// "block1" of "block1.conv.weight".
std::string block_of(const std::string& name) { return name.substr(0, name.find('.')); }

class Starter {
 public:
  Starter(Training& training, const std::filesystem::path& artifacts, const std::function<void()>& tick)
      : training_(training),
        start_(training.config().warm_start.value()),
        tick_(tick),
        has_statistics_(has_batch_norm(training.network().graph())),
        parameters_(training.network().parameters()),
        fresh_(copy_of(parameters_)),
        donors_(load_donors(start_, artifacts, parameters_, fresh_)) {}

  trial::WeightStart start() {
    if (!start_.why.empty()) note(start_.why);
    if (start_.policy == "resume") {
      resume();
    } else {
      begin();
    }
    return record();
  }

 private:
  // ---- the donor goes on

  void resume() {
    const std::string what = start_.donors.front().describe();
    const Identity found = read_identity(donors_.front().file, what);
    const std::string cold = cold_fingerprint(training_.config(), model::structural_hash(training_.network().graph()),
                                              training_.data().schema().sha256);
    const bool is_same = found.fingerprint == cold;
    if (!is_same && !start_.allow_superset)
      throw Error(ErrorKind::usage,
                  fmt::format("E406: {} was trained with other settings or data, or its schedule spans another number "
                              "of epochs",
                              what),
                  "give it the same `horizon`, or allow_superset: true, which goes on all the same");
    take_over(what);
    mix_ = whole(0);
    const std::int64_t steps = training_.progress().optimizer_steps();
    if (!is_same) training_.stand_at(start_.donors.front().epoch, steps);
    note(is_same ? fmt::format("goes on where {} stopped", what)
                 : fmt::format("goes on from {} under other settings", what));
  }

  void take_over(const std::string& what) {
    try {
      training_.restore(donors_.front().file, what, Origin::any);
    } catch (const Error& fault) {
      throw Error(ErrorKind::usage, fmt::format("E403: {}", fault.what()),
                  "the optimiser's state is taken over where its op and the model's tensors are the same");
    }
  }

  // ---- a new training

  void begin() {
    std::int64_t steps = 0;
    if (start_.carries_optimizer) {
      take_over(start_.donors.front().describe());
      steps = training_.progress().optimizer_steps();
    }
    mix_ = chosen();
    apply(mix_.weights);
    training_.stand_at(start_.origin(), steps);  // where the donor's average is no longer measured
    guard();
    training_.stand_at(start_.origin(), steps);  // statistics that were measured anew have moved the batches
    training_.set_weights();
  }

  Mix chosen() {
    if (start_.policy == "topk_average") return average();
    if (start_.policy == "greedy_soup") return soup();
    if (start_.policy == "per_layer_best") return per_layer();
    if (start_.policy == "shrink_perturb") return shrunk();
    if (start_.policy == "fresh_shrunk") return fresh_shrunk();
    return whole(0);
  }

  Mix whole(std::size_t donor) const {
    return {copy_of(donors_[donor].weights), std::vector<Donors>(parameters_.all().size(), Donors{donor})};
  }

  Mix mean(const Donors& of) const {
    std::vector<const Weights*> all;
    for (const std::size_t donor : of) all.push_back(&donors_[donor].weights);
    return {mean_of(all), std::vector<Donors>(parameters_.all().size(), of)};
  }

  Mix average() const {
    Donors all(donors_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    return mean(all);
  }

  Mix shrunk() const {
    Mix mix = whole(0);
    mix.weights = mixed(start_.sigma, fresh_, start_.lambda, donors_.front().weights);
    return mix;
  }

  /// As shrunk(), with fresh weights in the donor's place.
  Mix fresh_shrunk() const {
    return {mixed(start_.sigma, training_.drawn_apart(), start_.lambda, fresh_),
            std::vector<Donors>(parameters_.all().size())};
  }

  /// Wortsman et al., ICML 2022, algorithm 1.
  Mix soup() {
    Donors taken{0};
    Mix best = mean(taken);
    double value = measured(best.weights);
    note(fmt::format("{}: {} {}", start_.donors[0].describe(), metric(), value));
    for (std::size_t donor = 1; donor < donors_.size(); ++donor) {
      Donors more = taken;
      more.push_back(donor);
      Mix mix = mean(more);
      const double next = measured(mix.weights);
      const bool is_taken = !is_worse(next, value);
      note(fmt::format("with {}: {}, {}", start_.donors[donor].describe(), next, is_taken ? "taken" : "left out"));
      if (!is_taken) continue;
      taken = more, best = std::move(mix), value = next;
    }
    return best;
  }

  /// Block by block from the input on, that of the donor with which the whole is best.
  Mix per_layer() {
    Mix best = whole(0);
    double value = measured(best.weights);
    note(fmt::format("{}: {} {}", start_.donors[0].describe(), metric(), value));
    for (const std::string& block : blocks()) {
      for (std::size_t donor = 1; donor < donors_.size(); ++donor) {
        Mix mix = with_block(best, block, donor);
        const double next = measured(mix.weights);
        if (!is_worse(value, next)) continue;
        note(fmt::format("{} of {}: {}", block, start_.donors[donor].describe(), next));
        best = std::move(mix), value = next;
      }
    }
    return best;
  }

  std::vector<std::string> blocks() const {
    std::vector<std::string> out;
    for (const nn::Parameter& p : parameters_.all()) {
      if (out.empty() || std::find(out.begin(), out.end(), block_of(p.name)) == out.end())
        out.push_back(block_of(p.name));
    }
    return out;
  }

  Mix with_block(const Mix& base, const std::string& block, std::size_t donor) const {
    Mix out{copy_of(base.weights), base.from};
    for (std::size_t i = 0; i < out.from.size(); ++i) {
      if (block_of(parameters_.all()[i].name) != block) continue;
      tensor_of(out.weights, parameters_, i).copy_(tensor_of(donors_[donor].weights, parameters_, i));
      out.from[i] = {donor};
    }
    return out;
  }

  // ---- what it is worth

  const std::string& metric() const { return training_.progress().objective().metric; }

  bool is_worse(double value, double than) const {
    return training_.progress().objective().maximize ? value < than : value > than;
  }

  bool renews() const { return has_statistics_ && start_.buffers == "recalibrate"; }

  void apply(const Weights& weights) {
    put(weights, parameters_);
    training_.set_weights();
    if (!has_statistics_) return;
    if (start_.buffers == "reset") training_.recalibrate(0, tick_);
    if (renews()) training_.recalibrate(start_.batches, tick_);
    training_.set_weights();
  }

  double measured(const Weights& weights) {
    apply(weights);
    return measured();
  }

  double measured() {
    const std::vector<trial::Metric> all = training_.measure(training_.data().val(), tick_).metrics("val");
    const auto found = std::find_if(all.begin(), all.end(), [&](const auto& m) { return m.name == metric(); });
    if (found == all.end())
      throw Error(ErrorKind::usage, fmt::format("warm_start: '{}' is not measured on the validation split", metric()),
                  "judging weights takes an objective on val");
    return found->value;
  }

  /// How much worse, in hundredths: of the metric itself where more is better, of the donor's value elsewhere.
  double drop(double value, double of) const {
    return training_.progress().objective().maximize ? 100 * (of - value)
                                                     : 100 * (value - of) / std::max(std::abs(of), 1e-12);
  }

  void guard() {
    if (!start_.max_drop) return;
    const Weights weights = copy_of(parameters_);
    const double value = measured(), reference = measured(donors_.front().weights);
    const double lost = drop(value, reference);
    if (lost <= *start_.max_drop) {
      note(fmt::format("guard: {} {}, of the best donor {}", metric(), value, reference));
      put(weights, parameters_);
      return;
    }
    const bool takes_best = start_.fallback == "best";
    note(fmt::format("guard: {} {} is {:.3g} % worse than the best donor's {}: begins with {}", metric(), value, lost,
                     reference, takes_best ? start_.donors.front().describe() : "fresh weights"));
    has_fallen_back_ = true;
    if (takes_best) {
      mix_ = whole(0);
      return apply(mix_.weights);
    }
    mix_ = {copy_of(fresh_), std::vector<Donors>(parameters_.all().size())};
    put(fresh_, parameters_);
  }

  // ---- for the record

  void note(std::string line) { out_.notes.push_back(std::move(line)); }

  std::string rule(std::size_t number, warmstart::TransferRule transfer) const {
    const nn::Parameter& p = parameters_.all()[number];
    const bool is_statistic = !p.trainable && has_statistics_;
    if (is_statistic && start_.policy != "resume" && start_.buffers == "reset") return "fresh";
    if (is_statistic && start_.policy != "resume" && renews()) return "recalibrated";
    if (mix_.from[number].size() > 1 && p.trainable) return "averaged";
    if (start_.policy == "shrink_perturb" && !has_fallen_back_ && p.trainable) return "shrunk";
    return std::string(to_string(transfer));
  }

  /// The record of a tensor that the guard, or the policy, takes from no donor.
  trial::TensorStart without_donor(const nn::Parameter& p) const {
    const bool is_shrunk = start_.policy == "fresh_shrunk" && p.trainable;
    const bool is_measured = start_.policy == "fresh_shrunk" && !p.trainable && has_statistics_ && renews();
    const char* rule = is_shrunk ? "shrunk" : is_measured ? "recalibrated" : "fresh";
    return {p.name, rule, "", start_.policy == "fresh_shrunk" ? "" : "the guard", {}, p.value.sizes().vec()};
  }

  /// Empty: a statistic that the file has.
  static std::string why_fresh(const warmstart::Transfer& transfer) {
    return transfer.fresh ? std::string(to_string(*transfer.fresh)) : std::string();
  }

  void record(std::size_t number, std::size_t donor) {
    const warmstart::Transfer& transfer = donors_[donor].plan.tensors[number];
    const std::string by = rule(number, transfer.rule);
    const bool is_fresh = by == "fresh" || by == "recalibrated";
    out_.tensors.push_back({transfer.name, by, is_fresh ? "" : start_.donors[donor].sha256,
                            by == "fresh" ? why_fresh(transfer) : transfer.source, transfer.from, transfer.to});
  }

  trial::WeightStart record() {
    for (std::size_t i = 0; i < mix_.from.size(); ++i) {
      const nn::Parameter& p = parameters_.all()[i];
      if (mix_.from[i].empty()) out_.tensors.push_back(without_donor(p));
      const bool is_one = !p.trainable;  // no mean is made of buffers
      for (const std::size_t donor : mix_.from[i]) {
        record(i, donor);
        if (is_one) break;
      }
    }
    record_skipped();
    for (std::size_t i = 0; i < donors_.size(); ++i) tell_types(i);
    training_.progress().note_start(out_);
    return out_;
  }

  /// Floats of another width than the model's.
  void tell_types(std::size_t donor) {
    std::map<std::string, int> counts;
    for (const tensors::TensorView& weight : tensors::weights_of(donors_[donor].file)) {
      if (weight.dtype != "F32" && weight.dtype != "I64") ++counts[weight.dtype];
    }
    for (const auto& [dtype, count] : counts)
      note(fmt::format("{}: {} of its tensors {} {}, taken as float32", start_.donors[donor].describe(), count,
                       count == 1 ? "is" : "are", dtype));
  }

  /// Tensors that donors have and the model has not.
  void record_skipped() {
    for (std::size_t i = 0; i < donors_.size(); ++i) {
      const std::vector<tensors::TensorView> weights = tensors::weights_of(donors_[i].file);
      for (const std::string& name : donors_[i].plan.extra) {
        const auto found = std::find_if(weights.begin(), weights.end(), [&](const auto& w) { return w.name == name; });
        out_.tensors.push_back(skipped(*found, start_.donors[i].sha256));
      }
    }
  }

  Training& training_;
  const warmstart::WarmStart start_;
  const std::function<void()>& tick_;
  const bool has_statistics_;
  const nn::Parameters& parameters_;
  const Weights fresh_;
  const std::vector<Loaded> donors_;
  Mix mix_;
  bool has_fallen_back_ = false;
  trial::WeightStart out_;
};

}  // namespace

trial::WeightStart warm_start(Training& training, const std::filesystem::path& artifacts,
                              const std::function<void()>& tick) {
  return Starter(training, artifacts, tick).start();
}

}  // namespace dlrun::train
