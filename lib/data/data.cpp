// SPDX-License-Identifier: Apache-2.0
#include "data/data.hpp"

#include <algorithm>
#include <list>
#include <string>

#include <ATen/ops/from_blob.h>
#include <ATen/ops/index_select.h>

namespace dlrun::data {

namespace {

constexpr std::size_t kHeld = 2;

std::vector<std::int64_t> with_count(std::int64_t count, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> sizes{count};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  return sizes;
}

std::int64_t count_of(const dataset::Dataset& dataset) {
  std::int64_t width = 1;
  for (const std::int64_t size : dataset.schema.input) width *= size;
  return std::int64_t(dataset.inputs.size()) / std::max<std::int64_t>(1, width);
}

Examples lay_over(dataset::Dataset& dataset) {
  const std::int64_t count = count_of(dataset);
  Examples all;
  all.inputs = at::from_blob(dataset.inputs.data(), with_count(count, dataset.schema.input), at::kFloat);
  all.targets = dataset.schema.classes > 0
                    ? at::from_blob(dataset.labels.data(), {count}, at::kLong)
                    : at::from_blob(dataset.values.data(), {count, dataset.schema.targets}, at::kFloat);
  return all;
}

}  // namespace

Data::Data(dataset::Dataset dataset) : dataset_(std::move(dataset)), all_(lay_over(dataset_)) {
  val_ = gather(dataset_.val);
  test_ = gather(dataset_.test);
}

Examples Data::gather(const std::vector<std::int64_t>& rows) const {
  const at::Tensor index =
      at::from_blob(const_cast<std::int64_t*>(rows.data()), {std::int64_t(rows.size())}, at::kLong);
  return {at::index_select(all_.inputs, 0, index), at::index_select(all_.targets, 0, index)};
}

std::shared_ptr<const Data> load_shared(const Json& section, std::uint64_t seed) {
  struct Held {
    std::string key;
    std::shared_ptr<const Data> data;
  };
  static std::list<Held> held;  // the most recent first
  const std::string key = std::to_string(seed) + " " + to_text(section);
  const auto found = std::find_if(held.begin(), held.end(), [&](const Held& h) { return h.key == key; });
  if (found != held.end()) {
    held.splice(held.begin(), held, found);
  } else {
    if (held.size() >= kHeld) held.pop_back();
    held.push_front({key, std::make_shared<const Data>(dataset::load(section, {}, seed))});
  }
  return held.front().data;
}

}  // namespace dlrun::data
