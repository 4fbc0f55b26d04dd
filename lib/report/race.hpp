// SPDX-License-Identifier: Apache-2.0
// A race of variants (`design: race`) as its store has it: who leads, who dropped out, and what the leader is worth.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "report/ablation_cells.hpp"
#include "statistics/race.hpp"
#include "storage/raced_winner.hpp"

namespace dlrun::report {

/// The race that the study's cells decide so far. REQUIRES: the study is a race.
statistics::Race race_of(const AblationStudy& study);

/// Whether the study, in its normal form, is a race for the start of a final training (warm_race.hpp).
bool is_warm_race(const Json& spec);

/// Why the runs of programs that only_repeats() finds tell nothing.
inline constexpr const char* kNoLuck =
    "every seed gave a variant the same value, so these runs tell no luck: a command gets its seed where it names "
    "`{seed}` or reads DLRUN_REPLICATE, a function of Python in `trial.seed`";

/// Whether the race ran programs that draw nothing by their replicate, and so ran the same again.
bool only_repeats(const AblationStudy& study, const statistics::Race& race);

/// A variant's name for readers; the baseline that is a trial of a search has that trial's, that of a race of warm
/// starts is `none`.
std::string contender_name(const AblationStudy& study, const AblationVariant& variant, Audience audience);

/// True value of the race's winner, as far as it can be told: by the test split where there is one, which took no part
/// in any choice; else by the objective, without the luck of having been chosen in the race. Of programs that only
/// repeat their runs it is the measured value, without an interval. nullopt: the race is not over, or too little was
/// measured.
std::optional<storage::WinnerValue> raced_value(const OpenedStudy& opened, const AblationStudy& study,
                                                const statistics::Race& race);

/// Winner of a race that is over, for its search. nullopt: it is not over, every candidate has failed, or the variants
/// are no trials of a search.
std::optional<storage::RacedWinner> raced(const std::filesystem::path& store, const std::string& race);

/// How far the others are behind the leader; nothing before two replicates.
std::vector<NamedPicture> race_pictures(const AblationStudy& study);

/// Sentences and the table of contenders.
std::vector<Table> race_tables(const OpenedStudy& opened, const AblationStudy& study, Audience audience);

}  // namespace dlrun::report
