// SPDX-License-Identifier: Apache-2.0
#include "driver/packing.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <set>
#include <utility>

namespace dlrun::driver {

namespace {

/// Workers by their loads while pieces are given out.
class Workers {
 public:
  explicit Workers(const std::vector<double>& busy) : packing_{std::vector<std::vector<std::size_t>>(busy.size()), 0} {
    for (std::size_t worker = 0; worker < busy.size(); ++worker) by_load_.emplace(busy[worker], worker);
    packing_.end = by_load_.rbegin()->first;
  }

  void give_to_emptiest(std::size_t piece, double length) { give(by_load_.begin(), piece, length); }

  /// Gives the piece to the fullest worker that then ends by `end`. False: there is none.
  bool give_by(double end, std::size_t piece, double length) {
    const auto after = by_load_.upper_bound({end - length, std::numeric_limits<std::size_t>::max()});
    if (after == by_load_.begin()) return false;
    give(std::prev(after), piece, length);
    return true;
  }

  Packing release() { return std::move(packing_); }

 private:
  using Loads = std::set<std::pair<double, std::size_t>>;

  void give(Loads::iterator to, std::size_t piece, double length) {
    const auto [load, worker] = *to;
    by_load_.erase(to);
    by_load_.emplace(load + length, worker);
    packing_.pieces[worker].push_back(piece);
    packing_.end = std::max(packing_.end, load + length);
  }

  Loads by_load_;
  Packing packing_;
};

/// Indices, the longest piece first; of equal ones the first.
std::vector<std::size_t> longest_first(const std::vector<double>& lengths) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  return order;
}

/// All pieces on workers that end by `end`; nullopt: best fit finds no way.
std::optional<Packing> pack_by(double end, const std::vector<double>& lengths, const std::vector<std::size_t>& order,
                               const std::vector<double>& busy) {
  Workers workers(busy);
  for (const std::size_t piece : order) {
    if (!workers.give_by(end, piece, lengths[piece])) return std::nullopt;
  }
  return workers.release();
}

/// No packing ends before this.
double least_end(const std::vector<double>& lengths, const std::vector<double>& busy) {
  const double work = std::accumulate(lengths.begin(), lengths.end(), std::accumulate(busy.begin(), busy.end(), 0.0));
  return std::max(work / double(busy.size()), *std::max_element(busy.begin(), busy.end()));
}

}  // namespace

Packing spread(const std::vector<double>& lengths, const std::vector<double>& busy) {
  Workers workers(busy);
  for (const std::size_t piece : longest_first(lengths)) workers.give_to_emptiest(piece, lengths[piece]);
  return workers.release();
}

namespace {

constexpr std::size_t kNothing = std::numeric_limits<std::size_t>::max();

/// Exchange of a piece of the worker that ends last, for none or a shorter one of another worker.
struct Exchange {
  double end = 0;  ///< end of the later of the two workers
  std::size_t worker = 0, given = 0;
  std::size_t taken = kNothing;
};

/// A packing that is improved step by step.
class Leveller {
 public:
  Leveller(Packing packing, const std::vector<double>& lengths, const std::vector<double>& busy)
      : packing_(std::move(packing)), lengths_(lengths), ends_(busy) {
    for (std::size_t worker = 0; worker < ends_.size(); ++worker) {
      for (const std::size_t piece : packing_.pieces[worker]) ends_[worker] += lengths_[piece];
    }
  }

  /// False: no exchange lets the last worker end earlier.
  bool improve() {
    const auto last = std::size_t(std::max_element(ends_.begin(), ends_.end()) - ends_.begin());
    Exchange best{ends_[last] * (1 - 1e-9)};
    const double start = best.end;
    for (std::size_t given = 0; given < packing_.pieces[last].size(); ++given) {
      for (std::size_t worker = 0; worker < ends_.size(); ++worker) {
        if (worker != last) offer(last, worker, given, best);
      }
    }
    if (best.end == start) return false;
    carry_out(last, best);
    return true;
  }

  Packing finish() {
    packing_.end = *std::max_element(ends_.begin(), ends_.end());
    for (auto& pieces : packing_.pieces)
      std::sort(pieces.begin(), pieces.end(), [&](std::size_t a, std::size_t b) {
        return lengths_[a] > lengths_[b] || (lengths_[a] == lengths_[b] && a < b);
      });
    return std::move(packing_);
  }

 private:
  void offer(std::size_t last, std::size_t worker, std::size_t given, Exchange& best) const {
    const double length = lengths_[packing_.pieces[last][given]];
    const auto consider = [&](double back, std::size_t taken) {
      const double end = std::max(ends_[last] - length + back, ends_[worker] + length - back);
      if (end < best.end) best = {end, worker, given, taken};
    };
    consider(0, kNothing);
    for (std::size_t taken = 0; taken < packing_.pieces[worker].size(); ++taken)
      consider(lengths_[packing_.pieces[worker][taken]], taken);
  }

  void carry_out(std::size_t last, const Exchange& exchange) {
    auto &own = packing_.pieces[last], &other = packing_.pieces[exchange.worker];
    const double length = lengths_[own[exchange.given]];
    const bool takes = exchange.taken != kNothing;
    const double back = takes ? lengths_[other[exchange.taken]] : 0;
    if (takes) {
      std::swap(own[exchange.given], other[exchange.taken]);
    } else {
      other.push_back(own[exchange.given]);
      own.erase(own.begin() + std::ptrdiff_t(exchange.given));
    }
    ends_[last] += back - length;
    ends_[exchange.worker] += length - back;
  }

  Packing packing_;
  const std::vector<double>& lengths_;
  std::vector<double> ends_;
};

}  // namespace

Packing pack(const std::vector<double>& lengths, const std::vector<double>& busy) {
  Packing best = spread(lengths, busy);
  const std::vector<std::size_t> order = longest_first(lengths);
  double low = least_end(lengths, busy);
  for (int i = 0; i < kHalvings && low < best.end; ++i) {
    const double middle = (low + best.end) / 2;
    if (auto better = pack_by(middle, lengths, order, busy)) {
      best = std::move(*better);
    } else {
      low = middle;
    }
  }
  return levelled(std::move(best), lengths, busy);
}

Packing levelled(Packing packing, const std::vector<double>& lengths, const std::vector<double>& busy) {
  Leveller leveller(std::move(packing), lengths, busy);
  for (int i = 0; i < kExchanges && leveller.improve(); ++i) continue;
  return leveller.finish();
}

}  // namespace dlrun::driver
