// SPDX-License-Identifier: Apache-2.0
#include "dataset/byte_source.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "dataset/bytes.hpp"
#include "dataset/dataset.hpp"
#include "dataset/gzip.hpp"

namespace dlrun::dataset {

class ByteSource::State {
 public:
  explicit State(const std::filesystem::path& file) : name_(file.string()), raw_(std::size_t(1) << 18) {
    require_file(file);
    file_.reset(std::fopen(name_.c_str(), "rbe"));
    if (!file_) fail_to_read();
    part_ = next_part();
    if (begins_gzip(part_))
      gunzip_.emplace(name_, [this] { return part_.empty() ? next_part() : std::exchange(part_, {}); });
  }

  std::size_t read(char* to, std::size_t count) {
    if (gunzip_) return gunzip_->read(to, count);
    std::size_t done = 0;
    for (; done < count && !part_.empty(); part_ = part_.empty() ? next_part() : part_) {
      const std::size_t copied = part_.copy(to + done, count - done);
      part_.remove_prefix(copied);
      done += copied;
    }
    return done;
  }

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };

  [[noreturn]] void fail_to_read() const {
    const int fault = errno;
    throw DataError::unreadable("path", fmt::format("cannot read '{}': {}", name_, std::strerror(fault)), fault);
  }

  std::string_view next_part() {
    const std::size_t count = std::fread(raw_.data(), 1, raw_.size(), file_.get());
    if (count == 0 && std::ferror(file_.get()) != 0) fail_to_read();
    return {raw_.data(), count};
  }

  std::string name_;
  std::unique_ptr<std::FILE, Close> file_;
  std::vector<char> raw_;
  std::string_view part_;         ///< bytes of raw_ that nobody has read yet
  std::optional<Gunzip> gunzip_;  ///< none: the file is not packed
};

ByteSource::ByteSource(const std::filesystem::path& file) : state_(std::make_unique<State>(file)) {}
ByteSource::~ByteSource() = default;
std::size_t ByteSource::read(char* to, std::size_t count) { return state_->read(to, count); }

}  // namespace dlrun::dataset
