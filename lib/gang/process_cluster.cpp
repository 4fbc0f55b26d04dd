// SPDX-License-Identifier: Apache-2.0
#include "gang/process_cluster.hpp"

#include <ctime>

#include <algorithm>
#include <utility>

#include "util/error.hpp"

namespace dlrun::gang {

using parallel::Message;

namespace {

/// Processor time of this thread, in which all happens.
double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

}  // namespace

ProcessCluster::ProcessCluster(const parallel::Gang& gang, const parallel::Algorithm<float>& algorithm,
                               parallel::Members<float>& members, parallel::Learner<float>& learner, Place& place,
                               const Options& options, Collective* collective)
    : gang_(gang),
      algorithm_(algorithm),
      place_(place),
      collective_(collective),
      process_(gang, algorithm, members, learner, place.process, options, *this),
      quiescence_(1 + int(place.others().size())) {}

void ProcessCluster::begin(const parallel::Deal& deal) {
  deal_ = deal;
  began_ = std::chrono::steady_clock::now();
  process_.begin();
}

/// Messages before the gradient: what was sent while the last one was computed counts at once.
bool ProcessCluster::advance() {
  if (process_.has_turn()) return process_.take_turn(), true;
  if (process_.has_sums()) return await_sum(), true;
  const auto patience = batch_ ? std::chrono::milliseconds(0) : kWait;
  if (auto received = receive(patience)) {
    handle(std::move(*received));
  } else if (batch_) {
    compute();
  }
  if (place_.is_first() && !is_at_rest_ && is_idle() && is_exhausted() && quiescence_.may_ask()) ask();
  return !is_at_rest_;
}

/// Others may say meanwhile that they have failed, or be asked whether they are there.
void ProcessCluster::await_sum() {
  if (auto total = take_sum()) return process_.give_sum(std::move(*total));
  if (auto received = receive(std::chrono::milliseconds(0))) handle(std::move(*received));
}

std::optional<std::vector<float>> ProcessCluster::take_sum() {
  const double from = now();
  try {
    auto total = collective_->take(kWait);
    seconds_.waiting += now() - from;
    return total;
  } catch (const Error&) {
    hear_last_words();
    throw;
  }
}

/// Where a sum failed, a rank has failed, or is gone.
/// @throws PeerLost, Fault; as a rule
void ProcessCluster::hear_last_words() {
  constexpr std::chrono::milliseconds kPatience{2000};
  while (auto received = receive(kPatience)) handle(std::move(*received));
}

/// Time on the processor counts as a transfer: bytes are copied. The rest is spent waiting.
std::optional<Mesh::Received> ProcessCluster::receive(std::chrono::milliseconds patience) {
  const double from = now(), busy_from = processor_seconds();
  auto received = place_.mesh.receive(patience);
  const double busy = processor_seconds() - busy_from;
  seconds_.transferring += busy;
  seconds_.waiting += std::max(0.0, now() - from - busy);
  return received;
}

void ProcessCluster::end() {
  ended_ = now();
  process_.end();
}

/// A server of a synchronous method does not know; it counts its own steps.
std::int64_t ProcessCluster::started() const {
  if (algorithm_.is_synchronous()) return std::min(computed_ * gang_.ranks, deal_.batches());
  return std::min(drawn(), deal_.batches());
}

std::int64_t ProcessCluster::settled() const {
  const std::int64_t begun = started();
  return algorithm_.is_synchronous() ? std::max<std::int64_t>(0, begun - 1) / gang_.ranks * gang_.ranks : begun;
}

double ProcessCluster::now() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

/// A synchronous rank has the same number of gradients as the others, some of them empty ones.
void ProcessCluster::find_batch(parallel::Process<float>&) {
  if (is_own()) {
    if (round_ >= rounds()) return;
    if (!algorithm_.is_synchronous()) count_batch();
    batch_ = round_++ * gang_.ranks + process_.waiting_rank();
  } else if (place_.counts_batches) {
    if (const std::int64_t batch = place_.counter.next(); batch < deal_.batches()) batch_ = batch;
  } else {
    is_asking_ = true;
    place_.send(0, {PacketKind::draw});
  }
}

/// The batches of a rank are its own: those of its rounds, or of its list.
bool ProcessCluster::is_own() const { return algorithm_.is_synchronous() || deal_.has_lists(); }

/// Gradients that a rank of this process takes, if they are its own.
std::int64_t ProcessCluster::rounds() const {
  if (algorithm_.is_synchronous()) return deal_.rounds(gang_.ranks);
  return place_.process < gang_.ranks ? deal_.of_rank(place_.process) : 0;
}

/// Says that a rank begins one of its own, for the schedules of all.
void ProcessCluster::count_batch() {
  if (!place_.counts_batches) return place_.send(0, {PacketKind::draw});
  place_.counter.next();
}

void ProcessCluster::answer_draw(int process) {
  Packet reply{PacketKind::batch};
  reply.drawn = place_.counter.next() + 1;
  place_.send(process, std::move(reply));
}

void ProcessCluster::compute() {
  const std::int64_t batch = *std::exchange(batch_, std::nullopt);
  const bool exists = !is_own() || deal_.has(process_.waiting_rank(), batch / gang_.ranks, gang_.ranks);
  ++computed_;
  recorder_.note_batch(batch);
  const double from = now();
  process_.make_gradient(batch, exists);
  if (exists) seconds_.computing += now() - from;
  process_.give_gradient();
}

/// Whatever is neither computed nor moved is taken in.
std::vector<parallel::Cost> ProcessCluster::costs() const {
  parallel::Cost cost = process_.cost();
  cost.seconds = seconds_;
  cost.seconds.applying = std::max(0.0, ended_ - cost.seconds.all());
  return {cost};
}

void ProcessCluster::handle(Mesh::Received received) {
  Packet& packet = received.packet;
  if (packet.generation < place_.generation && packet.kind != PacketKind::fault) return;
  drawn_ = std::max(drawn_, packet.drawn);
  switch (packet.kind) {
    case PacketKind::message: return handle_message(std::move(received));
    case PacketKind::draw: return answer_draw(received.from);
    case PacketKind::batch: {
      const bool was_asking = std::exchange(is_asking_, false);
      if (was_asking && packet.drawn <= deal_.batches()) batch_ = packet.drawn - 1;
      return;
    }
    case PacketKind::probe: {
      const Tally now = tally();
      Packet reply{PacketKind::tally};
      reply.message = {.from = now.is_idle ? 1 : 0, .clock = now.sent, .samples = double(now.taken)};
      return place_.send(received.from, std::move(reply));
    }
    case PacketKind::tally:
      return answer({packet.message.from == 1, packet.message.clock, std::int64_t(packet.message.samples)});
    case PacketKind::rest: is_at_rest_ = true; return;
    case PacketKind::regroup: throw Regroup{packet.generation};
    case PacketKind::fault: throw Fault{packet.text};
    default: throw Error(ErrorKind::internal, "a rank was sent what belongs between two epochs");
  }
}

void ProcessCluster::handle_message(Mesh::Received received) {
  ++taken_;
  begun_ = started();
  recorder_.note_message(received.from, begun_);
  process_.deliver(received.packet.to, std::move(received.packet.message));
}

void ProcessCluster::send(parallel::Process<float>&, int to, Message<float> message) {
  ++sent_;
  const double from = now();
  place_.send(gang_.process_of(to), {PacketKind::message, to, std::move(message), {}, 0, drawn()});
  seconds_.transferring += now() - from;
}

std::int64_t ProcessCluster::drawn() const { return place_.counts_batches ? place_.counter.value() : drawn_; }

/// No batch is left to be begun, as far as this process knows.
bool ProcessCluster::is_exhausted() const {
  return is_own() ? round_ >= rounds() : place_.counter.value() >= deal_.batches();
}

void ProcessCluster::ask() {
  quiescence_.note_wave();
  for (const int to : place_.others()) place_.send(to, {PacketKind::probe});
  answer(tally());
}

void ProcessCluster::answer(const Tally& tally) {
  if (!quiescence_.add(tally)) return;
  is_at_rest_ = true;
  for (const int to : place_.others()) place_.send(to, {PacketKind::rest});
}

}  // namespace dlrun::gang
