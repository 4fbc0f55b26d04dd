// SPDX-License-Identifier: Apache-2.0
#include "reference.hpp"

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <limits>

#include <ATen/ATen.h>

#include "util/files.hpp"

namespace dlrun {

namespace {
std::string path_of(const std::string& table) { return std::string(DLRUN_REFERENCES) + '/' + table + ".safetensors"; }

at::ScalarType type_of(const std::string& dtype) {
  return dtype == "I64" ? at::kLong : dtype == "F64" ? at::kDouble : at::kFloat;
}
}  // namespace

Reference::Reference(const std::string& table)
    : file_(read_file(path_of(table)), table), cases_(parse_json(file_.metadata().at("cases"), table)) {}

bool Reference::has(std::size_t number, const std::string& name) const {
  return file_.find(std::to_string(number) + '/' + name) != nullptr;
}

at::Tensor Reference::tensor(std::size_t number, const std::string& name) const {
  const train::TensorView* view = file_.find(std::to_string(number) + '/' + name);
  if (view == nullptr) throw std::out_of_range("no tensor '" + name + "' in case " + std::to_string(number));
  at::Tensor tensor = at::empty(view->shape, type_of(view->dtype));
  std::memcpy(tensor.data_ptr(), view->bytes.data(), view->bytes.size());
  return tensor;
}

std::vector<std::string> reference_tables() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(DLRUN_REFERENCES)) {
    if (entry.path().extension() == ".safetensors") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

double relative_error(const at::Tensor& found, const at::Tensor& expected) {
  if (found.sizes() != expected.sizes()) return std::numeric_limits<double>::infinity();
  if (expected.numel() == 0) return 0;
  const at::Tensor a = found.cpu().to(at::kDouble), b = expected.to(at::kDouble);
  const double difference = (a - b).abs().max().item<double>(), size = b.abs().max().item<double>();
  if (std::isnan(difference)) return std::numeric_limits<double>::infinity();
  return size > 0 ? difference / size : difference;
}

}  // namespace dlrun
