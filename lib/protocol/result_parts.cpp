// SPDX-License-Identifier: Apache-2.0
#include "protocol/result_parts.hpp"

#include <iterator>
#include <utility>

#include "util/error.hpp"

namespace dlrun::protocol {

namespace {

template <class T>
std::vector<T> take_half(std::vector<T>& all) {
  const auto middle = all.begin() + std::ptrdiff_t(all.size() / 2);
  std::vector<T> half{std::move_iterator(all.begin()), std::move_iterator(middle)};
  all.erase(all.begin(), middle);
  return half;
}

/// Half of the reports; of a single one, half of its metrics.
std::vector<trial::Report> first_half(std::vector<trial::Report>& reports) {
  if (reports.size() > 1) return take_half(reports);
  return {{reports[0].step, take_half(reports[0].metrics)}};
}

}  // namespace

bool has_parts(const Result& result) {
  const std::vector<trial::Report>& reports = result.result.reports;
  return reports.size() > 1 || (reports.size() == 1 && reports[0].metrics.size() > 1);
}

/// Halves are encoded likewise, so that parts of any size fit.
std::string encode_in_parts(const Result& result) {
  Result first{{.key = result.result.key, .attempt = result.result.attempt}, true};
  Result rest = result;
  first.result.reports = first_half(rest.result.reports);
  return encode(first) + encode(rest);
}

/// Joins the halves of a report.
void ResultParts::append(std::vector<trial::Report> reports) {
  for (trial::Report& report : reports) {
    const bool is_second = !reports_.empty() && reports_.back().step == report.step;
    if (!is_second) {
      reports_.push_back(std::move(report));
      continue;
    }
    for (trial::Metric& metric : report.metrics) reports_.back().metrics.push_back(std::move(metric));
  }
}

void ResultParts::pass(Result& result, std::size_t bytes) {
  trial::PieceResult& r = result.result;
  if (!is_of(r)) *this = {};
  if (!result.goes_on && reports_.empty()) return;
  key_ = r.key;
  attempt_ = r.attempt;
  bytes_ += bytes;
  if (bytes_ > kMaxResult + kMaxFrame) throw Error(ErrorKind::usage, "a result has too many parts");
  append(std::exchange(r.reports, {}));
  if (result.goes_on) return;
  r.reports = std::move(reports_);
  *this = {};
}

}  // namespace dlrun::protocol
