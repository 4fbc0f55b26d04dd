// SPDX-License-Identifier: Apache-2.0
// Unpacks gzip data (RFC 1952): all members, one behind the other, from memory or from a file read part by part.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

namespace dlrun::dataset {

/// Whether these bytes begin a gzip member; a file is known by this, never by its name.
bool begins_gzip(std::string_view bytes);

class Gunzip {
 public:
  /// More packed bytes, lent until the next call; empty at the end.
  using Source = std::function<std::string_view()>;

  /// @param name  of the file, for messages
  Gunzip(std::string name, Source source);
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  /// Fills `count` bytes, fewer only at the end.
  /// @throws DataError with the byte in the packed file: data that is damaged or cut off, or bytes behind it.
  std::size_t read(char* to, std::size_t count);
  /// Packed bytes used so far.
  std::size_t position() const;

 private:
  class State;
  std::unique_ptr<State> state_;
};

}  // namespace dlrun::dataset
