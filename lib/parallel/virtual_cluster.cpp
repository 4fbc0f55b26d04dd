// SPDX-License-Identifier: Apache-2.0
#include "parallel/virtual_cluster.hpp"

#include <bit>
#include <limits>

#include <fmt/format.h>

#include "parallel/played_node.hpp"
#include "parallel/streams.hpp"
#include "parallel/vectors.hpp"
#include "util/error.hpp"

namespace dlrun::parallel {

namespace {

/// By process.
std::vector<double> factors(const ClusterConfig& config, int processes) {
  std::vector<double> all(std::size_t(processes), 1);
  for (const Straggler& one : config.stragglers) {
    if (one.rank < 0 || one.rank >= processes) {
      throw Error(ErrorKind::usage,
                  fmt::format("a straggler has rank {}, but the last rank is {}", one.rank, processes - 1));
    }
    all[std::size_t(one.rank)] = one.factor;
  }
  return all;
}

}  // namespace

/// One node, with its coroutines.
template <class Real>
class VirtualNode : public PlayedNode<Real> {
 public:
  using Cluster = VirtualCluster<Real>;

  VirtualNode(Cluster& cluster, int self)
      : PlayedNode<Real>(cluster.gang_, self, stream_of(cluster.options_.seed, cluster.options_.run, "draws", self),
                         cluster.algorithm_, cluster.members_),
        cluster_(cluster) {}

 protected:
  void compute(const std::vector<Real>& weights, std::coroutine_handle<> then) override {
    if (start(weights)) make(1, then);
  }
  void begin_computing(const std::vector<Real>& weights, std::coroutine_handle<> then) override {
    if (start(weights)) make(0, then);
  }

  void make(double ready, std::coroutine_handle<> then) override {
    Speed& speed = cluster_.speeds_[std::size_t(this->self())];
    const double time = std::max(cluster_.now_, speed.computed(began_, ready * seconds_));
    cluster_.events_.schedule(time, this->self(), {this->self(), then, nullptr});
  }
  void tell_squares(std::span<const Real> means) override {
    if (cluster_.learner_) cluster_.learner_->note_squares(means);
  }

  void work(double share, std::coroutine_handle<> then) override {
    const double seconds = share * cluster_.options_.model_bytes / (cluster_.options_.cluster.apply_gbyte * 1e9);
    double& free = cluster_.processor_free_[std::size_t(this->gang().process_of(this->self()))];
    free = cluster_.speeds_[std::size_t(this->self())].worked(std::max(cluster_.now_, free), seconds);
    cluster_.time_of(this->self()).apply(cluster_.now_, free);
    cluster_.events_.schedule(free, this->self(), {this->self(), then, nullptr});
  }

  void settle(std::coroutine_handle<> then) override {
    cluster_.events_.schedule(cluster_.now_, this->gang().nodes() + this->self(), {this->self(), then, nullptr});
  }

  void send(int to, Message<Real> message) override {
    const double bytes = message.share * message.packed * cluster_.options_.model_bytes;
    cluster_.costs_[std::size_t(this->self())].bytes += bytes;
    cluster_.carry(to, bytes, std::move(message));
  }

  void move(const Shard& shard, std::span<Real> weights, std::span<const Real> gradient, double factor) override {
    cluster_.learner_->step(this->self(), shard, weights, gradient, factor);
  }

 private:
  using PlayedNode<Real>::gradient_;

  /// Computes at once the numbers that will be there later. @return false: no batch is left
  bool start(const std::vector<Real>& weights) {
    const int self = this->self();
    if (!cluster_.may_start(self)) return false;
    const auto [batch, exists] = cluster_.next_batch(self);
    gradient_ = {{}, exists ? 1.0 : 0.0};
    if (Learner<Real>* learner = cluster_.learner_) {
      if (gradient_.samples > 0) gradient_ = learner->gradient(self, batch, weights);
      if (gradient_.samples == 0) learner->skip(self, batch);
    }
    began_ = cluster_.now_;
    seconds_ = gradient_.samples > 0 ? cluster_.duration(self) : 0;
    cluster_.costs_[std::size_t(self)].gradients += gradient_.samples > 0 ? 1 : 0;
    cluster_.time_of(self).compute(began_, cluster_.speeds_[std::size_t(self)].computed(began_, seconds_));
    return true;
  }

  Cluster& cluster_;
  double began_ = 0, seconds_ = 0;  ///< time of the gradient, in seconds
};

template <class Real>
VirtualCluster<Real>::VirtualCluster(const Gang& gang, const Algorithm<Real>& algorithm, Members<Real>& members,
                                     Learner<Real>* learner, const Options& options)
    : gang_(gang),
      algorithm_(algorithm),
      members_(members),
      learner_(learner),
      options_(options),
      wires_(options.cluster, (gang.rank_processes() - 1) / options.cluster.ranks_per_host + 1),
      factors_(factors(options.cluster, gang.rank_processes())),
      speeds_(std::size_t(gang.nodes())),
      costs_(std::size_t(gang.nodes())) {
  const Era era{options.seed, options.training, options.began};
  for (int rank = 0; rank < gang.ranks; ++rank)
    speeds_[std::size_t(rank)] = Speed(options.cluster, gang.process_of(rank), era);
  for (int node = 0; node < gang.nodes(); ++node) {
    jitter_.push_back(stream_of(options.seed, options.run, "jitter", node));
    nodes_.push_back(std::make_unique<VirtualNode<Real>>(*this, node));
    processor_free_.resize(std::max(processor_free_.size(), std::size_t(gang_.process_of(node)) + 1));
  }
  times_.resize(processor_free_.size());
}

template <class Real>
VirtualCluster<Real>::~VirtualCluster() = default;

template <class Real>
void VirtualCluster<Real>::begin(const Deal& deal) {
  deal_ = deal;
  started_ = 0;
  rounds_.assign(std::size_t(gang_.ranks), 0);
  loss_ = first_loss(options_.cluster, gang_, {options_.seed, options_.training, options_.began}, options_.losing);
  for (int server = gang_.ranks; server < gang_.nodes(); ++server) nodes_[std::size_t(server)]->begin();
  for (int rank = 0; rank < gang_.ranks; ++rank) nodes_[std::size_t(rank)]->begin();
}

template <class Real>
bool VirtualCluster<Real>::advance() {
  if (events_.is_empty()) return false;
  if (loss_ && events_.next_time() > loss_->at) {
    now_ = loss_->at;
    throw RankLost{loss_->process};
  }
  auto event = events_.next();
  if (const double time = awake(event.what, event.time); time > event.time) {
    events_.schedule(time, event.source, std::move(event.what));
    return true;
  }
  now_ = event.time;
  if (event.what.look > 0) {
    if (event.what.look == looks_) look();
    return true;
  }
  note(event.what);
  if (event.what.message) {
    deliver(event.what.node, std::move(*event.what.message));
  } else {
    event.what.then.resume();
  }
  nodes_[std::size_t(event.what.node)]->check();
  return true;
}

/// A node that stands still takes in nothing and does not go on; messages that are on the wires stay there.
template <class Real>
double VirtualCluster<Real>::awake(const Happening& happening, double time) const {
  return happening.look > 0 ? time : speeds_[std::size_t(happening.node)].awake(time);
}

template <class Real>
void VirtualCluster<Real>::end() {
  for (const auto& node : nodes_) node->end();
}

template <class Real>
std::int64_t VirtualCluster<Real>::settled() const {
  return algorithm_.is_synchronous() ? std::max<std::int64_t>(0, rounds_[0] - 1) * gang_.ranks : started_;
}

template <class Real>
void VirtualCluster<Real>::deliver(int node, Message<Real> message) {
  NodeCost& cost = costs_[std::size_t(node)];
  cost.received += message.share * message.packed * options_.model_bytes;
  if (gang_.process_of(message.from) != gang_.process_of(node)) ++messages_;
  time_of(message.from).arrive(now_);
  time_of(node).arrive(now_);
  Mailbox<Real>& mailbox = nodes_[std::size_t(node)]->mailbox();
  mailbox.deliver(std::move(message));
  cost.mailbox = std::max(cost.mailbox, mailbox.waiting_share() * options_.model_bytes);
}

template <class Real>
std::vector<Cost> VirtualCluster<Real>::costs() const {
  std::vector<Cost> all(times_.size());
  for (std::size_t process = 0; process < all.size(); ++process) {
    all[process].process = int(process);
    all[process].seconds = times_[process].at(now_);
  }
  for (int node = 0; node < gang_.nodes(); ++node) {
    const NodeCost& own = cost(node);
    Cost& cost = all[std::size_t(gang_.process_of(node))];
    cost.gradients += own.gradients;
    cost.sent += own.bytes;
    cost.received += own.received;
    cost.mailbox += own.mailbox;
  }
  return all;
}

template <class Real>
double VirtualCluster<Real>::bytes() const {
  double sum = 0;
  for (const NodeCost& cost : costs_) sum += cost.bytes;
  return sum;
}

/// An asynchronous rank takes the next batch of all, or goes through its list; a synchronous one goes through as many
/// rounds as the others.
template <class Real>
bool VirtualCluster<Real>::may_start(int rank) const {
  const std::int64_t round = rounds_[std::size_t(rank)];
  if (algorithm_.is_synchronous()) return round < deal_.rounds(gang_.ranks);
  return deal_.has_lists() ? round < deal_.of_rank(rank) : started_ < deal_.batches();
}

template <class Real>
typename VirtualCluster<Real>::Next VirtualCluster<Real>::next_batch(int rank) {
  const std::int64_t round = rounds_[std::size_t(rank)]++;
  const bool is_own = algorithm_.is_synchronous() || deal_.has_lists();
  const Next next{is_own ? round * gang_.ranks + rank : started_, !is_own || deal_.has(rank, round, gang_.ranks)};
  if (next.exists) ++started_;
  return next;
}

/// Servers are spread over the hosts of the ranks.
template <class Real>
int VirtualCluster<Real>::host_of(int process) const {
  const int each = options_.cluster.ranks_per_host, ranks = gang_.rank_processes(), hosts = (ranks - 1) / each + 1;
  return process < ranks ? process / each : (process - ranks) % hosts;
}

template <class Real>
void VirtualCluster<Real>::carry(int to, double bytes, Message<Real> message) {
  const int from = message.from, sender = gang_.process_of(from), receiver = gang_.process_of(to);
  const Route route{sender, receiver, host_of(sender), host_of(receiver)};
  time_of(from).set_out(now_);
  time_of(to).set_out(now_);
  Happening happening{to, {}, std::make_shared<Message<Real>>(std::move(message))};
  if (wires_.share_card(route)) return events_.schedule(wires_.passed(now_, bytes), from, std::move(happening));
  if (wires_.is_instant(bytes)) return events_.schedule(now_ + latency(), from, std::move(happening));
  wires_.send(now_, route, bytes, ++sent_);
  on_wires_.emplace(sent_, std::move(happening));
  if (look_time_ != now_) look_at(now_);
}

/// Looks at the wires once at this time, after everything else that happens then; an earlier wish is void.
template <class Real>
void VirtualCluster<Real>::look_at(double time) {
  Happening happening;
  happening.look = ++looks_;
  look_time_ = time;
  events_.schedule(time, std::numeric_limits<int>::max(), std::move(happening));
}

template <class Real>
void VirtualCluster<Real>::look() {
  look_time_ = -1;
  for (const std::uint64_t number : wires_.receive(now_)) {
    auto through = on_wires_.extract(number);
    const int from = through.mapped().message->from;
    events_.schedule(now_ + latency(), from, std::move(through.mapped()));
  }
  const double next = wires_.share();
  if (!on_wires_.empty()) look_at(next);
}

template <class Real>
double VirtualCluster<Real>::duration(int rank) {
  const auto i = std::size_t(rank);
  const double luck = 1 + options_.cluster.jitter * (2 * jitter_[i].uniform() - 1);
  return options_.cluster.gradient_ms * 1e-3 * factors_[std::size_t(gang_.process_of(rank))] * luck;
}

/// FNV-1a over time, node and kind.
template <class Real>
void VirtualCluster<Real>::note(const Happening& happening) {
  const std::uint64_t kind = happening.message ? 1 + std::uint64_t(happening.message->kind) : 0;
  for (const std::uint64_t word : {std::bit_cast<std::uint64_t>(now_), std::uint64_t(happening.node), kind}) {
    digest_ = (digest_ ^ word) * 0x100000001b3ULL;
  }
}

template class VirtualCluster<float>;
template class VirtualCluster<double>;

}  // namespace dlrun::parallel
