// SPDX-License-Identifier: Apache-2.0
// A tool that agents may call, as data: one value drives the list, the check of arguments and the rights.
#pragma once
#include <functional>
#include <string>

#include "mcp/answer.hpp"
#include "mcp/parameters.hpp"

namespace dlrun::mcp {

/// Rights of an agent. Everybody may read.
enum class Right { read, propose, start };

std::string to_string(Right right);

/// Caller of a tool: the client's own words, which nobody has verified.
struct Caller {
  std::string name = "unnamed";  ///< the client's: letters, digits and ' ._-/' only, at most 60 of them
};

struct Tool {
  std::string name;
  std::string title;  ///< two or three words for people
  std::string text;   ///< a paragraph for the agent
  Parameters parameters;
  Right right = Right::read;
  /// @throws Error for a call that cannot be done; the agent sees message and hint
  std::function<Answer(const Json& arguments, const Caller& caller)> run;
};

/// The tool as tools/list has it.
Json description_of(const Tool& tool);

}  // namespace dlrun::mcp
