// SPDX-License-Identifier: Apache-2.0
#include "samplers/quasi_sampler.hpp"

#include <fmt/format.h>

#include "samplers/draw.hpp"

namespace dlrun::samplers {

namespace {

constexpr std::uint64_t kSkipped = 64;

}  // namespace

QuasiSampler::QuasiSampler(const space::Space& space, std::uint64_t seed, std::unique_ptr<Sequence> sequence)
    : untried_(space), seed_(seed), sequence_(std::move(sequence)) {}

void QuasiSampler::on_start(trial::TrialId, const space::Values& values) {
  const Upcoming& next = upcoming();
  if (!next.values || *next.values == values) next_ = next.index + 1;
  upcoming_.reset();
  untried_.insert(values);
}

std::optional<space::Values> QuasiSampler::propose(std::int64_t number) {
  if (untried_.is_used_up()) {
    reason_ = untried_.used_up();
    return std::nullopt;
  }
  const Upcoming& next = upcoming();
  if (next.values) {
    reason_ = fmt::format("point {} of the scrambled {} sequence", next.index + 1, name());
    return next.values;
  }
  reason_ = "random: what comes next in the sequence was tried or is excluded";
  std::string remark;  // says of random points that they are random
  RandomStream random(seed_, {"sampler", name(), std::to_string(number)});
  return untried_.pick(
      random, [&] { return untried_.draw(random); }, remark);
}

const QuasiSampler::Upcoming& QuasiSampler::upcoming() {
  if (upcoming_) return *upcoming_;
  for (std::uint64_t index = next_; index <= next_ + kSkipped; ++index) {
    auto values = values_from(untried_.space(), sequence_->point(index));
    if (untried_.is_new(values)) return upcoming_.emplace(Upcoming{index, std::move(values)});
  }
  return upcoming_.emplace(Upcoming{next_ + kSkipped, std::nullopt});
}

}  // namespace dlrun::samplers
