// SPDX-License-Identifier: Apache-2.0
#include "data/data.hpp"

#include <algorithm>
#include <list>
#include <string>

#include <ATen/ops/empty.h>

#include "data/gather.hpp"
#include "dataset/batch_section.hpp"
#include "dataset/targets.hpp"

namespace dlrun::data {

namespace {

constexpr std::size_t kHeld = 2;
constexpr std::size_t kMostHeld = std::size_t(32) << 20;  ///< bytes of a measured split as tensors

std::size_t bytes_of(const Examples& examples) {
  std::size_t bytes = examples.several.empty() ? examples.targets.nbytes() : 0;
  for (const at::Tensor& input : examples.inputs) bytes += input.nbytes();
  for (const at::Tensor& target : examples.several) bytes += target.nbytes();
  return bytes;
}

std::vector<std::int64_t> with_count(std::int64_t count, const std::vector<std::int64_t>& shape) {
  std::vector<std::int64_t> sizes{count};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  return sizes;
}

at::Tensor targets_like(std::int64_t classes, const std::vector<std::int64_t>& shape, std::int64_t width,
                        std::int64_t count) {
  return classes > 0 ? at::empty(with_count(count, shape), at::kLong) : at::empty({count, width}, at::kFloat);
}

}  // namespace

Examples Examples::with_own_targets() const {
  Examples copy = *this;
  for (at::Tensor* own : {&copy.targets, &copy.other, &copy.share}) {
    if (own->defined()) *own = own->clone();
  }
  for (at::Tensor& own : copy.several) own = own.clone();
  return copy;
}

Examples Examples::clone() const {
  Examples copy = with_own_targets();
  for (at::Tensor& own : copy.inputs) own = own.clone();
  return copy;
}

Examples Examples::narrow(std::int64_t begin, std::int64_t count) const {
  Examples part;
  for (const at::Tensor& input : inputs) part.inputs.push_back(input.narrow(0, begin, count));
  part.targets = targets.narrow(0, begin, count);
  for (const at::Tensor& target : several) part.several.push_back(target.narrow(0, begin, count));
  if (other.defined()) part.other = other.narrow(0, begin, count);
  if (share.defined()) part.share = share.narrow(0, begin, count);
  return part;
}

Measured::Measured(const Data& data, const std::vector<std::int64_t>& rows) : data_(&data), rows_(&rows) {
  const std::size_t bytes = rows.empty() ? 0 : rows.size() * bytes_of(data.buffers(1));
  if (bytes == 0 || bytes > kMostHeld) return;
  held_ = data.buffers(size());
  data.gather_measured(rows.data(), held_);
}

Examples Measured::part(std::int64_t begin, std::int64_t count) const {
  if (held_.size() > 0) return held_.narrow(begin, count);
  Examples part = data_->buffers(count);
  data_->gather_measured(rows_->data() + begin, part);
  return part;
}

Data::Data(dataset::Dataset dataset, const Json& augment)
    : dataset_(std::move(dataset)), normalise_(augment, dataset_.schema) {
  val_ = Measured(*this, dataset_.val);
  test_ = Measured(*this, dataset_.test);
}

Examples Data::buffers(std::int64_t count, bool is_pinned) const {
  Examples result;
  if (count == 0) return result;
  const dataset::Schema& s = schema();
  for (const dataset::Input& input : s.inputs)
    result.inputs.push_back(at::empty(with_count(count, input.shape),
                                      at::dtype(input.is_index() ? at::kLong : at::kFloat).pinned_memory(is_pinned)));
  for (const dataset::Target& t : s.several) result.several.push_back(targets_like(t.classes, t.shape, t.width, count));
  result.targets = s.several.empty() ? targets_like(s.classes, s.target_shape, s.targets, count)
                                     : result.several[dataset::leading(s.several)];
  return result;
}

void Data::gather(const std::int64_t* rows, const Examples& buffers) const {
  for (std::size_t k = 0; k < buffers.inputs.size(); ++k) data::gather(dataset_.inputs[k], rows, buffers.inputs[k]);
  gather_targets(rows, buffers);
}

void Data::gather_targets(const std::int64_t* rows, const Examples& buffers) const {
  if (buffers.several.empty()) return data::gather(dataset_.targets, rows, buffers.targets);
  for (std::size_t k = 0; k < buffers.several.size(); ++k) data::gather(dataset_.several[k], rows, buffers.several[k]);
}

void Data::mix_target(std::int64_t row, double share, float* target) const {
  for (std::int64_t t = 0; t < dataset_.targets.width; ++t)
    target[t] = float(share) * target[t] + float(1 - share) * dataset_.targets.number(row, t);
}

void Data::gather_measured(const std::int64_t* rows, const Examples& buffers) const {
  gather(rows, buffers);
  if (normalise_.is_empty()) return;
  auto* numbers = buffers.inputs[0].mutable_data_ptr<float>();
  for (std::int64_t i = 0; i < buffers.size(); ++i) normalise_.apply(numbers + i * dataset_.inputs[0].width);
}

Json normalising(const Json& section) {
  Json steps = Json::array();
  for (const Json& step : section["augment"]) {
    if (step["op"] == "normalise") steps.push_back(step);
  }
  return steps;
}

std::vector<std::int64_t> Data::class_counts(const std::string& target) const {
  std::vector<std::int64_t> counts(std::size_t(dataset::seen_by(schema(), target).classes));
  if (counts.empty()) return counts;
  const dataset::Target* found = dataset::find_target(schema(), target);
  const dataset::Array& labels =
      found == nullptr ? dataset_.targets : dataset_.several[std::size_t(found - schema().several.data())];
  for (const std::int64_t row : train_rows()) {
    for (std::int64_t i = 0; i < labels.width; ++i) {
      const std::int64_t label = labels.index(row, i);
      if (label >= 0) ++counts[std::size_t(label)];
    }
  }
  return counts;
}

std::shared_ptr<const Data> load_shared(const Json& written, std::uint64_t seed) {
  const Json section = dataset::normalised(written);
  struct Held {
    std::string key;
    std::shared_ptr<const Data> data;
  };
  static std::list<Held> held;  // the most recent first
  const std::string key =
      std::to_string(seed) + " " + to_text(dataset::without_batches(section)) + to_text(normalising(section));
  const auto found = std::find_if(held.begin(), held.end(), [&](const Held& h) { return h.key == key; });
  if (found != held.end()) {
    held.splice(held.begin(), held, found);
  } else {
    if (held.size() >= kHeld) held.pop_back();
    held.push_front({key, std::make_shared<const Data>(dataset::load(section, {}, seed), normalising(section))});
  }
  return held.front().data;
}

}  // namespace dlrun::data
