// SPDX-License-Identifier: Apache-2.0
// Environment by which the processes of one program find each other, and the GPUs that each of its hosts gives it.
#pragma once
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace dlrun::programs {

/// Place of one copy of a program among all copies, of which there is one on each host.
struct Rendezvous {
  std::string address = "127.0.0.1";  ///< address of the first host
  int port = 0;                       ///< port of the first host, at which rank 0 may listen
  int gpus = 0;                       ///< GPUs of this host; 0: unknown
  int rank = 0;
  int nodes = 1;
};

/// Names of torch.distributed (MASTER_ADDR, RANK …), and defaults of torchrun's options (PET_…). A program that has one
/// host gets no rank: frameworks take RANK for the sign that somebody else has started all processes.
std::map<std::string, std::string> variables_of(const Rendezvous& place);

/// CUDA_VISIBLE_DEVICES of a program that has so many GPUs: the first of the visible ones.
/// @throws Error(outside) if there are fewer
std::string gpus_of_program(int gpus, const std::vector<std::string>& visible);

/// Does a line of a program's errors say that its port is taken? Between the choice of a port and its use another
/// process may take it.
bool is_port_fault(std::string_view line);

}  // namespace dlrun::programs
