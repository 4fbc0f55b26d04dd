// SPDX-License-Identifier: Apache-2.0
// The contract of optimisers, as include/dlrun/plugin/optimizer.hpp states it.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <dlrun/plugin/optimizer.hpp>
#include <memory>

#include "nn/guarded.hpp"
#include "plugin/opened.hpp"
#include "plugin/section.hpp"
#include "train/contracts/contract.hpp"
#include "util/random.hpp"

namespace dlrun::train::contracts {

namespace {

constexpr std::size_t kWeights = 67;  ///< no multiple of a vector's width
constexpr std::int64_t kSteps = 200;  ///< steps of a descent
constexpr std::size_t kFence = 16;    ///< numbers before and behind each buffer
constexpr float kMark = 12345.678F;

bool are_equal(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Numbers between two fences.
class Buffer {
 public:
  explicit Buffer(const std::vector<float>& numbers) : all_(numbers.size() + 2 * kFence, kMark) {
    std::copy(numbers.begin(), numbers.end(), all_.begin() + kFence);
  }
  float* data() { return all_.data() + kFence; }
  std::vector<float> numbers() const { return {all_.begin() + kFence, all_.end() - kFence}; }
  bool is_whole() const {
    const auto is_marked = [](float number) { return number == kMark; };
    return std::all_of(all_.begin(), all_.begin() + kFence, is_marked) &&
           std::all_of(all_.end() - kFence, all_.end(), is_marked);
  }

 private:
  std::vector<float> all_;
};

/// Weights and the state that belongs to them.
struct Progress {
  std::vector<float> values;
  std::vector<std::vector<float>> state;
};

/// f(w) = sum of curvature * (w - bottom)^2 / 2.
class Bowl {
 public:
  Bowl() {
    RandomStream random(23, {"contract", "bowl"});
    for (std::size_t i = 0; i < kWeights; ++i) {
      curvature_.push_back(float(0.5 + random.uniform()));
      bottom_.push_back(float(random.normal()));
    }
  }
  double value(const std::vector<float>& w) const {
    double sum = 0;
    for (std::size_t i = 0; i < w.size(); ++i) sum += 0.5 * curvature_[i] * std::pow(double(w[i]) - bottom_[i], 2);
    return sum;
  }
  std::vector<float> gradient(const std::vector<float>& w) const {
    std::vector<float> grads;
    for (std::size_t i = 0; i < w.size(); ++i) grads.push_back(curvature_[i] * (w[i] - bottom_[i]));
    return grads;
  }

 private:
  std::vector<float> curvature_, bottom_;
};

struct StepSettings {
  std::int64_t number = 1;
  double lr = 0;
  double weight_decay = 0;
};

class OptimizerContract {
 public:
  explicit OptimizerContract(const Tested& tested)
      : tested_(tested), lr_(tested.manifest().at("lr")), decay_(tested.manifest().at("weight_decay")) {}

  std::string descent() {
    Progress at = start();
    const double before = bowl_.value(at.values);
    walk(*made(), at, 1, kSteps);
    const double after = bowl_.value(at.values);
    if (!std::isfinite(after)) throw Broken{fmt::format("{} steps with lr {:g} lead to infinity", kSteps, lr_)};
    if (after >= before)
      throw Broken{fmt::format("{} steps with lr {:g} raise a quadratic function from {:.4g} to {:.4g}", kSteps, lr_,
                               before, after)};
    return fmt::format("{} steps with lr {:g}: a quadratic function falls from {:.4g} to {:.4g}", kSteps, lr_, before,
                       after);
  }

  std::string same_bits() {
    Progress one = start(), other = start();
    walk(*made(), one, 1, 20);
    walk(*made(), other, 1, 20);
    require_equal(one, other, "two objects take different steps");
    return "two objects take the same 20 steps";
  }

  std::string state() {
    Progress whole = start(), halves = start();
    walk(*made(), whole, 1, 20);
    walk(*made(), halves, 1, 7);
    walk(*made(), halves, 8, 20);
    require_equal(whole, halves, "a new object with weights and state of step 7 continues with other steps");
    return "a new object continues after step 7 with the same bits";
  }

  std::string stretches() {
    const auto optimizer = made();
    Progress whole = start(), parts = start();
    for (std::int64_t step = 1; step <= 5; ++step) {
      take_step(*optimizer, whole, {step, lr_, decay_}, 0, kWeights);
      take_step(*optimizer, parts, {step, lr_, decay_}, 0, 10);
      take_step(*optimizer, parts, {step, lr_, decay_}, 10, kWeights);
    }
    require_equal(whole, parts, "weights that are cut into two stretches take other steps");
    return "the same steps in one stretch and in two";
  }

  std::string no_rate() {
    Progress at = start();
    walk(*made(), at, 1, 3);
    const std::vector<float> before = at.values;
    take_step(*made(), at, {4, 0, 0}, 0, kWeights);
    if (!are_equal(before, at.values)) throw Broken{"a step with lr 0 and weight_decay 0 changes weights"};
    return "a step with lr 0 and weight_decay 0 changes no weight";
  }

  std::string padding() {
    Progress at = start();
    at.values.assign(kWeights, 0);
    const std::vector<float> grads(kWeights, 0);
    const auto optimizer = made();
    for (std::int64_t step = 1; step <= 3; ++step) step_once(*optimizer, at, grads, {step, lr_, decay_}, 0, kWeights);
    const bool are_zero = std::all_of(at.values.begin(), at.values.end(), [](float value) { return value == 0; });
    if (!are_zero) throw Broken{"weights that are zero, with gradients that are zero, do not stay zero"};
    return "zeros with gradients of zero stay zeros";
  }

  std::string buffers() {
    Progress at = start();
    walk(*made(), at, 1, 3);
    const std::size_t count = at.state.size();
    return fmt::format("gradients stay as they are, nothing beside weights and {} {} is written", count,
                       count == 1 ? "buffer" : "buffers");
  }

 private:
  using MakeOptimizer = plugin::Optimizer* (*)(const plugin::Options& options);

  std::unique_ptr<plugin::Optimizer> made() const {
    const auto make = reinterpret_cast<MakeOptimizer>(plugin::open_symbol(tested_.plugin));
    const plugin::Options options = plugin::options_of(tested_.section, tested_.plugin.manifest->keys);
    return nn::guarded(name(), [&] { return std::unique_ptr<plugin::Optimizer>(make(options)); });
  }

  const std::string& name() const { return tested_.plugin.manifest->name; }

  Progress start() const {
    RandomStream random(23, {"contract", "start"});
    Progress at{{},
                std::vector<std::vector<float>>(tested_.manifest().at("state").size(), std::vector<float>(kWeights))};
    for (std::size_t i = 0; i < kWeights; ++i) at.values.push_back(float(3 * random.normal()));
    return at;
  }

  void walk(plugin::Optimizer& optimizer, Progress& at, std::int64_t from, std::int64_t to) const {
    for (std::int64_t step = from; step <= to; ++step) take_step(optimizer, at, {step, lr_, decay_}, 0, kWeights);
  }

  void take_step(plugin::Optimizer& optimizer, Progress& at, const StepSettings& settings, std::size_t begin,
                 std::size_t end) const {
    step_once(optimizer, at, bowl_.gradient(at.values), settings, begin, end);
  }

  /// A step of the weights from `begin` to `end`, in buffers of its own.
  void step_once(plugin::Optimizer& optimizer, Progress& at, const std::vector<float>& grads,
                 const StepSettings& settings, std::size_t begin, std::size_t end) const {
    const auto part = [&](const std::vector<float>& all) {
      return Buffer(std::vector<float>(all.begin() + std::ptrdiff_t(begin), all.begin() + std::ptrdiff_t(end)));
    };
    const auto put = [&](const Buffer& buffer, std::vector<float>& all) {
      require_fences(buffer);
      const std::vector<float> numbers = buffer.numbers();
      std::copy(numbers.begin(), numbers.end(), all.begin() + std::ptrdiff_t(begin));
    };
    Buffer values = part(at.values), given = part(grads);
    const std::vector<float> gradients = given.numbers();
    std::vector<Buffer> state;
    for (const std::vector<float>& one : at.state) state.push_back(part(one));
    plugin::Stretch stretch{values.data(), given.data(),         {}, end - begin, settings.number,
                            settings.lr,   settings.weight_decay};
    for (Buffer& one : state) stretch.state.push_back(one.data());
    nn::guarded(name(), [&] { optimizer.step(stretch); });
    put(values, at.values);
    require_fences(given);
    if (!are_equal(gradients, given.numbers())) throw Broken{"it changes the gradients"};
    for (std::size_t i = 0; i < state.size(); ++i) put(state[i], at.state[i]);
  }

  static void require_fences(const Buffer& buffer) {
    if (!buffer.is_whole()) throw Broken{"it writes before or behind the numbers of a buffer"};
  }

  static void require_equal(const Progress& one, const Progress& other, const char* broken) {
    if (!are_equal(one.values, other.values)) throw Broken{broken};
    for (std::size_t i = 0; i < one.state.size(); ++i) {
      if (!are_equal(one.state[i], other.state[i])) throw Broken{fmt::format("{}, for the state differs", broken)};
    }
  }

  const Tested& tested_;
  double lr_, decay_;
  Bowl bowl_;
};

}  // namespace

std::vector<Check> optimizer_checks(const Tested& tested) {
  const auto contract = std::make_shared<OptimizerContract>(tested);
  return {{"descent", [=] { return contract->descent(); }}, {"equal bits", [=] { return contract->same_bits(); }},
          {"state", [=] { return contract->state(); }},     {"stretches", [=] { return contract->stretches(); }},
          {"lr 0", [=] { return contract->no_rate(); }},    {"padding", [=] { return contract->padding(); }},
          {"buffers", [=] { return contract->buffers(); }}};
}

}  // namespace dlrun::train::contracts
