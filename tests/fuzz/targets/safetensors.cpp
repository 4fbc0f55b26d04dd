// SPDX-License-Identifier: Apache-2.0
// Bytes of a safetensors file: refused, or written and read again they are the same tensors.
#include "tensors/safetensors.hpp"

#include <memory>

#include "target.hpp"
#include "util/error.hpp"

using namespace dlrun;
using namespace dlrun::fuzz;

namespace {

bool is_same(const tensors::TensorView& a, const tensors::TensorView& b) {
  return a.dtype == b.dtype && a.shape == b.shape && a.bytes == b.bytes;
}

void check_rewritten(const tensors::SafeTensors& file) {
  tensors::Metadata metadata = file.metadata();
  metadata.erase("sha256");
  const tensors::SafeTensors again(tensors::write_safetensors(file.tensors(), metadata), "what was written");
  require(again.has_checksum() && again.tensors().size() == file.tensors().size(), "no tensor is lost");
  for (const tensors::TensorView& tensor : file.tensors()) {
    const tensors::TensorView* other = again.find(tensor.name);
    require(other != nullptr && is_same(tensor, *other), "a tensor is what it was");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  std::unique_ptr<tensors::SafeTensors> file;
  try {
    file = std::make_unique<tensors::SafeTensors>(text_of(bytes, size), "the file");
  } catch (const Error& fault) {
    require(fault.kind() == ErrorKind::store, "a damaged file is the store's fault");
    return 0;
  }
  check_rewritten(*file);
  return 0;
}
