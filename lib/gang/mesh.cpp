// SPDX-License-Identifier: Apache-2.0
#include "gang/mesh.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <utility>

#include "gang/ring.hpp"
#include "gang/stream.hpp"
#include "util/error.hpp"

namespace dlrun::gang {

namespace {

constexpr std::size_t kLeastInRing = 256;  ///< numbers; fewer follow their head

}  // namespace

/// One connection: a packet at a time in each direction.
class Mesh::Wire {
 public:
  /// @param out, in  within a host
  Wire(asio::io_context& loop, int peer, Link link, std::optional<Ring> out, std::optional<Ring> in,
       std::deque<Mesh::Received>& into)
      : peer_(peer),
        stream_(make_stream(loop, std::move(link))),
        out_(std::move(out)),
        in_(std::move(in)),
        into_(into) {
    read();
  }

  void send(Packet packet) {
    std::optional<std::uint64_t> place;
    if (out_ && packet.message.numbers.size() >= kLeastInRing) place = out_->put(packet.message.numbers);
    outgoing_.push_back({head_of(packet, place), std::move(packet)});
    if (place) outgoing_.back().packet.message.numbers.clear();
    if (outgoing_.size() == 1) write();
  }
  bool is_empty() const { return is_dropped_ || outgoing_.empty(); }
  /// The packet that is being written stays until that is over.
  void drop() { is_dropped_ = true; }
  bool is_dropped() const { return is_dropped_; }
  /// Why it broke; empty: it did not.
  const std::string& fault() const { return fault_; }

 private:
  struct Outgoing {
    std::string head;
    Packet packet;
  };

  void read() {
    stream_->read({asio::buffer(head_)}, [this](const IoFault& fault) {
      if (fault) return note(fault);
      read_announced(read_head({head_.data(), head_.size()}));
    });
  }
  void read_announced(Announced announced) {
    packet_ = std::move(announced.packet);
    std::vector<float>& numbers = packet_.message.numbers;
    if (announced.in_ring && !in_) throw Error(ErrorKind::internal, "a rank of another host named memory of its own");
    if (announced.in_ring) numbers = in_->pop(*announced.in_ring, announced.numbers);
    if (!announced.in_ring) numbers.resize(announced.numbers);
    const bool is_whole = (numbers.empty() || announced.in_ring) && packet_.message.places.empty();
    if (is_whole && packet_.text.empty()) return finish();
    read_rest(announced.in_ring ? asio::mutable_buffer() : asio::buffer(numbers));
  }
  void finish() {
    into_.push_back({peer_, std::move(packet_)});
    read();
  }
  /// @param numbers  where they go, if they follow their head
  void read_rest(asio::mutable_buffer numbers) {
    stream_->read({numbers, asio::buffer(packet_.message.places), asio::buffer(packet_.text)},
                  [this](const IoFault& fault) { return fault ? note(fault) : finish(); });
  }
  void write() {
    const Outgoing& next = outgoing_.front();
    stream_->write({asio::buffer(next.head), asio::buffer(next.packet.message.numbers),
                    asio::buffer(next.packet.message.places), asio::buffer(next.packet.text)},
                   [this](const IoFault& fault) {
                     if (fault || is_dropped_) return outgoing_.clear();  // the reader says why
                     outgoing_.pop_front();
                     if (!outgoing_.empty()) write();
                   });
  }
  void note(const IoFault& fault) { fault_ = fault.message(); }

  int peer_;
  std::unique_ptr<Stream> stream_;
  std::optional<Ring> out_, in_;
  std::deque<Mesh::Received>& into_;
  std::array<char, kHeadBytes> head_{};
  Packet packet_;
  std::deque<Outgoing> outgoing_;
  std::string fault_;
  bool is_dropped_ = false;
};

struct Mesh::Parts {
  explicit Parts(const SharedMemory& shared) : memory(shared) {}

  /// A process whose connection broke.
  std::optional<int> lost() const {
    for (std::size_t i = 0; i < wires.size(); ++i) {
      if (wires[i] && !wires[i]->is_dropped() && !wires[i]->fault().empty()) return int(i);
    }
    return std::nullopt;
  }

  asio::io_context loop{1};
  std::deque<Received> received;
  SharedMemory memory;
  std::vector<std::unique_ptr<Wire>> wires;  ///< by process; nullptr: itself
  bool is_forgiving = false;
};

Mesh::Mesh(int self, std::vector<Link> links, const SharedMemory& memory) : parts_(std::make_unique<Parts>(memory)) {
  for (std::size_t i = 0; i < links.size(); ++i) {
    if (!links[i].is_open()) {
      parts_->wires.emplace_back();
      continue;
    }
    std::optional<Ring> out, in;
    if (links[i].is_local) out.emplace(memory.ring(self, int(i)));
    if (links[i].is_local) in.emplace(memory.ring(int(i), self));
    parts_->wires.push_back(
        std::make_unique<Wire>(parts_->loop, int(i), std::move(links[i]), out, in, parts_->received));
  }
}

Mesh::~Mesh() = default;
Mesh::Mesh(Mesh&&) noexcept = default;
Mesh& Mesh::operator=(Mesh&&) noexcept = default;

int Mesh::processes() const { return int(parts_->wires.size()); }

bool Mesh::has(int process) const {
  const auto& wire = parts_->wires[std::size_t(process)];
  return !wire || !wire->is_dropped();
}

void Mesh::drop(int process) { parts_->wires[std::size_t(process)]->drop(); }

void Mesh::forgive_losses(bool is_forgiving) { parts_->is_forgiving = is_forgiving; }

void Mesh::send(int to, Packet packet) {
  if (has(to)) parts_->wires[std::size_t(to)]->send(std::move(packet));
}

std::optional<Mesh::Received> Mesh::receive(std::chrono::milliseconds most) {
  using Clock = std::chrono::steady_clock;
  parts_->loop.restart();
  parts_->loop.poll();
  for (const auto until = Clock::now() + most; parts_->received.empty();) {
    if (const auto lost = parts_->lost()) {
      parts_->loop.poll();  // the last words of others
      if (parts_->is_forgiving && *lost != 0) {
        drop(*lost);
        continue;
      }
      if (parts_->received.empty()) throw PeerLost(*lost, parts_->wires[std::size_t(*lost)]->fault());
    } else if (Clock::now() >= until || parts_->loop.run_one_until(until) == 0) {
      return std::nullopt;
    }
  }
  Received first = std::move(parts_->received.front());
  parts_->received.pop_front();
  return first;
}

void Mesh::put_back(std::vector<Received> packets) {
  auto& all = parts_->received;
  all.insert(all.begin(), std::make_move_iterator(packets.begin()), std::make_move_iterator(packets.end()));
}

bool Mesh::flush(std::chrono::milliseconds most) {
  const auto until = std::chrono::steady_clock::now() + most;
  const auto is_empty = [](const auto& wire) { return !wire || wire->is_empty(); };
  parts_->loop.restart();
  parts_->loop.poll();
  while (!std::all_of(parts_->wires.begin(), parts_->wires.end(), is_empty)) {
    if (parts_->loop.run_one_until(until) == 0) return false;
  }
  return true;
}

}  // namespace dlrun::gang
