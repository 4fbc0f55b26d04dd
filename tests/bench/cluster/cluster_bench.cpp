// SPDX-License-Identifier: Apache-2.0
// Simulated workers that join the driver of a `function` study over real sockets and TLS:
// bench_cluster ENDPOINT WORKERS [REPORTS]. All of them connect at once; each works off its orders with REPORTS (10)
// reports a second, one for each epoch, until the driver ends.
#include <fmt/format.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <set>

#include "protocol/rendezvous.hpp"
#include "simulated_worker.hpp"
#include "tls_peer.hpp"
#include "util/error.hpp"

using namespace dlrun;
using namespace dlrun::cluster;

namespace {

double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

void print(const char* name, double value, const char* unit) { fmt::print("{} {:.4g} {}\n", name, value, unit); }

/// The value below which this share of them lies.
double quantile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  const auto at = values.begin() + std::ptrdiff_t(share * double(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

struct Client {
  TlsPeer peer;
  SimulatedWorker worker;
  double due = 0;
  bool is_writing = false;  ///< the socket is full
};

class Cluster {
 public:
  Cluster(const protocol::Rendezvous& driver, int workers, Figures& figures)
      : context_(protocol::Side::worker, protocol::read_secret(driver.key)),
        address_(resolve({driver.addresses.at(0), driver.port}).front()),
        token_(driver.token),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    began_ = seconds_now();
    clients_.reserve(std::size_t(workers));
    for (int i = 0; i < workers; ++i) {
      clients_.push_back({TlsPeer(context_, address_), SimulatedWorker(i, figures)});
      greet(clients_.size() - 1);
    }
    open_ = clients_.size();
  }
  ~Cluster() { ::close(epoll_); }

  void run() {
    while (open_ > 0) {
      wait();
      const double now = seconds_now();
      while (!timers_.empty() && timers_.begin()->first <= now) act(timers_.begin()->second, now);
    }
  }

  double joined() const { return joined_; }
  std::size_t turned_away() const { return turned_away_; }
  double seconds() const { return ended_ - joined_ - began_; }

 private:
  void greet(std::size_t index) {
    Client& client = clients_[index];
    client.peer.send(client.worker.hello(token_));
    client.is_writing = true;
    epoll_event event{EPOLLIN | EPOLLOUT, {.u64 = index}};
    ::epoll_ctl(epoll_, EPOLL_CTL_ADD, client.peer.descriptor(), &event);
  }

  void wait() {
    epoll_event events[256];
    const double left = timers_.empty() ? 1 : std::clamp(timers_.begin()->first - seconds_now(), 0.0, 1.0);
    const int count = ::epoll_wait(epoll_, events, std::size(events), int(std::ceil(left * 1000)));
    for (int i = 0; i < count; ++i) serve(events[i].data.u64, events[i].events);
  }

  void serve(std::size_t index, std::uint32_t events) {
    Client& client = clients_[index];
    try {
      if ((events & ~std::uint32_t(EPOLLOUT)) != 0) hear(client);
      write(index);
    } catch (const Error&) {
      if (client.worker.is_welcome()) throw;
      return try_again(index);
    }
    client.worker.is_done() ? leave(index) : plan(index);
  }

  void hear(Client& client) {
    const bool was_welcome = client.worker.is_welcome();
    auto messages = client.peer.receive();
    const double now = seconds_now();
    for (auto& message : messages) client.worker.handle(std::move(message), now);
    if (!was_welcome && client.worker.is_welcome() && ++welcome_ == clients_.size()) joined_ = now - began_;
  }

  /// It was sent away before it was known: too many stood at the door.
  void try_again(std::size_t index) {
    if (++turned_away_ > 100 * clients_.size()) throw Error(ErrorKind::outside, "no driver lets the workers in");
    clients_[index].peer = TlsPeer(context_, address_);
    greet(index);
  }

  void act(std::size_t index, double now) {
    clients_[index].peer.send(clients_[index].worker.act(now));
    write(index);
    plan(index);
  }

  /// The socket is watched for room only while it has none.
  void write(std::size_t index) {
    Client& client = clients_[index];
    const bool is_full = !client.peer.flush();
    if (is_full == client.is_writing) return;
    client.is_writing = is_full;
    epoll_event event{std::uint32_t(EPOLLIN) | (is_full ? std::uint32_t(EPOLLOUT) : 0), {.u64 = index}};
    ::epoll_ctl(epoll_, EPOLL_CTL_MOD, client.peer.descriptor(), &event);
  }

  /// What cannot be written has to be waited for.
  void plan(std::size_t index) {
    Client& client = clients_[index];
    timers_.erase({client.due, index});
    client.due = client.is_writing ? std::numeric_limits<double>::infinity() : client.worker.due();
    timers_.insert({client.due, index});
  }

  void leave(std::size_t index) {
    timers_.erase({clients_[index].due, index});
    ::epoll_ctl(epoll_, EPOLL_CTL_DEL, clients_[index].peer.descriptor(), nullptr);
    clients_[index].peer.close();
    --open_;
    ended_ = seconds_now();
  }

  protocol::TlsContext context_;
  SocketAddress address_;
  std::string token_;
  int epoll_;
  std::vector<Client> clients_;
  std::set<std::pair<double, std::size_t>> timers_;
  std::size_t open_ = 0, welcome_ = 0, turned_away_ = 0;
  double began_ = 0, joined_ = 0, ended_ = 0;
};

/// A descriptor for each worker and some more. @throws Error(outside) where the system gives fewer.
void allow_descriptors(int workers) {
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  limit.rlim_cur = limit.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &limit);
  if (limit.rlim_cur > rlim_t(workers) + 64) return;
  throw Error(ErrorKind::outside, fmt::format("only {} descriptors are to be had (ulimit -Hn)", limit.rlim_cur));
}

void print(const Figures& figures, const Cluster& cluster, int workers) {
  print("cluster.joined", cluster.joined(), "s");
  print("cluster.turned_away", double(cluster.turned_away()), "connections");
  print("cluster.results", double(figures.results), "results");
  print("cluster.reports", double(figures.reports) / cluster.seconds(), "reports/s");
  print("cluster.busy", figures.busy / (workers * cluster.seconds()), "of the time");
  print("cluster.answer_median", 1e3 * quantile(figures.answered, 0.5), "ms");
  print("cluster.answer_p99", 1e3 * quantile(figures.answered, 0.99), "ms");
  print("cluster.ack_median", 1e3 * quantile(figures.acknowledged, 0.5), "ms");
  print("cluster.ack_p99", 1e3 * quantile(figures.acknowledged, 0.99), "ms");
  print("cluster.ack_slowest", 1e3 * quantile(figures.acknowledged, 1), "ms");
  print("cluster.overtaken", double(figures.fenced), "results");  // another attempt at the piece was home first
  print("cluster.lost", double(figures.results) - double(figures.acknowledged.size()), "results");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    fmt::print(stderr, "usage: bench_cluster ENDPOINT WORKERS [REPORTS]\n");
    return 2;
  }
  try {
    const int workers = std::atoi(argv[2]);
    allow_descriptors(workers);
    Figures figures{.epoch = 1 / (argc > 3 ? std::atof(argv[3]) : 10.0)};
    Cluster cluster(protocol::read_rendezvous(argv[1]), workers, figures);
    cluster.run();
    print(figures, cluster, workers);
    return 0;
  } catch (const Error& fault) {
    fmt::print(stderr, "bench_cluster: {}\n", fault.what());
    return 1;
  }
}
