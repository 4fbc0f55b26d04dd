// SPDX-License-Identifier: Apache-2.0
// One member in memory: model, optimiser, data and how far it is. Knows no file and no worker.
#pragma once
#include <memory>
#include <string>

#include "data/batches.hpp"
#include "nn/graph_module.hpp"
#include "train/checkpoint.hpp"
#include "train/config.hpp"
#include "train/loss.hpp"
#include "train/optimizer.hpp"
#include "train/schedule.hpp"

namespace dlrun::train {

/// The loss of a batch or a split was NaN or infinite.
struct Diverged {
  std::int64_t epoch;  ///< from 1
  std::int64_t step;   ///< optimiser steps taken before
  std::string what;    ///< "train.loss is nan"
};

struct Objective {
  std::string metric;
  bool maximize = false;
  bool keeps_best = false;
};

/// Trains epoch by epoch:
///   while (t.state().epoch < end) { while (t.has_batch()) t.step(); t.finish_epoch(…); }
/// Where it is interrupted or cut into pieces makes no difference to any bit of it.
class Training {
 public:
  /// @param graph  built for the data's shapes
  Training(const Config& config, const model::Graph& graph, std::shared_ptr<const data::Data> data, nn::Streams streams,
           Objective objective);

  const State& state() const { return state_; }
  const Config& config() const { return config_; }
  const data::Data& data() const { return *data_; }
  const nn::Parameters& parameters() const { return module_.parameters(); }

  /// False where the epoch's batches are done and finish_epoch is next.
  bool has_batch() const { return state_.batch < batches_.count(); }
  /// One optimiser step. @throws Diverged.
  void step();
  /// Measures the validation split, closes the epoch and returns its report. `tick` is called after every batch and may
  /// throw: the state is then as before. @throws Diverged.
  template <class Tick>
  trial::Report finish_epoch(Tick&& tick) {
    return close_epoch(measure(data_->val(), tick));
  }
  /// {split}.loss and the metrics over a split that training never changes by.
  template <class Tick>
  Sums measure(const data::Examples& examples, Tick&& tick) {
    Sums sums;
    for (std::int64_t begin = 0; begin < examples.size(); begin += kMeasuredAtOnce) {
      measure_batch(examples, begin, sums);
      tick();
    }
    return sums;
  }

  /// The whole state as a file's bytes.
  std::string encode() const;
  /// @throws Error(store), nothing changed.
  void restore(const SafeTensors& file, const std::string& what);
  /// Notes where the best epoch's checkpoint was published.
  void set_best_artifact(const trial::Artifact& artifact);

 private:
  static constexpr std::int64_t kMeasuredAtOnce = 512;  // examples; part of the bits

  void measure_batch(const data::Examples& examples, std::int64_t begin, Sums& sums);
  trial::Report close_epoch(const Sums& val);
  void note_best(const trial::Report& report);
  [[noreturn]] void diverge(const std::string& split, double loss) const;

  Config config_;
  std::shared_ptr<const data::Data> data_;
  Objective objective_;
  Identity identity_;
  nn::GraphModule module_;
  data::Batches batches_;
  std::unique_ptr<Loss> loss_;
  std::unique_ptr<Optimizer> optimizer_;
  Schedule schedule_;
  State state_;
  std::int64_t shuffled_ = 0;  ///< the epoch whose order batches_ holds
};

}  // namespace dlrun::train
