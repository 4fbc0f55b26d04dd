// SPDX-License-Identifier: Apache-2.0
// Answers from the store, read-only: tables that every output format prints. Anyone may read while a driver writes.
#pragma once
#include <csignal>
#include <cstdint>
#include <filesystem>
#include <iosfwd>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "plot/picture.hpp"
#include "report/study_pictures.hpp"
#include "util/error.hpp"
#include "util/json.hpp"

namespace dlrun::report {

/// How formats for people print a table.
enum class Shape {
  grid,      ///< rows and columns; text that is wider than the page is cut
  whole,     ///< the same, and nothing is cut: cells wrap, columns that do not fit stand below
  sentences  ///< the last cell of each row: the first as a paragraph, the others as a list
};

/// A table as every format prints it (text, json, csv, markdown). Cells: null, bool, number, string.
struct Table {
  std::string title;
  std::vector<std::string> columns;
  std::vector<std::vector<Json>> rows;
  Shape shape = Shape::grid;
};

/// Readers of an ablation. People see a swap by its direction, "adamw → sgd", and its verdict names the better side.
/// Programs see components by their ids, with verdicts of a fixed set of words, and the direction in a column of its
/// own.
enum class Audience { programs, people, paper };

/// Opened studies of one store. Each call sees one moment of each study. Tables over several studies begin with a
/// column `study`. One trial is read by trial_reader.hpp.
/// @throws Error(not_found) with the nearest name; Error(store) damaged or newer.
class Reader {
 public:
  /// `studies` empty: the one last started in this store.
  Reader(const std::filesystem::path& store, const std::vector<std::string>& studies);
  ~Reader();
  Reader(Reader&&) noexcept;

  Table studies() const;        ///< name, state, trials, best, started, … of the opened ones
  Table status() const;         ///< state and number of trials in each state
  Table best(int count) const;  ///< the best trials with their parameters
  Table winner() const;       ///< the best trial's value without the luck of having been chosen, and what that rests on
  Table trials() const;       ///< every trial with its parameters, and its metrics at its last epoch
  Table progress() const;     ///< every trial that was better than all before it, by number
  bool has_several() const;   ///< objectives, each of the studies
  Table front() const;        ///< trials that no other dominates, by several objectives
  Table hypervolume() const;  ///< growth of the hypervolume that the front dominates
  Table parameters() const;   ///< domain, best value, rank correlation with the objective
  /// How much the objective depends on each parameter, on pairs of them (fanova), and the evidence for it.
  /// @param method fanova | ped_anova | shapley
  /// @param objective  a metric of the objectives, or all, for one study; empty: the first
  /// @throws Error(usage) for a method or objective that there is not
  std::vector<Table> importance(const std::string& method, const std::string& objective = {}) const;
  /// Tables of an ablation: the claim, the contribution of each component, interactions, the methods in a paragraph.
  /// @param audience  for a paper: its columns and the paragraph alone
  std::vector<Table> ablation(Audience audience = Audience::programs) const;
  /// Answer of an ablation: a sentence for each finding, and the contributions.
  std::vector<Table> findings(Audience audience = Audience::programs) const;
  /// Every picture that the studies have data for; their names are those of the study and of the kind.
  std::vector<NamedPicture> pictures() const;
  /// One picture of the first study.
  /// @param kind  a name of picture_kinds()
  /// @throws Error(usage) for an unknown kind, with the nearest one, and one that the study has no data for, saying why
  plot::Picture picture(const std::string& kind, const PictureWishes& wishes = {}) const;
  std::vector<Table> cost() const;  ///< epochs and seconds that were spent, and epochs that were not trained again
  Table ranks() const;              ///< time, bytes and staleness of trials whose ranks train together
  bool has_ranks() const;           ///< one of the studies
  bool is_ablation() const;         ///< each of the studies
  bool has_findings() const;        ///< each is an ablation, and no comparison of final trainings
  /// Tables of a final training beside its rivals: epochs to the target, last value, cost.
  /// @throws Error(usage) where a study is none
  std::vector<Table> final() const;
  bool is_final() const;  ///< each of the studies is such a comparison
  /// Arms of such comparisons, if all their trainings failed.
  std::vector<std::string> failed_arms() const;
  Table workers() const;      ///< processes that carried attempts, newest driver first
  Table divergences() const;  ///< attempts that measured something else than an earlier one
  Table notes() const;        ///< notes and tags of studies and trials

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

/// Writes all of the studies but names, time, place and attempts, as canonical JSON lines: equal studies give equal
/// bytes. @param studies  as for Reader
void export_logically(const std::filesystem::path& store, const std::vector<std::string>& studies, std::ostream& out);

/// Most memory that an attempt of the study has held, in bytes; nullopt: unknown, as where the store has no such study.
std::optional<std::int64_t> peak_memory(const std::filesystem::path& store, const std::string& study);

struct StudyList {
  Table table;                ///< no rows if there are none
  std::vector<Error> faults;  ///< faults of studies that cannot be read, which the table lacks
};

/// All studies of a store, newest first.
StudyList list_studies(const std::filesystem::path& store);

struct SqlOptions {
  double seconds = 0.5;             ///< deadline
  std::size_t rows = 10'000;        ///< rows of a result; more is an error
  std::size_t result = 16 << 20;    ///< bytes of text that the rows may hold
  std::int64_t memory = 100 << 20;  ///< bytes that SQLite may take
  int first_line = 1;               ///< number of the statement's first line, in messages
  /// A handler of SIGINT sets it to end a query of sql_apart(). nullptr: SIGINT does what it does elsewhere.
  const volatile std::sig_atomic_t* is_cancelled = nullptr;
};

/// Limits for statements of our own, however large the study.
inline constexpr SqlOptions kOwnSql{.seconds = 60, .rows = 100'000'000, .result = 64 << 20, .memory = 256 << 20};

/// One select statement in the sandbox, over the views by their short names (trials, params, metrics, …), all studies
/// together. For statements of our own: the deadline is looked at between steps, and one step may take long.
/// @throws Error(usage) for anything but a query, past the deadline or the rows.
Table sql(const std::filesystem::path& store, const std::vector<std::string>& studies, const std::string& statement,
          const SqlOptions& options = {});

/// Names of the tables that a statement may ask, each with its columns.
Table sql_tables(const std::filesystem::path& store, const std::vector<std::string>& studies);

/// Runs sql() for statements of others, in a child process that is killed half a second after the deadline, whatever it
/// does. REQUIRES: no other thread of this process holds a lock, for the child is forked.
/// @throws as sql(); Error(usage) where the query needs more memory, Error(interrupted) where it was cancelled.
Table sql_apart(const std::filesystem::path& store, const std::vector<std::string>& studies,
                const std::string& statement, const SqlOptions& options = {});

}  // namespace dlrun::report
