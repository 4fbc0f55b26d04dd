// SPDX-License-Identifier: Apache-2.0
// Favourite children by CP-SAT.
#pragma once
#include "cpsat/solver.hpp"
#include "placement/small_communication.hpp"

namespace dlrun::exact {

/// Favourite children with the shortest longest way through the graph, if transfers to favourites take no time and all
/// others take theirs (Hanen and Munier 1995): minimise w, where s_i + p_i + c_ij (1 - f_ij) <= s_j for each edge,
/// s_i + p_i <= w, and each node has one favourite at most and is the favourite of one at most. They relax f_ij to
/// [0, 1], as Baechi does, which rounds at 0.5 and may break the rule of one child. CP-SAT's f_ij are 0 or 1, so
/// nothing is rounded.
///
/// Nodes have their seconds on the mean device, forward and, if it trains, backward; edges those of a transfer, and of
/// the gradient's. The search starts from no favourites. Where it ends before any answer, no node has one. Nodes off
/// the longest way, which the solver leaves without one, get the free reader with the longest way behind it.
/// @param limits  the answer is the same on every run
/// @return  one for each node
placement::Favourites favourite_children(const placement::Graph& graph, const placement::Cluster& cluster, bool trains,
                                         const cpsat::Solver& solver, const cpsat::Limits& limits);

/// The same for placers.
/// @param solver  must outlive what is returned
/// @param effort  the most units of the solver's own clock
placement::FavouriteFinder favourite_finder(const cpsat::Solver& solver, double effort);

}  // namespace dlrun::exact
