// SPDX-License-Identifier: Apache-2.0
#include "train/metrics/confusion.hpp"

#include <cmath>
#include <numeric>

namespace dlrun::train {

namespace {

double ratio(double a, double b) { return b > 0 ? a / b : 0; }
double sum(const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); }
double product(const std::vector<double>& a, const std::vector<double>& b) {
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0);
}

}  // namespace

Confusion::Confusion(std::int64_t classes)
    : both_(std::size_t(classes)), foretold_(std::size_t(classes)), occurring_(std::size_t(classes)) {}

void Confusion::add_example(std::int64_t foretold, std::int64_t label) {
  both_[std::size_t(label)] += foretold == label;
  ++foretold_[std::size_t(foretold)];
  ++occurring_[std::size_t(label)];
}

void Confusion::add(const Confusion& other, double times) {
  for (std::size_t c = 0; c < occurring_.size(); ++c) {
    both_[c] += times * other.both_[c];
    foretold_[c] += times * other.foretold_[c];
    occurring_[c] += times * other.occurring_[c];
  }
}

double Confusion::total() const { return sum(occurring_); }
double Confusion::agreed() const { return sum(both_); }
double Confusion::precision(std::size_t c) const { return ratio(both_[c], foretold_[c]); }
double Confusion::recall(std::size_t c) const { return ratio(both_[c], occurring_[c]); }
double Confusion::f1(std::size_t c) const { return ratio(2 * both_[c], foretold_[c] + occurring_[c]); }

double Confusion::of_class(const std::string& measure, std::size_t c) const {
  return measure == "precision" ? precision(c) : measure == "recall" ? recall(c) : f1(c);
}

double Confusion::macro(const std::string& measure) const {
  double total = 0, classes = 0;
  for (std::size_t c = 0; c < both_.size(); ++c) {
    if (occurring_[c] == 0 && foretold_[c] == 0) continue;
    total += of_class(measure, c);
    ++classes;
  }
  return ratio(total, classes);
}

double Confusion::weighted(const std::string& measure) const {
  double result = 0;
  for (std::size_t c = 0; c < both_.size(); ++c) result += occurring_[c] * of_class(measure, c);
  return ratio(result, total());
}

double Confusion::balanced_accuracy() const {
  double recalls = 0, classes = 0;
  for (std::size_t c = 0; c < both_.size(); ++c) {
    recalls += recall(c);
    classes += occurring_[c] > 0;
  }
  return ratio(recalls, classes);
}

/// Cohen 1960: (p_o - p_e) / (1 - p_e); 0 where chance explains everything.
double Confusion::kappa() const {
  const double n = total(), by_chance = ratio(product(foretold_, occurring_), n * n);
  return by_chance < 1 ? (ratio(agreed(), n) - by_chance) / (1 - by_chance) : 0;
}

/// Matthews' coefficient for several classes, R_K of Gorodkin 2004; 0 where one side never varies.
double Confusion::mcc() const {
  const double n = total();
  const double missed = n - sum(foretold_);  // foretold as a class that none has
  const double covariance = agreed() * n - product(foretold_, occurring_);
  const double spread =
      (n * n - product(foretold_, foretold_) - missed * missed) * (n * n - product(occurring_, occurring_));
  return spread > 0 ? covariance / std::sqrt(spread) : 0;
}

std::optional<double> Confusion::value(const std::string& name) const {
  if (name == "balanced_accuracy") return balanced_accuracy();
  if (name == "kappa") return kappa();
  if (name == "mcc") return mcc();
  if (name == "f1_micro") return ratio(agreed(), total());
  const std::size_t cut = name.find('_');
  const std::string measure = name.substr(0, cut), mean = cut == std::string::npos ? "" : name.substr(cut + 1);
  if (measure != "f1" && measure != "precision" && measure != "recall") return std::nullopt;
  if (mean.empty()) return of_class(measure, 1);
  return mean == "macro" ? macro(measure) : weighted(measure);
}

void Confusion::restore(const Json& json) {
  json.at(0).get_to(both_);
  json.at(1).get_to(foretold_);
  json.at(2).get_to(occurring_);
}

}  // namespace dlrun::train
