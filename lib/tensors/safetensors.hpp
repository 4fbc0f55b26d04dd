// SPDX-License-Identifier: Apache-2.0
// safetensors files (github.com/huggingface/safetensors, format of its README): eight bytes of header length, a JSON
// header, raw little-endian data. No code can hide in one, and Python reads it in one line.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tensors/header.hpp"

namespace dlrun::tensors {

/// A file in memory, checked: every view lies within it, none overlaps, nothing is left over.
class SafeTensors {
 public:
  /// @param bytes  the whole file
  /// @param what   names it in messages
  /// @throws Error(store) for anything that the format does not allow, or contents that differ from their own checksum.
  SafeTensors(std::string bytes, const std::string& what);
  SafeTensors(SafeTensors&&) = default;
  SafeTensors(const SafeTensors&) = delete;  // views point into bytes_
  SafeTensors& operator=(const SafeTensors&) = delete;

  const Metadata& metadata() const { return metadata_; }
  /// False for files of other writers, whose contents nothing vouches for.
  bool has_checksum() const { return metadata_.contains("sha256"); }
  /// Tensors by name.
  const std::vector<TensorView>& tensors() const { return tensors_; }
  /// nullptr where there is none.
  const TensorView* find(std::string_view name) const;

 private:
  std::string bytes_;
  Metadata metadata_;
  std::vector<TensorView> tensors_;
};

/// The file's bytes: equal tensors and metadata give equal bytes. Adds a checksum over header and data to the metadata
/// ("sha256"), which the reader above compares: a flipped bit anywhere is found without another file.
/// REQUIRES: names differ, sizes agree with shapes.
std::string write_safetensors(std::vector<TensorView> tensors, const Metadata& metadata);

/// For files that are too large to lie in memory once more: puts the tensors into their order, and gives the bytes that
/// precede theirs. There is no checksum. REQUIRES: as write_safetensors.
std::string order_for_writing(std::vector<TensorView>& tensors, const Metadata& metadata);

}  // namespace dlrun::tensors
