// SPDX-License-Identifier: Apache-2.0
#include "protocol/result_parts.hpp"

#include <iterator>
#include <utility>

#include "util/error.hpp"

namespace dlrun::protocol {

/// Halves are encoded likewise, so that parts of any size fit.
std::string encode_in_parts(const Result& result) {
  Result first{{.key = result.result.key, .attempt = result.result.attempt}, true};
  Result rest = result;
  std::vector<trial::Report>& reports = rest.result.reports;
  const auto middle = reports.begin() + std::ptrdiff_t(reports.size() / 2);
  first.result.reports.assign(std::move_iterator(reports.begin()), std::move_iterator(middle));
  reports.erase(reports.begin(), middle);
  return encode(first) + encode(rest);
}

void ResultParts::pass(Result& result, std::size_t bytes) {
  trial::PieceResult& r = result.result;
  if (!is_of(r)) *this = {};
  if (!result.goes_on && reports_.empty()) return;
  key_ = r.key;
  attempt_ = r.attempt;
  bytes_ += bytes;
  if (bytes_ > kMaxResult + kMaxFrame) throw Error(ErrorKind::usage, "a result has too many parts");
  reports_.insert(reports_.end(), std::move_iterator(r.reports.begin()), std::move_iterator(r.reports.end()));
  r.reports.clear();
  if (result.goes_on) return;
  r.reports = std::move(reports_);
  *this = {};
}

}  // namespace dlrun::protocol
