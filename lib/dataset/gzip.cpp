// SPDX-License-Identifier: Apache-2.0
#include "dataset/gzip.hpp"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "dataset/dataset.hpp"

namespace dlrun::dataset {

bool begins_gzip(std::string_view bytes) { return bytes.starts_with("\x1f\x8b"); }

class Gunzip::State {
 public:
  State(std::string name, Source source) : name_(std::move(name)), source_(std::move(source)) {
    if (inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK) throw Error(ErrorKind::outside, "zlib cannot start");
  }
  ~State() { inflateEnd(&stream_); }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::size_t read(char* to, std::size_t count) {
    std::size_t done = 0;
    while (done < count && !is_over_ && has_more()) done += unpack(to + done, count - done);
    if (done < count && !is_over_) fail("is cut off: its gzip data ends too early");
    return done;
  }

  std::size_t position() const { return position_; }

 private:
  static constexpr std::size_t kMost = std::size_t(1) << 30;  ///< bytes at once, for zlib counts them in 32 bits

  [[noreturn]] void fail(const std::string& what) const {
    throw DataError("path", fmt::format("'{}' {}", name_, what), "fetch it again",
                    fmt::format("{}, byte {}", name_, position_));
  }

  bool has_more() {
    if (packed_.empty()) packed_ = source_();
    return !packed_.empty();
  }

  void use(std::size_t count) {
    packed_.remove_prefix(count);
    position_ += count;
  }

  std::size_t unpack(char* to, std::size_t count) {
    const std::size_t in = std::min(packed_.size(), kMost), room = std::min(count, kMost);
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed_.data()));
    stream_.avail_in = static_cast<uInt>(in);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    use(in - stream_.avail_in);
    if (status == Z_DATA_ERROR || status == Z_NEED_DICT) fail("is damaged: its gzip data or checksum is wrong");
    if (status == Z_MEM_ERROR) throw Error(ErrorKind::outside, "no memory to unpack '" + name_ + "'");
    if (status == Z_STREAM_END) begin_next_member();
    return room - stream_.avail_out;
  }

  /// The two bytes that begin a member may lie in two parts of the source.
  void begin_next_member() {
    is_over_ = !has_more();
    if (is_over_) return;
    if (packed_.front() != '\x1f' || (packed_.size() > 1 && packed_[1] != '\x8b')) refuse_rest();
    inflateReset(&stream_);
  }

  [[noreturn]] void refuse_rest() {
    std::size_t rest = packed_.size();
    for (std::string_view part = source_(); !part.empty(); part = source_()) rest += part.size();
    fail(fmt::format("has {} bytes behind its gzip data", rest));
  }

  std::string name_;
  Source source_;
  std::string_view packed_;  ///< bytes of the source that are not used yet
  std::size_t position_ = 0;
  bool is_over_ = false;
  z_stream stream_{};
};

Gunzip::Gunzip(std::string name, Source source) : state_(std::make_unique<State>(std::move(name), std::move(source))) {}
Gunzip::~Gunzip() = default;
std::size_t Gunzip::read(char* to, std::size_t count) { return state_->read(to, count); }
std::size_t Gunzip::position() const { return state_->position(); }

}  // namespace dlrun::dataset
