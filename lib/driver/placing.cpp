// SPDX-License-Identifier: Apache-2.0
#include "driver/placing.hpp"

#include <filesystem>
#include <utility>

namespace dlrun::driver {

void Placing::place() {
  for (const Placement& placement : parts_.dispatcher.place(rules())) {
    Order order = order_for(placement);
    if (!placement.work.is_beside()) note_start(placement, order);
    parts_.executor.send(placement.worker, protocol::Assign{std::move(order.order)});
  }
  parts_.executor.flush();
}

void Placing::go_on(const Placement& placement) {
  const Work& work = placement.work;
  parts_.dispatcher.adopt(placement);
  if (!work.is_beside() && !parts_.stages.is_off()) parts_.stages.start(work.piece);
  Order order = order_for(placement);
  if (!work.is_beside()) {
    const StartRow row{.attempt = work.attempt(), .worker = placement.worker, .goes_on = true};
    parts_.side_rows.add(row, parts_.clock.now());
  }
  parts_.executor.send(placement.worker, protocol::Assign{std::move(order.order)});
}

PlacementRules Placing::rules() {
  PlacementRules rules;
  rules.may_leave = [this](std::int64_t worker, const Work& work) { return may_leave(worker, work); };
  if (!parts_.run_order.is_off()) {
    rules.first = [this](const std::deque<Work>& waiting, std::size_t idle) {
      return parts_.run_order.choose(waiting, parts_.dispatcher.under_way(), idle, parts_.clock.now());
    };
  }
  if (parts_.blame.is_quiet()) return rules;
  rules.may_run = [this, now = parts_.clock.now()](std::int64_t worker, const Work& work) {
    return parts_.blame.may_run(worker, work.piece.key, now);
  };
  return rules;
}

/// A piece that an earlier attempt has trained already waits for nobody, nor does one that is late.
bool Placing::may_leave(std::int64_t worker, const Work& work) {
  Stages& stages = parts_.stages;
  if (work.not_before > parts_.clock.now()) return false;
  const bool has_stage = !work.is_beside() && !stages.is_off() && work.alone_on.empty();
  const bool waits = has_stage && work.piece.copy_of == 0 && stages.waits(work.piece);
  if (waits && !find_partial(work, parts_.spec, parts_.store)) return false;
  if (has_stage) stages.start(work.piece);
  parts_.blame.given(worker);
  return true;
}

/// Makes the order for a piece as this worker needs it.
Order Placing::order_for(const Placement& placement) {
  Order order = make_order(placement.work, parts_.spec, parts_.study, parts_.store);
  const study::StartPiece& piece = placement.work.piece;
  if (placement.work.is_repair) {
    std::error_code none;  // an earlier run may have begun it
    std::filesystem::remove_all(order.order.folder, none);
    return order;
  }
  if (apart_.contains(placement.worker)) {
    parts_.stages.end(piece.key, piece.attempt, false);  // the worker leaves no stages, so nobody waits for any
    keep_apart(order);
  }
  parts_.stages.equip(order.order);
  const bool is_watched = !placement.work.is_test && !parts_.stragglers.is_off();
  if (is_watched) {
    parts_.stragglers.begin(piece, planned_ticks(parts_.spec, parts_.study, piece), parts_.clock.now());
  }
  parts_.run_order.begin(placement.work, parts_.clock.now());
  return order;
}

void Placing::note_start(const Placement& placement, const Order& order) {
  const study::StartPiece& piece = placement.work.piece;
  std::optional<trial::PieceKey> donor;
  if (order.order.inherits) donor = parts_.study.trial(piece.key.member.trial).donor;
  if (order.start) donor = order.start;
  parts_.side_rows.add(
      StartRow{placement.work.attempt(), placement.worker, order.start ? order.start_artifact : piece.resume,
               order.partial, donor, order.weights, piece.copy_of},
      parts_.clock.now());
}

}  // namespace dlrun::driver
