// SPDX-License-Identifier: Apache-2.0
#include "parallel/all_reduce.hpp"

#include "parallel/codecs/codecs.hpp"
#include "parallel/packing.hpp"

namespace dlrun::parallel {

namespace {

template <class Real>
Message<Real> part_of(const Gang& gang, Kind kind, const Sum<Real>& sum, const Shard& chunk, double samples) {
  Message<Real> message{
      .kind = kind, .clock = sum.clock, .samples = samples, .numbers = slice(sum.numbers, chunk), .share = chunk.share};
  shorten(gang, message);
  return message;
}

/// A finished part as the others will have it.
template <class Real>
void finish_part(const Gang& gang, Sum<Real>& sum, const Shard& chunk, std::vector<Real> total) {
  if (std::holds_alternative<Bf16>(gang.codec)) round_to_bf16(total);
  paste(sum.numbers, chunk, total);
}

/// Two ranks: each sends the other all it has, which is no more than two halves, and both wait once instead of twice.
template <class Real>
Task reduce_of_two(Env<Real>& env, Sum<Real>& sum) {
  const int self = env.self();
  const bool is_short = std::holds_alternative<Bf16>(env.gang().codec);
  const Shard all{0, sum.numbers.size(), sum.share};
  env.post(1 - self, part_of(env.gang(), Kind::part, sum, all, sum.samples));
  if (is_short) round_to_bf16(sum.numbers);
  const Filter filter{.kind = Kind::part, .from = 1 - self, .clock = sum.clock};
  Message<Real> other = co_await env.receive(filter);
  co_await env.work(sum.share);
  if (self == 1) std::swap(sum.numbers, other.numbers);  // summed in the order of ranks
  add_to(sum.numbers, other.numbers);
  if (is_short) round_to_bf16(sum.numbers);
  sum.samples += other.samples;
}

}  // namespace

template <class Real>
Task reduce_directly(Env<Real>& env, Sum<Real>& sum) {
  const int n = env.gang().ranks, self = env.self();
  if (n == 2) co_return co_await reduce_of_two(env, sum);
  const std::vector<Shard> chunks = equal_shards(sum.numbers.size(), n, sum.share);
  for (int to = 0; to < n; ++to) {
    if (to != self) env.post(to, part_of(env.gang(), Kind::part, sum, chunks[std::size_t(to)], sum.samples));
  }
  const Shard& own = chunks[std::size_t(self)];
  std::vector<Real> total(own.size());
  double samples = 0;
  for (int from = 0; from < n; ++from) {
    const Filter filter{.kind = Kind::part, .from = from, .clock = sum.clock};
    Message<Real> part;
    if (from == self) part = part_of(env.gang(), Kind::part, sum, own, sum.samples);
    if (from != self) {
      part = co_await env.receive(filter);
      co_await env.work(own.share);
    }
    add_to(total, part.numbers);
    samples += part.samples;
  }
  finish_part(env.gang(), sum, own, std::move(total));
  sum.samples = samples;
  for (int to = 0; to < n; ++to) {
    if (to != self) env.post(to, part_of(env.gang(), Kind::sum, sum, own, samples));
  }
  for (int from = 0; from < n; ++from) {
    if (from == self) continue;
    const Filter filter{.kind = Kind::sum, .from = from, .clock = sum.clock};
    const Message<Real> part = co_await env.receive(filter);
    co_await env.work(part.share);
    paste(sum.numbers, chunks[std::size_t(from)], part.numbers);
  }
}

template <class Real>
Task reduce_around(Env<Real>& env, Sum<Real>& sum) {
  const int n = env.gang().ranks, self = env.self(), next = (self + 1) % n, last = (self + n - 1) % n;
  const std::vector<Shard> chunks = equal_shards(sum.numbers.size(), n, sum.share);
  double samples = sum.samples, passing = sum.samples;
  for (int turn = 0; turn < 2 * (n - 1); ++turn) {
    const bool is_summing = turn < n - 1;
    const Kind kind = is_summing ? Kind::part : Kind::sum;
    const int gives = (self - turn + 2 * n) % n, takes = (gives + n - 1) % n;
    env.post(next, part_of(env.gang(), kind, sum, chunks[std::size_t(gives)], passing));
    const Filter filter{.kind = kind, .from = last, .clock = sum.clock};
    const Message<Real> part = co_await env.receive(filter);
    const Shard& chunk = chunks[std::size_t(takes)];
    co_await env.work(chunk.share);
    if (!is_summing) {
      paste(sum.numbers, chunk, part.numbers);
      continue;
    }
    std::vector<Real> total = part.numbers;
    add_to(total, slice(sum.numbers, chunk));
    finish_part(env.gang(), sum, chunk, std::move(total));
    passing = part.samples;
    samples += part.samples;
  }
  sum.samples = samples;
}

template <class Real>
Task reduce_outside(Env<Real>& env, Sum<Real>& sum) {
  sum.numbers.push_back(Real(sum.samples));
  co_await env.summed(sum.numbers, sum.share);
  sum.samples = double(sum.numbers.back());
  sum.numbers.pop_back();
}

template Task reduce_directly(Env<float>&, Sum<float>&);
template Task reduce_directly(Env<double>&, Sum<double>&);
template Task reduce_around(Env<float>&, Sum<float>&);
template Task reduce_around(Env<double>&, Sum<double>&);
template Task reduce_outside(Env<float>&, Sum<float>&);
template Task reduce_outside(Env<double>&, Sum<double>&);

}  // namespace dlrun::parallel
