// SPDX-License-Identifier: Apache-2.0
// The messages between driver and worker. Type numbers are part of the format, do not renumber.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "trial/json.hpp"
#include "trial/runner.hpp"

namespace dlrun::protocol {

/// Raised with any change that an older side could misread.
inline constexpr int kProtocolVersion = 6;

/// Most attempts that a worker names in its hello; so that it fits into kMaxFirstFrame.
inline constexpr std::size_t kMostHeld = 100;

/// An attempt at a piece, that a worker has.
struct Held {
  trial::PieceKey key;
  int attempt = 0;
  auto operator<=>(const Held&) const = default;
};

struct Hello {  ///< worker or control client -> driver, first message
  int protocol = kProtocolVersion;
  std::string version;       ///< version of the program
  std::string role;          ///< "worker" | "control"
  std::int64_t worker = -1;  ///< number the executor gave it; -1: the worker joins, and gets one
  std::int64_t pid = 0;
  std::string host;
  std::string job;          ///< cluster job that it belongs to; empty: none
  std::string session;      ///< for a worker that joins: its own random name, the same when it comes back
  std::string token;        ///< likewise: of this driver, as the worker reads it in the store it sees
  bool is_apart = false;    ///< likewise: it does not see the store, artifacts travel through the driver
  std::vector<Held> holds;  ///< likewise, when it comes back: what it runs, what it can answer, what waits there. To
                            ///< each a driver that does not know the worker says Assign (go on) or Abandon
};
struct Welcome {  ///< driver -> worker
  trial::WorkSetup setup;
  double heartbeat = 5;   ///< seconds between heartbeats
  double lost_after = 0;  ///< seconds without a message after which the connection is taken for broken; 0: never
  double grace = 0;       ///< seconds a worker that lost it may take to come back; 0: none
  bool is_back = false;   ///< the worker keeps its attempts: the driver knows them, or says of each what becomes of it
};
struct Refused {
  std::string reason;
};  ///< driver -> anyone, then it closes
struct Assign {
  trial::PieceOrder order;
};  ///< driver -> worker; may be sent ahead, they queue
struct Reported {
  trial::PieceKey key;
  int attempt = 0;
  trial::Report report;
};  ///< worker -> driver, telemetry
struct Result {
  trial::PieceResult result;
  bool goes_on = false;  ///< reports alone, of a result that is too long for one frame; the rest follows
};                       ///< worker -> driver, kept until acknowledged
struct Ack {
  trial::PieceKey key;
  int attempt = 0;
};  ///< driver -> worker: committed
struct Fenced {
  trial::PieceKey key;
  int attempt = 0;
};  ///< driver -> worker: stale, forget it
struct Abandon {
  trial::PieceKey key;
  int attempt = 0;
};  ///< driver -> worker: stop this piece
struct Heartbeat {
  std::int64_t steps = 0;
  std::int64_t rss = 0;
};  ///< worker -> driver; steps: training steps so far. To a worker that joined it is sent back empty
struct Shutdown {
  double grace = 10;
};  ///< driver -> worker: save and end
struct Control {
  Json request;
};  ///< control client -> driver
struct ControlReply {
  Json reply;
};  ///< driver -> control client
struct Prepared {
  trial::Runtime runtime;
};  ///< worker -> driver, once: its runner is there and computes with this; empty: it could not be made
struct Watched {
  trial::PieceKey key;
  int attempt = 0;
  std::vector<trial::Report> reports;         ///< by optimiser step
  std::vector<trial::GangReport> gangs = {};  ///< by epoch
};                                            ///< worker -> driver, telemetry
struct Leave {
  std::string reason;
};  ///< worker -> driver, last: it ends by itself and does not come back
struct Ask {
  std::string sha256;
};  ///< worker apart -> driver: an artifact that its order reads; answered by Offer or Stored with a fault
struct Offer {
  std::string sha256;
  std::int64_t bytes = 0;
  trial::PieceKey key = {};  ///< in a worker's offer: the attempt that made it
  int attempt = 0;
};  ///< whoever has an artifact -> the other side
struct Want {
  std::string sha256;
  std::int64_t offset = 0;
};  ///< the other side -> whoever offered it: kChunkBytes from there on, or what is left
struct Chunk {
  std::string sha256;
  std::int64_t offset = 0;
  std::string bytes;
};  ///< the answer to Want. Its frame is JSON, a newline, the bytes
struct Stored {
  std::string sha256;
  std::string fault;
};  ///< driver -> worker: the store has the artifact; a fault: it has not, or this worker may not have it
struct EndTrial {
  trial::TrialId trial;
};  ///< driver -> worker: programs of this trial that wait there go on no more
using Message =
    std::variant<Hello, Welcome, Refused, Assign, Reported, Result, Ack, Fenced, Abandon, Heartbeat, Shutdown, Control,
                 ControlReply, Prepared, Watched, Leave, Ask, Offer, Want, Chunk, Stored, EndTrial>;

/// A whole frame; of a long result, several. @throws Error(usage) if the message is above kMaxFrame, or the result
/// above kMaxResult.
std::string encode(const Message& message);

inline constexpr std::size_t kMaxFrame = 1 << 20;       ///< bytes of payload
inline constexpr std::size_t kMaxResult = 64 << 20;     ///< bytes of a result, in all its frames
inline constexpr std::size_t kMaxFirstFrame = 4 << 10;  ///< bytes of a frame before the peer has said who it is

/// Reports of a result that comes in several frames.
class ResultParts {
 public:
  /// Takes the reports out of a part, or puts those of all its parts into the result.
  /// @param bytes  of the message    @throws Error(usage) above kMaxResult
  void pass(Result& result, std::size_t bytes);

 private:
  void append(std::vector<trial::Report> reports);
  bool is_of(const trial::PieceResult& result) const { return key_ == result.key && attempt_ == result.attempt; }

  trial::PieceKey key_;
  int attempt_ = 0;
  std::vector<trial::Report> reports_;
  std::size_t bytes_ = 0;
};

/// Takes bytes as they come and gives whole messages. Never allocates memory for a length that is only claimed.
class Decoder {
 public:
  explicit Decoder(std::size_t limit = kMaxFrame) : limit_(limit) {}
  void set_limit(std::size_t limit) { limit_ = limit; }
  void feed(std::string_view bytes);
  /// The next whole message; nullopt: more bytes are needed. Parts of a long result come without their reports, which
  /// its last frame then has. @throws Error(usage) on anything malformed.
  std::optional<Message> next();

 private:
  ResultParts parts_;
  std::size_t limit_;
  std::string buffer_;
  std::size_t start_ = 0;
};

}  // namespace dlrun::protocol
