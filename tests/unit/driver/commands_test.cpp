// SPDX-License-Identifier: Apache-2.0
// Which commands of people are granted, and what follows from them.
#include "driver/commands.hpp"

#include "around.hpp"
#include "support/catch.hpp"

namespace commands_test {

using namespace dlrun;
using namespace dlrun::driver;

namespace {

/// Trial 0 has failed, 1 is completed, 2 runs.
struct Fixture {
  support::TempFolder folder;
  spec::StudySpec spec = support::small_spec(folder);
  study::Study study = support::study_of(spec);
  Commands commands{spec, study, [] { return Json{{"state", "running"}}; }};

  Fixture() {
    std::ignore = study.decide();
    trial::PieceResult failed{.key = {{trial::TrialId(0), 0, 0}, 0}, .attempt = 1};
    failed.outcome = trial::Outcome::failed;
    failed.cause = trial::Cause::exception;
    std::ignore = study.absorb(study::PieceEnded{failed});
    trial::PieceResult done{.key = {{trial::TrialId(1), 0, 0}, 0}, .attempt = 1};
    done.reports = {{1, {{"value", 0.5}}}};
    std::ignore = study.absorb(study::PieceEnded{done});
    std::ignore = study.decide();
  }

  std::string error(const Json& request) const {
    const Commanded out = commands.answer(request);
    CHECK_FALSE(out.event);
    CHECK_FALSE(out.remark);
    CHECK_FALSE(out.stops);
    return out.reply.value("error", "none");
  }
};

}  // namespace

TEST_CASE_METHOD(Fixture, "a trial may be cancelled while it is open, retried when it has failed",
                 "[driver][commands]") {
  const Commanded cancelled = commands.answer({{"command", "cancel"}, {"trial", 2}});
  CHECK(cancelled.reply == Json{{"ok", true}});
  CHECK(std::get<study::CancelAsked>(*cancelled.event).trial == trial::TrialId(2));
  const Commanded retried = commands.answer({{"command", "retry"}, {"trial", 0}});
  CHECK(std::get<study::RetryAsked>(*retried.event).trial == trial::TrialId(0));
  CHECK(error({{"command", "cancel"}, {"trial", 1}}) == "trial 1 is completed already");
  CHECK(error({{"command", "retry"}, {"trial", 1}}) == "trial 1 is completed, not failed");
  CHECK(error({{"command", "cancel"}, {"trial", 3}}) == "there is no trial 3");
  CHECK(error({{"command", "retry"}, {"trial", -1}}) == "there is no trial -1");
}

TEST_CASE_METHOD(Fixture, "values are enqueued once, inside of the space", "[driver][commands]") {
  const Commanded asked = commands.answer({{"command", "enqueue"}, {"values", {{"x", 0.25}}}});
  CHECK(std::get<study::EnqueueAsked>(*asked.event).values == space::Values{0.25});
  CHECK(error({{"command", "enqueue"}, {"values", {{"x", 2}}}}) != "none");
  const Json tried = spec.space.params(study.trial(trial::TrialId(2)).values);
  CHECK(error({{"command", "enqueue"}, {"values", tried}}) == "trial 2 has these values");
  std::ignore = study.absorb(*asked.event);
  CHECK(error({{"command", "enqueue"}, {"values", {{"x", 0.25}}}}) == "these values are asked for already");
}

TEST_CASE_METHOD(Fixture, "notes and tags become rows beside the log", "[driver][commands]") {
  const Commanded note = commands.answer({{"command", "note"}, {"text", "odd"}, {"trial", 1}});
  CHECK(note.remark->text == "odd");
  CHECK(note.remark->trial == trial::TrialId(1));
  CHECK_FALSE(note.remark->is_tag);
  const Commanded tag = commands.answer({{"command", "tag"}, {"tag", "good"}, {"remove", true}});
  CHECK((tag.remark->is_tag && tag.remark->is_removed));
  CHECK_FALSE(tag.remark->trial);
  CHECK(error({{"command", "note"}, {"text", "odd"}, {"trial", 9}}) == "there is no trial 9");
}

TEST_CASE_METHOD(Fixture, "a run is stopped, or handed over to another driver", "[driver][commands]") {
  CHECK(commands.answer({{"command", "stop"}}).stops == "stopped by request");
  CHECK(commands.answer({{"command", "stop"}, {"reason", "enough"}}).stops == "enough");
  CHECK(commands.answer({{"command", "hand_over"}, {"to", "process 7"}}).hands_over == "handed over to process 7");
  CHECK(commands.answer({{"command", "status"}}).reply == Json{{"state", "running"}});
}

TEST_CASE_METHOD(Fixture, "what cannot be understood is refused", "[driver][commands]") {
  CHECK(error({{"command", "dance"}}) == "there is no command 'dance'");
  CHECK(error({{"command", std::string(50, 'x')}}) == "there is no such command");
  CHECK(error(Json::array()).starts_with("malformed request: "));
  CHECK(error({{"command", "cancel"}}).starts_with("malformed request: "));
  CHECK(error({{"command", "hand_over"}}).starts_with("malformed request: "));
}

}  // namespace commands_test
