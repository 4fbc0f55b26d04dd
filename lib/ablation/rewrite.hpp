// SPDX-License-Identifier: Apache-2.0
// A declared model to another one without some of its parts. Names of the remaining parts do not change, so tensors
// that survive are the same ones. Nothing infers shapes here, but prune() those of projections whose body goes.
#pragma once
#include <string>
#include <vector>

#include "model/declared.hpp"

namespace dlrun::ablation {

/// Every reader of a dropped node reads what the node read; of a layer that reads a mask, edges or a memory beside its
/// input, that input. Another node of several inputs may go where they all come to the
/// same node once the others are gone: a whole residual, an inception module.
/// @throws Refused E202 where its inputs stay different; E216 where another layer uses its weights; E220 where the
/// model's output would be its input.
void drop(model::Declared& model, const std::vector<std::string>& nodes);

/// `branch` is RESIDUAL.body or RESIDUAL.shortcut: what is left of the residual is the other one.
/// @throws Refused E201 where there is no such branch, E206 where nothing would be left.
void drop_branch(model::Declared& model, const std::string& branch);

/// Drops all nodes on a path from `from` to `to`, `to` included; its readers read `from`.
/// @throws Refused E201 unknown name or no path, E207 what is removed is read elsewhere, E208 a path to `to` that goes
/// around `from`.
void drop_between(model::Declared& model, const std::string& from, const std::string& to);

/// Two names as they were written, and the nodes that they mean: of a block the node of its result.
struct Way {
  std::string from, to;
  std::string start, end;
};

/// @throws Refused E201 unknown name.
Way way_between(const model::Declared& model, const std::string& from, const std::string& to);

/// As drop_between(), for names that were looked up before the model got other nodes.
void drop_way(model::Declared& model, const Way& way);

/// One input of an add, concat or multiply; with one input left prune() takes it for an identity.
/// @throws Refused E201 no such edge, E202 `to` takes no list of inputs, E205 it is the last one.
void drop_edge(model::Declared& model, const std::string& from, const std::string& to);

/// Puts another op in place of the nodes': attributes that both have are kept, those of `to` set.
/// @throws Refused E209 another number of inputs, E210 an attribute that must be given, E212 it is that op already.
void swap(model::Declared& model, const std::vector<std::string>& nodes, const Json& to);

/// Removes nodes that no output needs, and sums and concats of one input. @return their names, in the model's order.
/// @throws Refused E215 where a projection's body goes whose shape is not known; E220 where an output does not depend
/// on any input.
std::vector<std::string> prune(model::Declared& model);

}  // namespace dlrun::ablation
