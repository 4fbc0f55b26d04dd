// SPDX-License-Identifier: Apache-2.0
#include "train/profile.hpp"

#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <functional>
#include <numeric>
#include <thread>

#include <ATen/Parallel.h>
#include <fmt/format.h>

#include "train/device.hpp"
#include "train/piece.hpp"
#include "train/runtime.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

/// For an even number of values the lower of the two in the middle, because that one was measured.
double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + std::ptrdiff_t((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// Times of every step so far: [layer or phase][step].
using Series = std::vector<std::vector<double>>;

class Profiler {
 public:
  explicit Profiler(Training& training)
      : training_(training),
        costs_(training.network().graph().nodes.size()),
        forward_(costs_.size()),
        backward_(costs_.size()) {
    training_.measure_into(&clock_, &costs_);
  }
  ~Profiler() { training_.measure_into(nullptr, nullptr); }

  void step() {
    if (!training_.has_batch()) training_.finish_epoch([] {});
    for (nn::LayerCost& cost : costs_) cost = {};
    training_.step();
    if (batch_ == 0) batch_ = training_.last_step().examples;
  }

  /// False: the epoch's last batch, which is smaller than the others, does not count.
  bool keep() {
    if (training_.last_step().examples < batch_) return false;
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      forward_[i].push_back(costs_[i].forward);
      backward_[i].push_back(costs_[i].backward);
    }
    const auto& seconds = clock_.seconds();
    for (std::size_t i = 0; i < seconds.size(); ++i) phases_[i].push_back(seconds[i]);
    steps_.push_back(std::accumulate(seconds.begin(), seconds.end(), 0.0));
    kept_ = costs_;
    return true;
  }

  trial::ModelProfile result() const {
    trial::ModelProfile p;
    p.batch = batch_;
    p.steps = std::int64_t(steps_.size());
    p.step = median(steps_);
    for (std::size_t i = 0; i < costs_.size(); ++i) p.layers.push_back(layer(i, p.batch));
    for (std::size_t i = 0; i < phases_.size(); ++i) p.phases.push_back({kPhaseNames[i], median(phases_[i])});
    return p;
  }

 private:
  trial::LayerProfile layer(std::size_t i, std::int64_t batch) const {
    const model::Node& node = training_.network().graph().nodes[i];
    trial::LayerProfile l{node.name, node.op, median(forward_[i]), median(backward_[i])};
    for (const model::Tensor& tensor : node.tensors) {
      if (!tensor.trainable) continue;
      l.parameters += std::accumulate(tensor.shape.begin(), tensor.shape.end(), std::int64_t(1), std::multiplies<>());
    }
    l.activation = kept_[i].activation;
    l.operations = node.operations * batch;
    return l;
  }

  Training& training_;
  StepClock clock_;
  std::vector<nn::LayerCost> costs_, kept_;
  std::int64_t batch_ = 0;  ///< examples of a whole one
  Series forward_, backward_;
  std::array<std::vector<double>, kPhaseNames.size()> phases_;
  std::vector<double> steps_;
};

/// Trainings that keep cores busy while this lives, a thread each.
class Neighbours {
 public:
  explicit Neighbours(std::vector<std::unique_ptr<Training>> trainings) : trainings_(std::move(trainings)) {
    for (const auto& training : trainings_) threads_.emplace_back([this, &training] { train(*training); });
  }
  ~Neighbours() {
    ends_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Neighbours(const Neighbours&) = delete;
  Neighbours& operator=(const Neighbours&) = delete;

 private:
  void train(Training& training) {
    at::init_num_threads();
    try {
      while (!ends_) {
        if (!training.has_batch()) training.finish_epoch([] {});
        training.step();
      }
    } catch (const Diverged&) {  // the one that is measured says so too
    }
  }

  std::vector<std::unique_ptr<Training>> trainings_;
  std::vector<std::thread> threads_;
  std::atomic<bool> ends_ = false;
};

std::int64_t peak_resident_bytes() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return std::int64_t(usage.ru_maxrss) * 1024;
}

}  // namespace

namespace {

/// One rank of a gang: its batch's pass and step are those of a machine alone.
trial::WorkSetup alone(trial::WorkSetup setup) {
  for (const char* key : {"parallel", "cluster"}) setup.trial.erase(key);
  return setup;
}

trial::PieceOrder alone(trial::PieceOrder order) {
  Json sets = Json::object();
  for (const auto& [place, value] : order.sets.items()) {
    if (!place.starts_with("parallel")) sets[place] = value;
  }
  order.sets = std::move(sets);
  return order;
}

}  // namespace

trial::ModelProfile profile_trial(const trial::WorkSetup& setup, const trial::PieceOrder& order,
                                  const trial::ProfileOptions& options) {
  const auto make = [&] { return make_training(alone(setup), alone(order), device_of(setup).device); };
  const std::unique_ptr<Training> training = make();
  std::vector<std::unique_ptr<Training>> others;
  for (std::int64_t i = 0; i < options.busy; ++i) others.push_back(make());
  const Neighbours neighbours(std::move(others));
  Profiler profiler(*training);
  try {
    for (std::int64_t i = 0; i < options.warmup; ++i) profiler.step();
    for (std::int64_t kept = 0; kept < options.steps;) {
      profiler.step();
      kept += profiler.keep() ? 1 : 0;
    }
  } catch (const Diverged& end) {
    throw Error(ErrorKind::usage,
                fmt::format("training diverged: {} in epoch {}, step {}", end.what, end.epoch, end.step),
                "a smaller learning rate, or fewer steps");
  }
  trial::ModelProfile result = profiler.result();
  result.runtime = describe_runtime(setup);
  result.peak_rss = peak_resident_bytes();
  return result;
}

}  // namespace dlrun::train
