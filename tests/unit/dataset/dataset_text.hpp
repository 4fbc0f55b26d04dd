// SPDX-License-Identifier: Apache-2.0
// Data sets as text, for golden files: names, shapes, the first numbers, the sum of all, and the rows of each split.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "dataset/fresh.hpp"

namespace dlrun::dataset {

inline constexpr std::size_t kShown = 12;  ///< numbers of a list

template <class Values>
std::string first_of_list(const Values& values) {
  const std::vector shown(values.begin(), values.begin() + std::ptrdiff_t(std::min(values.size(), kShown)));
  return fmt::format("{} of {}", shown, values.size());
}

/// The first numbers of the first and of the last example, and the sum of all.
inline std::string text_of(const Array& array) {
  if (array.examples == 0) return "nothing\n";
  std::vector<float> begin, end;
  double sum = 0;
  for (std::int64_t e = 0; e < array.examples; ++e) {
    for (std::int64_t i = 0; i < array.width; ++i) sum += double(array.number(e, i));
  }
  for (std::int64_t i = 0; i < std::min<std::int64_t>(array.width, kShown); ++i) {
    begin.push_back(array.number(0, i));
    end.push_back(array.number(array.examples - 1, i));
  }
  return fmt::format("[{}, {}] {} … {} sum {:.9g}\n", array.examples, array.width, begin, end, sum);
}

inline std::string text_of(const Dataset& data) {
  const Schema& s = data.schema;
  std::string out =
      fmt::format("classes {} {} targets {} {}\n", s.classes, first_of_list(s.class_names), s.targets, s.target_shape);
  if (!s.features.empty())
    out += fmt::format("features {} from {}\n", first_of_list(s.features), first_of_list(s.columns));
  for (std::size_t k = 0; k < data.inputs.size(); ++k)
    out += fmt::format("input {} {} {}: {}", s.inputs[k].name, s.inputs[k].shape, s.inputs[k].vocabulary,
                       text_of(data.inputs[k]));
  out += "target " + text_of(data.targets);
  for (std::size_t k = 0; k < data.several.size(); ++k)
    out += fmt::format("target {} {}: {}", s.several[k].name, s.several[k].classes, text_of(data.several[k]));
  return out + fmt::format("train {}\nval {}\ntest {}\nclusters {}\n", first_of_list(data.train),
                           first_of_list(data.val), first_of_list(data.test), first_of_list(data.val_clusters));
}

inline std::string text_of(const Fresh& fresh) {
  std::string out = "new " + text_of(fresh.dataset);
  for (const IdColumn& id : fresh.ids) out += fmt::format("id {} {} {}\n", id.name, id.cells, id.is_number);
  for (const auto& names : fresh.value_names) out += fmt::format("values {}\n", names);
  if (const ValueScale& unit = fresh.dataset.schema.unit; !unit.empty())
    out += fmt::format("scale {} shift {}\n", unit.scale, unit.shift);
  return out;
}

/// The text that `act` gives, or its fault.
template <class Act>
std::string outcome(Act act) {
  try {
    return act();
  } catch (const DataError& fault) {
    return fmt::format("fault {}: {} | {} | {}\n", fault.path(), fault.what(), fault.hint(), fault.place());
  } catch (const Error& fault) {
    return fmt::format("error {} | {}\n", fault.what(), fault.hint());
  }
}

}  // namespace dlrun::dataset
