// SPDX-License-Identifier: Apache-2.0
#include "dataset/byte_source.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "dataset/bytes.hpp"
#include "dataset/dataset.hpp"

namespace dlrun::dataset {

namespace {

struct Close {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

}  // namespace

class ByteSource::State {
 public:
  explicit State(const std::filesystem::path& file) : name_(file.string()), raw_(std::size_t(1) << 18) {
    require_file(file);
    file_.reset(std::fopen(name_.c_str(), "rbe"));
    if (!file_) fail_to_read();
    refill();
    is_packed_ = begins_member();
    if (is_packed_ && inflateInit2(&stream_, 16 + MAX_WBITS) != Z_OK)
      throw Error(ErrorKind::outside, "zlib cannot start");
  }
  ~State() {
    if (is_packed_) inflateEnd(&stream_);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  std::size_t read(char* to, std::size_t count) {
    std::size_t done = 0;
    while (done < count && !is_over_ && (left_ > 0 || refill()))
      done += is_packed_ ? unpack(to + done, count - done) : copy(to + done, count - done);
    if (done < count && is_packed_ && !is_over_) fail("is cut off: its gzip data ends too early");
    return done;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    throw DataError("path", fmt::format("'{}' {}", name_, what), "fetch it again",
                    fmt::format("{}, byte {}", name_, read_ - left_));
  }
  [[noreturn]] void fail_to_read() const {
    const int fault = errno;
    throw DataError::unreadable("path", fmt::format("cannot read '{}': {}", name_, std::strerror(fault)), fault);
  }

  /// Moves unread bytes to the front and reads more. @return whether anything is there.
  bool refill() {
    std::memmove(raw_.data(), at_, left_);
    at_ = raw_.data();
    const std::size_t got = std::fread(at_ + left_, 1, raw_.size() - left_, file_.get());
    if (got == 0 && std::ferror(file_.get()) != 0) fail_to_read();
    left_ += got;
    read_ += got;
    return left_ > 0;
  }

  bool begins_member() const { return left_ >= 2 && at_[0] == 0x1f && at_[1] == 0x8b; }

  void take(std::size_t count) {
    at_ += count;
    left_ -= count;
  }

  std::size_t copy(char* to, std::size_t count) {
    const std::size_t part = std::min(count, left_);
    std::memcpy(to, at_, part);
    take(part);
    return part;
  }

  std::size_t unpack(char* to, std::size_t count) {
    const std::size_t room = std::min(count, std::size_t(1) << 30), had = left_;
    stream_.next_in = at_;
    stream_.avail_in = static_cast<uInt>(left_);
    stream_.next_out = reinterpret_cast<Bytef*>(to);
    stream_.avail_out = static_cast<uInt>(room);
    const int status = inflate(&stream_, Z_NO_FLUSH);
    take(had - stream_.avail_in);
    if (status == Z_DATA_ERROR || status == Z_NEED_DICT) fail("is damaged: its gzip data or checksum is wrong");
    if (status == Z_MEM_ERROR) throw Error(ErrorKind::outside, "no memory to unpack '" + name_ + "'");
    if (status == Z_STREAM_END) next_member();
    return room - stream_.avail_out;
  }

  /// gzip allows several, one behind the other.
  void next_member() {
    if (left_ < 2) refill();
    is_over_ = left_ == 0;
    if (is_over_) return;
    if (!begins_member()) fail("has bytes behind its gzip data");
    inflateReset(&stream_);
  }

  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<unsigned char> raw_;
  unsigned char* at_ = raw_.data();  ///< first byte that was not taken yet
  std::size_t left_ = 0, read_ = 0;  ///< bytes of it, and of the file so far
  bool is_packed_ = false, is_over_ = false;
  z_stream stream_{};
};

ByteSource::ByteSource(const std::filesystem::path& file) : state_(std::make_unique<State>(file)) {}
ByteSource::~ByteSource() = default;
std::size_t ByteSource::read(char* to, std::size_t count) { return state_->read(to, count); }

}  // namespace dlrun::dataset
