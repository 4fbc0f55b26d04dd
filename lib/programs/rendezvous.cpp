// SPDX-License-Identifier: Apache-2.0
#include "programs/rendezvous.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "util/error.hpp"

namespace dlrun::programs {

std::map<std::string, std::string> variables_of(const Rendezvous& place) {
  const std::string port = std::to_string(place.port);
  std::map<std::string, std::string> all{{"MASTER_ADDR", place.address},
                                         {"MASTER_PORT", port},
                                         {"PET_MASTER_ADDR", place.address},
                                         {"PET_MASTER_PORT", port}};
  if (place.gpus > 0) all["PET_NPROC_PER_NODE"] = std::to_string(place.gpus);
  if (place.nodes == 1) return all;
  for (const char* name : {"RANK", "NODE_RANK", "GROUP_RANK", "PET_NODE_RANK"}) all[name] = std::to_string(place.rank);
  for (const char* name : {"WORLD_SIZE", "GROUP_WORLD_SIZE", "PET_NNODES"}) all[name] = std::to_string(place.nodes);
  all["LOCAL_RANK"] = "0";
  all["LOCAL_WORLD_SIZE"] = "1";
  return all;
}

std::string gpus_of_program(int gpus, const std::vector<std::string>& visible) {
  if (int(visible.size()) < gpus)
    throw Error(ErrorKind::outside, fmt::format("a program needs {} GPU{} (resources.gpus), but its host shows {}",
                                                gpus, gpus == 1 ? "" : "s", visible.size()));
  std::string names;
  for (int i = 0; i < gpus; ++i) names += (names.empty() ? "" : ",") + visible[std::size_t(i)];
  return names;
}

bool is_port_fault(std::string_view line) {
  constexpr std::array kWords{"ddress already in use", "EADDRINUSE"};
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](const char* words) { return line.find(words) != std::string_view::npos; });
}

}  // namespace dlrun::programs
