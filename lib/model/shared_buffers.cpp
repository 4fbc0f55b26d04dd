// SPDX-License-Identifier: Apache-2.0
#include "model/shared_buffers.hpp"

#include <map>
#include <string>

namespace dlrun::model {

std::vector<std::optional<std::size_t>> earlier_writers(const Graph& graph) {
  std::vector<std::optional<std::size_t>> earlier(graph.nodes.size());
  std::map<std::string, std::size_t> last;  // writer of each buffer so far
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    for (const Tensor& tensor : node.tensors) {
      if (!tensor.trainable) last[node.name + '.' + tensor.name] = i;
    }
    for (const SharedTensor& tensor : node.shared) {
      if (tensor.trainable) continue;
      std::size_t& writer = last.at(tensor.of);
      if (writer != i) earlier[i] = writer;
      writer = i;
    }
  }
  return earlier;
}

}  // namespace dlrun::model
