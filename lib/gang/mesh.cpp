// SPDX-License-Identifier: Apache-2.0
#include "gang/mesh.hpp"

#include <algorithm>
#include <array>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <deque>
#include <iterator>
#include <utility>

#include "gang/ring.hpp"

namespace dlrun::gang {

namespace {

namespace asio = boost::asio;
using Socket = asio::generic::stream_protocol::socket;
using IoFault = boost::system::error_code;

constexpr std::size_t kAtOnce = 8 << 20;   ///< bytes of a system call; Asio's own limit is 64 KiB
constexpr std::size_t kLeastInRing = 256;  ///< numbers; fewer follow their head
constexpr int kSocketBytes = 4 << 20;      ///< wanted in the kernel; what is granted is the system's affair

/// As many bytes a call as there are.
std::size_t all_at_once(const IoFault& fault, std::size_t) { return fault ? 0 : kAtOnce; }

}  // namespace

/// One connection: a packet at a time in each direction.
class Mesh::Wire {
 public:
  Wire(asio::io_context& loop, int peer, Descriptor socket, const Ring& out, const Ring& in,
       std::deque<Mesh::Received>& into)
      : peer_(peer),
        socket_(loop, asio::generic::stream_protocol(AF_UNIX, 0), socket.release()),
        out_(out),
        in_(in),
        into_(into) {
    IoFault none;
    socket_.set_option(asio::socket_base::send_buffer_size(kSocketBytes), none);
    socket_.set_option(asio::socket_base::receive_buffer_size(kSocketBytes), none);
    read();
  }

  void send(Packet packet) {
    std::optional<std::uint64_t> place;
    if (packet.message.numbers.size() >= kLeastInRing) place = out_.put(packet.message.numbers);
    outgoing_.push_back({head_of(packet, place), std::move(packet)});
    if (place) outgoing_.back().packet.message.numbers.clear();
    if (outgoing_.size() == 1) write();
  }
  bool is_empty() const { return outgoing_.empty(); }
  /// Why it broke; empty: it did not.
  const std::string& fault() const { return fault_; }

 private:
  struct Outgoing {
    std::string head;
    Packet packet;
  };

  void read() {
    asio::async_read(socket_, asio::buffer(head_), all_at_once, [this](const IoFault& fault, std::size_t) {
      if (fault) return note(fault);
      take(read_head({head_.data(), head_.size()}));
    });
  }
  void take(Announced announced) {
    packet_ = std::move(announced.packet);
    std::vector<float>& numbers = packet_.message.numbers;
    if (announced.in_ring) numbers = in_.take(*announced.in_ring, announced.numbers);
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
    const std::array<asio::mutable_buffer, 3> rest{numbers, asio::buffer(packet_.message.places),
                                                   asio::buffer(packet_.text)};
    asio::async_read(socket_, rest, all_at_once,
                     [this](const IoFault& fault, std::size_t) { return fault ? note(fault) : finish(); });
  }
  void write() {
    const Outgoing& next = outgoing_.front();
    const std::array<asio::const_buffer, 4> all{asio::buffer(next.head), asio::buffer(next.packet.message.numbers),
                                                asio::buffer(next.packet.message.places),
                                                asio::buffer(next.packet.text)};
    asio::async_write(socket_, all, all_at_once, [this](const IoFault& fault, std::size_t) {
      if (fault) return outgoing_.clear();  // the reader says why
      outgoing_.pop_front();
      if (!outgoing_.empty()) write();
    });
  }
  void note(const IoFault& fault) { fault_ = fault.message(); }

  int peer_;
  Socket socket_;
  Ring out_, in_;
  std::deque<Mesh::Received>& into_;
  std::array<char, kHeadBytes> head_{};
  Packet packet_;
  std::deque<Outgoing> outgoing_;
  std::string fault_;
};

struct Mesh::Parts {
  explicit Parts(const SharedMemory& shared) : memory(shared) {}

  /// A process whose connection broke.
  std::optional<int> lost() const {
    for (std::size_t i = 0; i < wires.size(); ++i) {
      if (wires[i] && !wires[i]->fault().empty()) return int(i);
    }
    return std::nullopt;
  }

  asio::io_context loop{1};
  std::deque<Received> received;
  SharedMemory memory;
  std::vector<std::unique_ptr<Wire>> wires;  ///< by process; nullptr: itself
};

Mesh::Mesh(int self, std::vector<Descriptor> sockets, const SharedMemory& memory)
    : parts_(std::make_unique<Parts>(memory)) {
  for (std::size_t i = 0; i < sockets.size(); ++i) {
    if (!sockets[i].is_open()) {
      parts_->wires.emplace_back();
      continue;
    }
    const Ring out(memory.ring(self, int(i))), in(memory.ring(int(i), self));
    parts_->wires.push_back(
        std::make_unique<Wire>(parts_->loop, int(i), std::move(sockets[i]), out, in, parts_->received));
  }
}

Mesh::~Mesh() = default;
Mesh::Mesh(Mesh&&) noexcept = default;
Mesh& Mesh::operator=(Mesh&&) noexcept = default;

int Mesh::processes() const { return int(parts_->wires.size()); }

void Mesh::send(int to, Packet packet) { parts_->wires[std::size_t(to)]->send(std::move(packet)); }

std::optional<Mesh::Received> Mesh::receive(std::chrono::milliseconds most) {
  using Clock = std::chrono::steady_clock;
  parts_->loop.restart();
  parts_->loop.poll();
  for (const auto until = Clock::now() + most; parts_->received.empty();) {
    if (const auto lost = parts_->lost()) {
      parts_->loop.poll();  // the last words of others
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
