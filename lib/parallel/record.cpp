// SPDX-License-Identifier: Apache-2.0
#include "parallel/record.hpp"

#include <limits>

#include <fmt/format.h>

#include "util/error.hpp"

namespace dlrun::parallel {

namespace {

constexpr unsigned kBits = 7, kMore = 128, kLastShift = 56;

/// Reads numbers one after the other.
class RecordReader {
 public:
  RecordReader(std::string_view bytes, int process) : bytes_(bytes), process_(process) {}

  bool is_at_end() const { return place_ == bytes_.size(); }
  RecordedEvent next() {
    ++event_;
    const std::uint64_t who = number();
    if (who > std::uint64_t(std::numeric_limits<int>::max())) fail("it names no process");
    const std::int64_t growth = std::int64_t(number());
    std::int64_t& total = who == 0 ? next_ : begun_;
    if (growth > std::numeric_limits<std::int64_t>::max() - 1 - total) fail("its number is out of range");
    total += growth;
    return who == 0 ? RecordedEvent{RecordedEvent::kNobody, next_++} : RecordedEvent{int(who) - 1, begun_};
  }

 private:
  /// At most 63 bits.
  std::uint64_t number() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; shift <= kLastShift; shift += kBits) {
      if (is_at_end()) fail("the record breaks off within it");
      const auto byte = static_cast<unsigned char>(bytes_[place_++]);
      number |= std::uint64_t(byte % kMore) << shift;
      if (byte < kMore) return number;
    }
    fail("its number is out of range");
  }
  [[noreturn]] void fail(const char* why) const {
    throw Error(ErrorKind::store,
                fmt::format("the record of process {} is damaged: event {}: {}", process_, event_, why));
  }

  std::string_view bytes_;
  int process_;
  std::size_t place_ = 0;
  std::int64_t event_ = 0, next_ = 0, begun_ = 0;
};

}  // namespace

void Recorder::note_batch(std::int64_t batch) {
  add_number(0);
  add_number(std::uint64_t(batch - next_));
  next_ = batch + 1;
}

void Recorder::note_message(int from, std::int64_t begun) {
  add_number(std::uint64_t(from) + 1);
  add_number(std::uint64_t(begun - begun_));
  begun_ = begun;
}

void Recorder::add_number(std::uint64_t number) {
  for (; number >= kMore; number >>= kBits) bytes_.push_back(char(number % kMore + kMore));
  bytes_.push_back(char(number));
}

std::vector<RecordedEvent> read_record(std::string_view bytes, int process) {
  std::vector<RecordedEvent> all;
  for (RecordReader reader(bytes, process); !reader.is_at_end();) all.push_back(reader.next());
  return all;
}

}  // namespace dlrun::parallel
