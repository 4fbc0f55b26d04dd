// SPDX-License-Identifier: Apache-2.0
// Losses that break one rule of their contract each, and good ones close to the edge of a rule.
#include <ATen/ATen.h>

#include <dlrun/plugin/loss.hpp>
#include <set>

#include "guests.hpp"
#include "support/catch.hpp"

namespace loss_guests_test {

using namespace dlrun;
using contracts_test::chapter;
using contracts_test::Guest;
using contracts_test::made_of;
using plugin::Options;

namespace {

int calls = 0;               ///< of each() in this chapter
std::set<std::string> seen;  ///< sizes and types that each() was given

std::string text_of(const at::Tensor& tensor) {
  std::string text = c10::toString(tensor.scalar_type());
  for (const std::int64_t size : tensor.sizes()) text += ' ' + std::to_string(size);
  return text;
}

/// The same numbers, with `factor` times their gradient.
at::Tensor with_slope(const at::Tensor& x, double factor) { return x.detach() + factor * (x - x.detach()); }

/// Cross entropy, or the squared distance of numbers, and one fault.
class Planted final : public plugin::Loss {
 public:
  explicit Planted(const Options& options) : does_(options.text("does")), amount_(options.real("amount")) {
    if (does_ == "throws at once") throw std::runtime_error("no options please");
  }

  at::Tensor each(const at::Tensor& outputs, const at::Tensor& targets) override {
    ++calls, ++used_;
    seen.insert(text_of(outputs) + ", " + text_of(targets));
    change_in_place(outputs, targets);
    const at::Tensor right = sound(does_ == "slope" ? with_slope(outputs, amount_) : outputs, targets);
    if (does_.starts_with("gives")) return wrong_result(right);
    return right + fault_of_values(outputs, targets, right.detach()) + fault_of_gradients(outputs, right);
  }

  at::Tensor prediction(const at::Tensor& outputs) override {
    if (does_ == "prediction changes outputs") outputs.add_(1);
    if (does_ == "prediction throws") throw std::runtime_error("the future is dark");
    if (does_ == "predicts one") return outputs.narrow(1, 0, 1);
    if (does_ == "predicts doubles") return outputs.to(at::kDouble);
    if (does_ == "predicts infinity") return outputs / 0.0;
    if (does_ == "predicts too many") return at::cat({outputs, outputs}, 1);
    return does_ == "predicts the first half" ? outputs.narrow(1, 0, outputs.size(1) / 2) : outputs;
  }

 private:
  at::Tensor sound(const at::Tensor& outputs, const at::Tensor& targets) const {
    if (targets.is_floating_point()) return at::pow(outputs.narrow(1, 0, targets.size(1)) - targets, 2).mean(1);
    return -at::log_softmax(outputs, 1).gather(1, targets.unsqueeze(1)).squeeze(1);
  }

  void change_in_place(const at::Tensor& outputs, const at::Tensor& targets) const {
    if (does_ == "changes outputs") outputs.detach().add_(1);
    if (does_ == "changes targets") targets.mul_(0);
    if (does_ == "clamps outputs") outputs.detach().clamp_(-1, 1);
    if (does_ == "changes outputs in training" && outputs.requires_grad()) outputs.detach().add_(1);
    if (does_ == "changes outputs in measuring" && !outputs.requires_grad()) outputs.detach().add_(1);
  }

  at::Tensor wrong_result(const at::Tensor& right) const {
    if (does_ == "gives nothing") return {};
    if (does_ == "gives a column") return right.unsqueeze(1);
    if (does_ == "gives doubles") return right.to(at::kDouble);
    if (does_ == "gives no slope") return right.detach();
    return at::cat({right, right});
  }

  at::Tensor fault_of_values(const at::Tensor& outputs, const at::Tensor& targets, const at::Tensor& right) const {
    const at::Tensor none = at::zeros_like(right);
    const double greatest = outputs.detach().abs().max().item<double>();
    if (does_ == "infinite when sure" && greatest > 29.9) return none + INFINITY;
    if (does_ == "infinite beyond" && greatest > 30.1) return none + INFINITY;
    if (does_ == "infinite when sure and right" && right.max().item<double>() < 1e-6) return none + INFINITY;
    if (does_ == "infinite when sure and wrong" && right.min().item<double>() > 50) return none + INFINITY;
    if (does_ == "infinite at an edge" && amount_ == 3) return none + INFINITY;
    if (does_ == "infinite near an edge" && amount_ < 0.5) return none + INFINITY;
    if (does_ == "knows nine" && outputs.size(1) == 10) throw std::runtime_error("it knows nine");
    if (does_ == "place") return amount_ * right * at::arange(right.numel()).ne(0);
    if (does_ == "last place") return amount_ * right * at::arange(right.numel()).eq(16);
    if (does_ == "mixes") return (right.numel() > 1 ? amount_ : 0.0) * right.clamp_min(1);
    if (does_ == "mixes into the last") return right * (at::arange(right.numel()).ne(right.numel() - 1));
    if (does_ == "second call" && used_ == 2) return amount_ * at::ones_like(right) * right.mean().clamp_min(1);
    return does_ == "remembers" ? none + 0.01 * used_ : none + 0 * targets.numel();
  }

  at::Tensor fault_of_gradients(const at::Tensor& outputs, const at::Tensor& right) const {
    if (does_ == "infinite slope") return at::sqrt(0 * outputs).sum(1);
    return at::zeros_like(right);
  }

  std::string does_;
  double amount_;
  int used_ = 0;
};

constexpr auto kMake = made_of<plugin::Loss, Planted, Options>;

#define KEYS                                                                 \
  "keys:\n  - {name: does, type: text, text: its fault, default: nothing}\n" \
  "  - {name: amount, type: real, text: of the fault, default: 1}\n"

const Guest of_classes("plugin: class_loss\nkind: loss\nfits: classes\n" KEYS, kMake);
const Guest of_numbers("plugin: number_loss\nkind: loss\nfits: numbers\n" KEYS, kMake);
const Guest of_pairs("plugin: pair_loss\nkind: loss\nfits: numbers\noutputs_per_target: 2\n" KEYS, kMake);
const Guest bounded(R"(
plugin: bounded_loss
kind: loss
fits: classes
keys:
  - {name: does, type: text, text: its fault, default: nothing}
  - {name: amount, type: real, text: of the fault, above: 0, to: 3, default: 2}
)",
                    kMake);

std::string chapter_of(const std::string& name, const std::string& does, double amount = 1) {
  calls = 0;
  const std::string text = chapter(plugin::Kind::loss, name, {{"does", does}, {"amount", amount}});
  return text + "  " + std::to_string(calls) + " calls\n";
}

std::string chapters(const std::string& name, const std::vector<const char*>& faults) {
  std::string text;
  for (const char* does : faults) text += chapter_of(name, does);
  return text;
}

}  // namespace

TEST_CASE("each fault of a loss of classes has its messages", "[contracts][loss]") {
  const std::string text = chapters("class_loss", {"nothing",
                                                   "throws at once",
                                                   "gives nothing",
                                                   "gives a column",
                                                   "gives doubles",
                                                   "gives no slope",
                                                   "gives two for one",
                                                   "infinite when sure",
                                                   "infinite beyond",
                                                   "infinite when sure and right",
                                                   "infinite when sure and wrong",
                                                   "infinite slope",
                                                   "knows nine",
                                                   "mixes into the last",
                                                   "remembers",
                                                   "changes outputs",
                                                   "clamps outputs",
                                                   "changes targets",
                                                   "changes outputs in training",
                                                   "changes outputs in measuring",
                                                   "prediction changes outputs",
                                                   "prediction throws",
                                                   "predicts one",
                                                   "predicts doubles",
                                                   "predicts infinity",
                                                   "predicts too many"}) +
                           chapters("bounded_loss", {"nothing", "infinite at an edge", "infinite near an edge"});
  contracts_test::require_golden("class_losses.txt", text);
}

TEST_CASE("each fault of a loss of numbers has its messages", "[contracts][loss]") {
  const std::string text =
      chapters("number_loss", {"nothing", "knows nine", "gives a column", "remembers", "predicts one"}) +
      chapters("pair_loss", {"nothing", "predicts the first half", "prediction changes outputs"});
  contracts_test::require_golden("number_losses.txt", text);
}

TEST_CASE("tolerances of a loss's contract are neither wider nor narrower", "[contracts][loss]") {
  std::string text;
  for (const double factor : {0.95, 0.98, 1.02, 1.05}) text += chapter_of("class_loss", "slope", factor);
  for (const char* does : {"place", "last place", "mixes", "second call"}) {
    for (const double part : {0.8e-5, -0.8e-5, 1.3e-5, -1.3e-5}) text += chapter_of("class_loss", does, part);
  }
  contracts_test::require_golden("loss_tolerances.txt", text);
}

TEST_CASE("losses are tested with batches of every size", "[contracts][loss]") {
  std::string text;
  for (const char* name : {"class_loss", "number_loss", "pair_loss"}) {
    seen.clear();
    chapter_of(name, "nothing");
    text += name + std::string("\n");
    for (const std::string& one : seen) text += "  " + one + "\n";
  }
  contracts_test::require_golden("loss_batches.txt", text);
}

}  // namespace loss_guests_test
