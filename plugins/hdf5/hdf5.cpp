// SPDX-License-Identifier: Apache-2.0
// op: hdf5. The names of a section's arrays are paths in the file: `inputs: /train/images`.
#include <hdf5.h>

#include <dlrun/plugin/data.hpp>

#include "data_set.hpp"
#include "handle.hpp"

namespace hdf5 {

using namespace dlrun::plugin;

namespace {

herr_t take_text(unsigned place, const H5E_error2_t* fault, void* text) {
  if (place == 0 && fault->desc != nullptr) *static_cast<std::string*>(text) = fault->desc;
  return 0;
}

/// @param part  "inputs"; a single array without a name of its own is `inputs: /x` in a section
void read_all(hid_t file, const std::map<std::string, std::string>& wanted, const std::string& part,
              std::map<std::string, Array>& arrays) {
  for (const auto& [name, path] : wanted) {
    if (path.empty()) throw DataFault(part, "the path of a data set is empty", "e.g. " + part + ": /images");
    const std::string whole = path[0] == '/' ? path : "/" + path;
    arrays[name] = read_data_set(file, whole, part);
  }
}

class Hdf5 final : public Format {
 public:
  Hdf5() {
    H5Eset_auto2(H5E_DEFAULT, nullptr, nullptr);  // faults are read by last_fault()
    H5PLset_loading_state(0);                     // no filter of others: their code is in no hash
  }

  Arrays read(const Options&, const Files& files, const Names& names) override {
    const std::string& path = files.at("path");
    if (H5Fis_hdf5(path.c_str()) <= 0)
      throw DataFault("path", "it is no HDF5 file", "is it cut off, or another format?");
    const Handle file(H5Fopen(path.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose, "open it");
    Arrays arrays;
    read_all(file, names.inputs, "inputs", arrays.inputs);
    read_all(file, names.targets, "targets", arrays.targets);
    read_all(file, names.test_inputs, "test_inputs", arrays.test_inputs);
    read_all(file, names.test_targets, "test_targets", arrays.test_targets);
    return arrays;
  }
};

}  // namespace

std::string last_fault() {
  std::string text = "the file is damaged";
  H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, take_text, &text);
  return text;
}

}  // namespace hdf5

DLRUN_DATA(hdf5::Hdf5)
