// SPDX-License-Identifier: Apache-2.0
#include "mcp/tool.hpp"

namespace dlrun::mcp {

std::string to_string(Right right) {
  switch (right) {
    case Right::read: return "read";
    case Right::propose: return "propose";
    case Right::start: return "start";
  }
  return {};
}

Json description_of(const Tool& tool) {
  return {{"name", tool.name},
          {"title", tool.title},
          {"description", tool.text},
          {"inputSchema", schema_of(tool.parameters)},
          {"annotations",
           {{"readOnlyHint", tool.right == Right::read}, {"destructiveHint", false}, {"openWorldHint", false}}}};
}

}  // namespace dlrun::mcp
