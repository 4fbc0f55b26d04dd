// SPDX-License-Identifier: Apache-2.0
#include "train/build.hpp"

#include <algorithm>
#include <new>

#include <fmt/format.h>

#include "train/device.hpp"
#include "train/piece.hpp"
#include "train/torch_errors.hpp"
#include "util/error.hpp"

namespace dlrun::train {

namespace {

/// Follows a training and says where it is.
class Follower {
 public:
  explicit Follower(Training& training) : training_(training), costs_(training.network().graph().nodes.size()) {
    training_.measure_into(&clock_, &costs_);
  }
  ~Follower() { training_.measure_into(nullptr, nullptr); }
  Follower(const Follower&) = delete;
  Follower& operator=(const Follower&) = delete;

  void step() {
    std::fill(costs_.begin(), costs_.end(), nn::LayerCost{});
    training_.step();
  }

  /// The part of a step in which it failed, with the layer. A layer that threw has a time of its own.
  std::string place() const {
    const auto part = std::find(clock_.seconds().begin(), clock_.seconds().end(), 0.0) - clock_.seconds().begin();
    if (part == std::ptrdiff_t(kPhaseNames.size())) return kPhaseNames.back();
    const std::string name = kPhaseNames[std::size_t(part)];
    const model::Node* node = Phase(part) == Phase::forward    ? last_forward()
                              : Phase(part) == Phase::backward ? last_backward()
                                                               : nullptr;
    return node == nullptr ? name : fmt::format("{} of {}", name, node->name);
  }

 private:
  const model::Node* last_forward() const {
    for (std::size_t i = costs_.size(); i-- > 0;) {
      if (costs_[i].forward > 0) return &training_.network().graph().nodes[i];
    }
    return nullptr;
  }
  const model::Node* last_backward() const {
    for (std::size_t i = 0; i < costs_.size(); ++i) {
      if (costs_[i].backward > 0) return &training_.network().graph().nodes[i];
    }
    return nullptr;
  }

  Training& training_;
  StepClock clock_;
  std::vector<nn::LayerCost> costs_;
};

std::int64_t trainable(const nn::Parameters& parameters) {
  std::int64_t sum = 0;
  for (const nn::Parameter& p : parameters.all()) sum += p.trainable ? p.value.numel() : 0;
  return sum;
}

/// Keeps of `dead` what got no gradient in the step before either.
void keep_dead(std::vector<std::string>& dead, const std::vector<std::string>& now) {
  std::erase_if(dead, [&](const std::string& name) { return std::find(now.begin(), now.end(), name) == now.end(); });
}

std::vector<std::string> dead_after(Training& training, Follower& follower) {
  std::vector<std::string> dead = training.without_gradient();
  try {
    for (int i = 1; i < kStepsToLive && !dead.empty() && training.has_batch(); ++i) {
      follower.step();
      keep_dead(dead, training.without_gradient());
    }
  } catch (const Diverged&) {  // two examples a step are no training: only the first one is judged
  }
  return dead;
}

std::string words_of(const c10::Error& fault) {
  return (is_out_of_memory(fault) ? "out of memory: " : "libtorch: ") + first_line(fault);
}

void take_steps(Training& training, trial::BuiltModel& model) {
  Follower follower(training);
  const auto fail = [&](std::string place, std::string words) {
    model.place = std::move(place);
    model.fault = std::move(words);
  };
  try {
    follower.step();
    model.has_finite_loss = true;
    model.dead = dead_after(training, follower);
  } catch (const Diverged& end) {
    fail("loss", end.what);
  } catch (const Error& fault) {
    fail(follower.place(), fault.what());
  } catch (const c10::Error& fault) {
    fail(follower.place(), words_of(fault));
  } catch (const std::bad_alloc&) {
    fail(follower.place(), "out of memory");
  }
}

}  // namespace

trial::BuiltModel build_trial(const trial::WorkSetup& setup, const trial::PieceOrder& order) {
  trial::BuiltModel model{.place = "building"};
  try {
    const std::unique_ptr<Training> training = make_training(setup, order, device_of(setup).device);
    training->load_initial();
    model.is_built = true;
    model.parameters = trainable(training->network().parameters());
    model.place.clear();
    take_steps(*training, model);
  } catch (const Error& fault) {
    model.fault = fault.what();
  } catch (const c10::Error& fault) {
    model.fault = words_of(fault);
  } catch (const std::bad_alloc&) {
    model.fault = "out of memory";
  }
  return model;
}

}  // namespace dlrun::train
