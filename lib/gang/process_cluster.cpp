// SPDX-License-Identifier: Apache-2.0
#include "gang/process_cluster.hpp"

#include <ctime>

#include <algorithm>
#include <utility>

#include "parallel/played_node.hpp"
#include "parallel/streams.hpp"
#include "util/error.hpp"

namespace dlrun::gang {

using parallel::Gradient;
using parallel::Message;
using parallel::Shard;

namespace {

/// Processor time of this thread, in which all happens.
double processor_seconds() {
  timespec time{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

}  // namespace

/// One node, with its coroutines.
class ProcessNode final : public parallel::PlayedNode<float> {
 public:
  ProcessNode(ProcessCluster& cluster, int self)
      : PlayedNode(cluster.gang_, self, parallel::stream_of(cluster.options_.seed, cluster.options_.run, "draws", self),
                   cluster.algorithm_, cluster.members_),
        cluster_(cluster) {}

  void set(Gradient<float> gradient) { gradient_ = std::move(gradient); }

 protected:
  void compute(const std::vector<float>& weights, std::coroutine_handle<> then) override {
    cluster_.find_batch({this, 0, &weights, then});
  }

  void begin_computing(const std::vector<float>& weights, std::coroutine_handle<> then) override {
    compute(weights, then);
  }
  void make(double, std::coroutine_handle<> then) override { cluster_.ready_.push_back({self(), then}); }
  void tell_squares(std::span<const float> means) override { cluster_.learner_.note_squares(means); }
  void work(double, std::coroutine_handle<> then) override { cluster_.ready_.push_back({self(), then}); }
  void settle(std::coroutine_handle<> then) override { cluster_.ready_.push_back({self(), then}); }
  void send(int to, Message<float> message) override { cluster_.send(to, std::move(message)); }
  void move(const Shard& shard, std::span<float> weights, std::span<const float> gradient, double factor) override {
    cluster_.learner_.step(self(), shard, weights, gradient, factor);
  }

 private:
  ProcessCluster& cluster_;
};

ProcessCluster::ProcessCluster(const parallel::Gang& gang, const parallel::Algorithm<float>& algorithm,
                               parallel::Members<float>& members, parallel::Learner<float>& learner, Place& place,
                               const Options& options)
    : gang_(gang),
      algorithm_(algorithm),
      members_(members),
      learner_(learner),
      place_(place),
      options_(options),
      quiescence_(1 + int(place.others().size())) {
  for (int node = 0; node < gang.nodes(); ++node) {
    if (gang.process_of(node) == place.process) nodes_.push_back(std::make_unique<ProcessNode>(*this, node));
  }
}

ProcessCluster::~ProcessCluster() = default;

void ProcessCluster::begin(const parallel::Deal& deal) {
  deal_ = deal;
  began_ = std::chrono::steady_clock::now();
  for (const auto& node : nodes_) node->begin();
}

/// Messages before the gradient: what was sent while the last one was computed counts at once.
bool ProcessCluster::advance() {
  if (!ready_.empty()) return go_on(), true;
  const auto patience = job_ ? std::chrono::milliseconds(0) : kWait;
  if (auto received = receive(patience)) {
    take(std::move(*received));
  } else if (job_) {
    compute();
  }
  if (place_.is_first() && !is_at_rest_ && is_idle() && is_exhausted() && quiescence_.may_ask()) ask();
  return !is_at_rest_;
}

/// Time on the processor counts as a transfer: bytes are copied. The rest is spent waiting.
std::optional<Mesh::Received> ProcessCluster::receive(std::chrono::milliseconds patience) {
  const double from = now(), busy_from = processor_seconds();
  auto received = place_.mesh.receive(patience);
  const double busy = processor_seconds() - busy_from;
  cost_.seconds.transferring += busy;
  cost_.seconds.waiting += std::max(0.0, now() - from - busy);
  return received;
}

void ProcessCluster::end() {
  ended_ = now();
  for (const auto& node : nodes_) node->end();
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
void ProcessCluster::find_batch(const Job& job) {
  if (is_own()) {
    if (round_ >= rounds()) return;
    if (!algorithm_.is_synchronous()) count_batch();
    begin(job, round_++ * gang_.ranks + job.node->self());
  } else if (place_.counts_batches) {
    if (const std::int64_t batch = place_.counter.next(); batch < deal_.batches()) begin(job, batch);
  } else {
    asking_ = job;
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

void ProcessCluster::begin(Job job, std::int64_t batch) {
  job.batch = batch;
  job_ = job;
}

void ProcessCluster::answer_draw(int process) {
  Packet reply{PacketKind::batch};
  reply.drawn = place_.counter.next() + 1;
  place_.send(process, std::move(reply));
}

void ProcessCluster::compute() {
  const Job job = *job_;
  job_.reset();
  ++computed_;
  const int rank = job.node->self();
  if (!is_own() || deal_.has(rank, job.batch / gang_.ranks, gang_.ranks)) {
    const auto from = std::chrono::steady_clock::now();
    job.node->set(learner_.gradient(rank, job.batch, *job.weights));
    ++cost_.gradients;
    cost_.seconds.computing += std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
  } else {
    learner_.skip(rank, job.batch);
    job.node->set({});
  }
  job.then.resume();
  job.node->check();
}

void ProcessCluster::go_on() {
  Ready next = std::move(ready_.front());
  ready_.pop_front();
  if (next.message) return deliver(next.node, std::move(*next.message));
  next.then.resume();
  node(next.node).check();
}

void ProcessCluster::deliver(int to, Message<float> message) {
  cost_.received += message.share * message.packed * options_.model_bytes;
  ProcessNode& node = this->node(to);
  node.mailbox().deliver(std::move(message));
  cost_.mailbox = std::max(cost_.mailbox, node.mailbox().waiting_share() * options_.model_bytes);
  node.check();
}

/// Whatever is neither computed nor moved is taken in.
std::vector<parallel::Cost> ProcessCluster::costs() const {
  parallel::Cost cost = cost_;
  cost.process = place_.process;
  cost.seconds.applying = std::max(0.0, ended_ - cost.seconds.all());
  return {cost};
}

void ProcessCluster::take(Mesh::Received received) {
  Packet& packet = received.packet;
  if (packet.generation < place_.generation && packet.kind != PacketKind::fault) return;
  drawn_ = std::max(drawn_, packet.drawn);
  switch (packet.kind) {
    case PacketKind::message: ++taken_; return deliver(packet.to, std::move(packet.message));
    case PacketKind::draw: return answer_draw(received.from);
    case PacketKind::batch: {
      const auto job = std::exchange(asking_, std::nullopt);
      if (job && packet.drawn <= deal_.batches()) begin(*job, packet.drawn - 1);
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

void ProcessCluster::send(int to, Message<float> message) {
  const int process = gang_.process_of(to);
  cost_.sent += message.share * message.packed * options_.model_bytes;
  if (process == place_.process) return ready_.push_back({to, {}, std::move(message)});
  ++sent_;
  const double from = now();
  place_.send(process, {PacketKind::message, to, std::move(message), {}, 0, drawn()});
  cost_.seconds.transferring += now() - from;
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

ProcessNode& ProcessCluster::node(int number) {
  const auto found =
      std::find_if(nodes_.begin(), nodes_.end(), [&](const auto& node) { return node->self() == number; });
  if (found == nodes_.end()) throw Error(ErrorKind::internal, "a message came to the wrong rank");
  return **found;
}

}  // namespace dlrun::gang
