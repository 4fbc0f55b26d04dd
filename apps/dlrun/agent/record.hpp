// SPDX-License-Identifier: Apache-2.0
// The store's record of agents: what they proposed and started, so that people can tell it from their own.
#pragma once
#include <cstdint>
#include <filesystem>
#include <string>

#include "mcp/tool.hpp"

namespace dlrun::cli::agent {

/// Remark behind the command of a study that an agent started; `environment.command` has it.
std::string started_remark(const std::string& caller);
/// Whether an agent started the study first.
bool was_started_by_agent(const std::filesystem::path& store, const std::string& study);

/// Note of a study whose trial an agent asked for.
std::string enqueued_note(const mcp::Caller& caller, const std::string& values);
/// Number of trials that agents asked for.
std::int64_t enqueued_by_agents(const std::filesystem::path& store, const std::string& study);

/// An agent's own words as a note: they always begin with its name.
std::string own_note(const mcp::Caller& caller, const std::string& text);

}  // namespace dlrun::cli::agent
