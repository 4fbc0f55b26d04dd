// SPDX-License-Identifier: Apache-2.0
#include "exchange/tensorboard.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "exchange/event_file.hpp"
#include "exchange/hparam_columns.hpp"
#include "exchange/study_source.hpp"

namespace dlrun::exchange {

namespace {

using trial::TrialState;

double seconds(std::int64_t ms) { return double(ms) / 1000; }

/// A pruned or cancelled trial neither succeeded nor failed.
SessionStatus status_of(TrialState state) {
  switch (state) {
    case TrialState::completed: return SessionStatus::success;
    case TrialState::failed: return SessionStatus::failure;
    case TrialState::pruned:
    case TrialState::cancelled: return SessionStatus::unknown;
    default: return SessionStatus::running;
  }
}

/// Facts that every session of a trial has.
struct TrialFacts {
  const StudySource& source;
  const HParamColumns& columns;
  const Trial& trial;
  std::int64_t started;
  std::string group;  ///< "study/17"
};

/// Names of TensorBoard's files end in anything; ours have the trial's begin, so that equal stores give equal names.
std::string file_name(std::int64_t started) { return fmt::format("events.out.tfevents.{:010}.dlrun", started / 1000); }

std::string session_start(const TrialFacts& facts) {
  const SessionStart start{facts.group, seconds(facts.started), facts.columns.values_of(facts.trial)};
  return hparams_event(start.time, kSessionStartTag, session_start_message(start));
}

std::string session_end(const TrialFacts& facts) {
  const double time = seconds(facts.trial.finished.value_or(0));
  const Message end = session_end_message(status_of(facts.trial.state), time);
  return hparams_event(seconds(facts.trial.finished.value_or(facts.source.newest())), kSessionEndTag, end);
}

std::string scalars(const StudySource& source, const std::vector<Point>& points) {
  const std::vector<std::string> tags = source.metric_tags();
  std::string out;
  for (const Point& point : points)
    out += scalar_event({seconds(point.time), point.step, tags[point.metric], point.value});
  return out;
}

/// Values of the objectives, at the epoch that the first one is of.
std::string objectives(const TrialFacts& facts, const Scores& scores) {
  const std::vector<std::string> names = facts.source.objectives();
  const double time = seconds(facts.trial.finished.value_or(facts.source.newest()));
  std::string out;
  for (std::size_t i = 0; i < scores.values.size(); ++i) {
    if (const Json& value = scores.values[i]; value.is_number())
      out += scalar_event({time, scores.step, objective_tag(names[i]), value.get<double>()});
  }
  return out;
}

class Writer {
 public:
  Writer(ExportFolder& folder, const HParamColumns& columns, Exported& done)
      : folder_(folder), columns_(columns), done_(done) {}

  void write_table(std::int64_t created) {
    const Message table = experiment_message(seconds(created), columns_.columns(), columns_.metrics());
    folder_.write(file_name(created),
                  version_event(seconds(created)) + hparams_event(seconds(created), kExperimentTag, table));
  }

  void write(const StudySource& source, const Trial& trial) {
    if (!has_begun(trial)) {
      ++done_.skipped;
      return;
    }
    ++done_.trials;
    done_.values += std::int64_t(trial.points.size());
    const TrialFacts facts{source, columns_, trial, begin_of(source, trial),
                           fmt::format("{}/{}", source.name(), trial.number)};
    if (shows_members(source, trial)) {
      write_members(facts);
    } else {
      put(facts, facts.group,
          session_start(facts) + scalars(source, trial.points) + objectives(facts, scores_of(trial)) +
              session_end(facts));
    }
  }

 private:
  void put(const TrialFacts& facts, const std::string& run, const std::string& events) {
    folder_.write(std::filesystem::path(run) / file_name(facts.started),
                  version_event(seconds(facts.started)) + events);
  }

  /// The means in the trial's run, and a session for each member in a run below: the table has them in one group.
  void write_members(const TrialFacts& facts) {
    const Trial& trial = facts.trial;
    put(facts, facts.group, scalars(facts.source, mean_points(trial.points)) + objectives(facts, scores_of(trial)));
    for (const std::vector<Point>& points : by_member(trial.points)) {
      const std::pair<int, int> member = points.front().member;
      put(facts, facts.group + "/" + member_name(member),
          session_start(facts) + scalars(facts.source, points) + objectives(facts, scores_of(trial, member)) +
              session_end(facts));
    }
  }

  ExportFolder& folder_;
  const HParamColumns& columns_;
  Exported& done_;
};

}  // namespace

std::string member_name(const std::pair<int, int>& member) {
  return fmt::format("replicate-{}-fold-{}", member.first, member.second);
}

Exported export_tensorboard(const ExportRequest& request) {
  ExportFolder folder(request.folder);
  std::vector<std::unique_ptr<StudySource>> sources;
  for (const std::string& name : request.studies)
    sources.push_back(std::make_unique<StudySource>(request.folder.store, name));
  HParamColumns columns;
  std::int64_t created = sources.at(0)->created();
  for (const auto& source : sources) {
    columns.add_study(*source);
    created = std::min(created, source->created());
  }
  Exported done;
  Writer writer(folder, columns, done);
  writer.write_table(created);
  for (const auto& source : sources) {
    source->for_each_trial([&](const Trial& trial) { writer.write(*source, trial); });
    if (!source->is_finished()) done.unfinished.push_back(source->name());
  }
  folder.keep();
  done.final_path = folder.final_path();
  return done;
}

}  // namespace dlrun::exchange
