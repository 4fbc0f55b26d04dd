// SPDX-License-Identifier: Apache-2.0
// Metrics that break one rule of their contract each. A metric has no keys, so the test says what it does.
#include <ATen/ATen.h>

#include <dlrun/plugin/metric.hpp>
#include <set>

#include "guests.hpp"
#include "support/catch.hpp"

namespace metric_guests_test {

using namespace dlrun;
using contracts_test::Guest;

namespace {

std::string does;            ///< the fault of the metrics of this chapter
double amount = 0;           ///< its size
int calls = 0;               ///< of value() in this chapter
std::set<std::string> seen;  ///< sizes and types that value() was given

std::string text_of(const at::Tensor& tensor) {
  std::string text = c10::toString(tensor.scalar_type());
  for (const std::int64_t size : tensor.sizes()) text += ' ' + std::to_string(size);
  return text;
}

at::Tensor wanted_of(const at::Tensor& predictions, const at::Tensor& targets) {
  if (targets.is_floating_point()) return targets;
  if (predictions.size(1) == 1) return targets.unsqueeze(1).to(at::kFloat);
  return at::one_hot(targets, predictions.size(1)).to(at::kFloat);
}

/// Mean distance of the predictions, and one fault.
class Planted : public plugin::Metric {
 public:
  double value(const at::Tensor& predictions, const at::Tensor& targets) override {
    ++calls;
    seen.insert(text_of(predictions) + ", " + text_of(targets));
    const at::Tensor away = (predictions - wanted_of(predictions, targets)).abs().to(at::kDouble);
    return fault(away.mean().item<double>(), away, predictions.size(1));
  }

 private:
  static double fault(double right, const at::Tensor& away, std::int64_t width) {
    const std::int64_t count = away.size(0);
    if (does == "infinite for one output" && width == 1) return right / 0.0;
    if (does == "undefined for three" && width == 3) return std::nan("");
    if (does == "undefined alone" && count == 1) return std::nan("");
    if (does == "call" && calls == int(amount)) return right + 1;
    if (does == "place") return right + amount * right * (away[0][0] > away[count - 1][0]).item<double>();
    const bool is_first_further = (away[0][0] > away[count - 1][0]).item<bool>();
    if (does == "large place") return 1e6 * right * (1 + amount * double(is_first_further));
    if (does == "large no mean" && count > 1) return 1e6 * right * (1 + amount);
    if (does == "reversed but for one output") return width == 1 ? 0.5 : -right;
    if (does == "reversed") return -right;
    if (does == "reversed for three") return width == 3 ? -right : right;
    if (does == "constant") return 0.5;
    if (does == "constant but for two") return width == 2 || width == 1 ? right : 0.5;
    if (does == "constant for the last") return width == 10 || width == 3 ? 0.5 : right;
    if (does == "no mean" && count > 1) return right + amount * std::max(1.0, right);
    return does.starts_with("large") ? 1e6 * right : right;
  }
};

void* make_metric(const void*) { return static_cast<plugin::Metric*>(new Planted); }

const Guest of_classes("plugin: of_classes\nkind: metric\ndirection: minimize\nfits: classes\nmean: true\n",
                       make_metric);
const Guest of_two("plugin: of_two\nkind: metric\ndirection: maximize\nfits: two_classes\n", make_metric);
const Guest of_labels("plugin: of_labels\nkind: metric\ndirection: minimize\nfits: labels\n", make_metric);
const Guest of_numbers("plugin: of_numbers\nkind: metric\ndirection: minimize\nfits: numbers\nmean: true\n",
                       make_metric);

std::string chapter(const std::string& name, const std::string& fault, double how_much = 0) {
  does = fault, amount = how_much, calls = 0;
  const std::string text = contracts_test::verdicts(plugin::Kind::metric, name);
  return "metric " + name + " " + fault + " " + to_text(Json(how_much)) + "\n" + text + "  " + std::to_string(calls) +
         " calls\n";
}

std::string chapters(const std::string& name, const std::vector<const char*>& faults) {
  std::string text;
  for (const char* fault : faults) text += chapter(name, fault);
  return text;
}

}  // namespace

TEST_CASE("each fault of a metric has its messages", "[contracts][metric]") {
  std::string text = chapters(
      "of_classes", {"nothing", "infinite for one output", "undefined for three", "undefined alone", "reversed",
                     "reversed for three", "constant", "constant but for two", "constant for the last", "large"});
  text += chapters("of_two", {"nothing", "reversed", "reversed but for one output", "infinite for one output"});
  text += chapters("of_labels", {"nothing"});
  text += chapters("of_numbers", {"nothing", "undefined for three", "constant for the last", "reversed"});
  contracts_test::require_golden("metrics.txt", text);
}

TEST_CASE("a metric that differs at one call is found by the test of that call", "[contracts][metric]") {
  std::string text;
  for (int call = 1; call <= 48; ++call) text += chapter("of_classes", "call", call);
  for (const int call : {1, 2, 3, 4, 5, 10, 20}) text += chapter("of_numbers", "call", call);
  contracts_test::require_golden("metric_calls.txt", text);
}

TEST_CASE("tolerances of a metric's contract are neither wider nor narrower", "[contracts][metric]") {
  std::string text;
  for (const char* fault : {"place", "no mean", "large place", "large no mean"}) {
    for (const double part : {0.8e-5, -0.8e-5, 1.2e-5, -1.2e-5})
      text += chapter("of_classes", fault, part) + chapter("of_numbers", fault, part);
  }
  contracts_test::require_golden("metric_tolerances.txt", text);
}

TEST_CASE("metrics are tested with labels of each number of classes, and with numbers", "[contracts][metric]") {
  std::string text;
  for (const char* name : {"of_classes", "of_two", "of_labels", "of_numbers"}) {
    seen.clear();
    chapter(name, "nothing");
    text += name + std::string("\n");
    for (const std::string& one : seen) text += "  " + one + "\n";
  }
  contracts_test::require_golden("metric_splits.txt", text);
}

}  // namespace metric_guests_test
