// SPDX-License-Identifier: Apache-2.0
// Optimisers that break one rule of their contract each.
#include <dlrun/plugin/optimizer.hpp>
#include <limits>

#include "guests.hpp"
#include "support/catch.hpp"

namespace optimizer_guests_test {

using namespace dlrun;
using contracts_test::chapter;
using contracts_test::Guest;
using contracts_test::made_of;
using plugin::Options;
using plugin::Stretch;

namespace {

int made = 0;  ///< objects in this chapter

/// Descent with momentum 0.9 and a decay that lr scales, and one fault.
class Planted final : public plugin::Optimizer {
 public:
  explicit Planted(const Options& options) : does_(options.text("does")), number_(++made) {
    if (does_ == "throws at once") throw std::runtime_error("no options please");
  }

  void step(const Stretch& stretch) override {
    ++steps_;
    if (does_ == "throws") throw std::runtime_error("the slope is slippery");
    const std::size_t last = stretch.size - 1;
    for (std::size_t i = 0; i <= last; ++i) take_step(stretch, i);
    if (does_ == "zeros at step 3" && stretch.step == 3) stretch.values[last] += 1e-30F;
    if (does_ == "first place") stretch.values[0] *= 1.001F;
    if (does_ == "short, too late" && stretch.size == 10 && stretch.step == 6) stretch.values[0] += 1;
    if (does_ == "short" && stretch.size == 10 && stretch.step == 5) stretch.values[0] += 1;
    if (does_ == "long" && stretch.size == 57) stretch.values[last] += 1;
    write_beyond(stretch, last);
  }

 private:
  void take_step(const Stretch& stretch, std::size_t i) const {
    float none = 0, &momentum = stretch.state.empty() ? none : stretch.state[0][i], &weight = stretch.values[i];
    const float old = momentum, lr = float(stretch.lr) * factor(stretch);
    momentum = 0.9F * momentum + stretch.grads[i];
    weight -= lr * (momentum + float(stretch.weight_decay) * weight);
    if (does_ == "state by chance" && stretch.step == 20) momentum += float(number_);
    if (does_ == "always decays") weight *= 0.999F;
    if (does_ == "decays without lr") weight *= 1 - float(stretch.weight_decay);
    if (does_ == "moves at lr 0" && stretch.step == 4 && stretch.lr == 0) weight += 0.001F * old;
    if (does_ == "decays away from zero" && weight == 0) weight += 1e-3F * float(stretch.weight_decay);
    if (does_ == "divides zeros" && weight == 0) weight = std::numeric_limits<float>::quiet_NaN();
  }

  float factor(const Stretch& stretch) const {
    if (does_ == "rises") return -0.01F;
    if (does_ == "stands") return 0;
    if (does_ == "explodes") return 1e9F;
    if (does_ == "chance" && stretch.step == 20) return 1 / float(number_);
    if (does_ == "remembers" && steps_ == 8) return 0.5F;
    if (does_ == "corrects by step") return 1 / float(stretch.step);
    return does_ == "corrects by its own count" ? 1 / float(steps_) : 1;
  }

  void write_beyond(const Stretch& stretch, std::size_t last) const {
    if (does_ == "behind the weights") stretch.values[last + 16] = 1;
    if (does_ == "before the weights") stretch.values[-16] = 1;
    if (does_ == "behind the gradients") const_cast<float*>(stretch.grads)[last + 1] = 1;
    if (does_ == "gradients") const_cast<float*>(stretch.grads)[last] += 1;
    if (does_ == "behind the state") stretch.state.back()[last + 16] = 1;
    if (does_ == "before the state") stretch.state.back()[-1] = 1;
  }

  std::string does_;
  int number_, steps_ = 0;
};

constexpr auto kMake = made_of<plugin::Optimizer, Planted, Options>;

const Guest planted(R"(
plugin: momentum_guest
kind: optimizer
state: [momentum]
lr: 0.01
weight_decay: 0.1
keys: [{name: does, type: text, text: its fault, default: nothing}]
)",
                    kMake);

const Guest two(R"(
plugin: two_buffers
kind: optimizer
state: [momentum, spare]
lr: 0.003
keys: [{name: does, type: text, text: its fault, default: nothing}]
)",
                kMake);

const Guest bare(R"(
plugin: no_buffer
kind: optimizer
lr: 0.5
keys: [{name: does, type: text, text: its fault, default: nothing}]
)",
                 kMake);

std::string chapters(const std::string& name, const std::vector<const char*>& faults) {
  std::string text;
  for (const char* does : faults) {
    made = 0;
    text += chapter(plugin::Kind::optimizer, name, {{"does", does}});
  }
  return text;
}

}  // namespace

TEST_CASE("each fault of an optimiser has its messages", "[contracts][optimizer]") {
  const std::string text = chapters("momentum_guest", {"nothing",
                                                       "throws at once",
                                                       "throws",
                                                       "rises",
                                                       "stands",
                                                       "explodes",
                                                       "chance",
                                                       "state by chance",
                                                       "remembers",
                                                       "corrects by step",
                                                       "corrects by its own count",
                                                       "first place",
                                                       "short",
                                                       "short, too late",
                                                       "long",
                                                       "always decays",
                                                       "decays without lr",
                                                       "moves at lr 0",
                                                       "zeros at step 3",
                                                       "divides zeros",
                                                       "decays away from zero",
                                                       "behind the weights",
                                                       "before the weights",
                                                       "behind the gradients",
                                                       "gradients",
                                                       "behind the state",
                                                       "before the state"}) +
                           chapters("two_buffers", {"nothing", "state by chance", "behind the state"}) +
                           chapters("no_buffer", {"nothing"});
  contracts_test::require_golden("optimizers.txt", text);
}

}  // namespace optimizer_guests_test
