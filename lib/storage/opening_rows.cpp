// SPDX-License-Identifier: Apache-2.0
#include "storage/opening_rows.hpp"

#include "storage/clock.hpp"
#include "storage/program_rows.hpp"
#include "storage/reading.hpp"

namespace dlrun::storage {

namespace {

/// NULL where it is empty.
std::optional<std::string> null_if_empty(const std::string& text) {
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

std::optional<int> OpeningRows::environment(const Environment& e) {
  database_
      .prepare(
          "INSERT OR REPLACE INTO dl_environment (epoch, version, host, os, device, compiler, libtorch, git_revision, "
          "git_dirty, data_sha256, command, cores, arithmetic, executor, executor_version, executor_sha256) "
          "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
      .run(epoch_, e.version, e.host, e.os, e.device, e.compiler, e.libtorch, e.git_revision, e.git_dirty,
           e.data_sha256, e.command, e.cores, e.arithmetic, null_if_empty(e.executor.name),
           null_if_empty(e.executor.version), null_if_empty(e.executor.sha256));
  insert_program(database_, epoch_, e.program);
  return other_arithmetic(database_, e.arithmetic);
}

Program OpeningRows::earlier_program() const {
  Statement earlier = database_.prepare("SELECT coalesce(max(epoch), -1) FROM dl_program_file WHERE epoch < ?");
  earlier.bind(epoch_).step();
  return read_program(database_, earlier.integer(0));
}

void OpeningRows::worker(std::int64_t number, std::int64_t pid, const std::string& host, const std::string& state) {
  database_
      .prepare(
          "INSERT INTO dl_worker (epoch, worker, pid, host, state, started, changed) "
          "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6) ON CONFLICT (epoch, worker) DO UPDATE SET "
          "pid = ?3, host = ?4, state = ?5, changed = ?6")
      .run(epoch_, number, pid, host, state, now_ms());
}

std::string OpeningRows::runtime(std::int64_t worker, const trial::Runtime& r) {
  std::optional<int> threads;
  if (r.threads > 0) threads = r.threads;
  database_
      .prepare(
          "UPDATE dl_worker SET libtorch = ?, device = ?, threads = ?, cores = ?, numerics = ? "
          "WHERE epoch = ? AND worker = ?")
      .run(null_if_empty(r.libtorch), null_if_empty(r.device), threads, null_if_empty(r.cores),
           null_if_empty(r.numerics), epoch_, worker);
  Statement earlier =
      database_.prepare("SELECT numerics FROM dl_worker WHERE epoch < ? AND numerics <> ? ORDER BY epoch DESC LIMIT 1");
  return !r.numerics.empty() && earlier.bind(epoch_, r.numerics).step() ? std::string(earlier.text(0)) : "";
}

void OpeningRows::energy(const std::string& what, const std::string& source, std::optional<double> joules) {
  transaction_.require();
  database_.prepare("INSERT OR REPLACE INTO dl_energy_rest VALUES (?, ?, ?, ?)").run(epoch_, what, source, joules);
}

}  // namespace dlrun::storage
