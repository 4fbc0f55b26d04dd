// SPDX-License-Identifier: Apache-2.0
// An identifier of HDF5's C interface, closed with its object.
#pragma once
#include <hdf5.h>

#include <stdexcept>
#include <string>
#include <utility>

namespace hdf5 {

/// "inflate() failed": what HDF5 says of its last fault, from the place where it arose.
std::string last_fault();

class Handle {
 public:
  using Close = herr_t (*)(hid_t);
  /// @throws std::runtime_error "cannot <what>: …" where there is none
  Handle(hid_t id, Close close, const std::string& what) : id_(id), close_(close) {
    if (id < 0) throw std::runtime_error("cannot " + what + ": " + last_fault());
  }
  ~Handle() {
    if (id_ >= 0) close_(id_);
  }
  Handle(Handle&& other) noexcept : id_(std::exchange(other.id_, -1)), close_(other.close_) {}
  Handle& operator=(Handle&&) = delete;
  operator hid_t() const { return id_; }

 private:
  hid_t id_;
  Close close_;
};

}  // namespace hdf5
