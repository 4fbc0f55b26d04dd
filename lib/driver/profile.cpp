// SPDX-License-Identifier: Apache-2.0
#include "driver/profile.hpp"

#include <sys/wait.h>

#include "driver/asking.hpp"
#include "driver/sampling.hpp"
#include "process/child.hpp"
#include "trial/json.hpp"

namespace dlrun::driver {

namespace {

trial::PieceOrder first_order(const spec::StudySpec& spec) {
  trial::PieceOrder order;
  order.key.member.trial = trial::TrialId(0);
  order.to_step = 1;
  order.seed = spec.seed;
  order.params = Json::object();
  return order;
}

/// Two examples on the CPU, in a precision that it has.
Json build_question(const spec::StudySpec& spec, const Json& sets) {
  trial::WorkSetup setup = spec::work_setup(spec, {});
  trial::PieceOrder order = first_order(spec);
  order.sets = sets.is_null() ? Json::object() : sets;
  order.sets["batch_size"] = 2;
  if (setup.device != "cpu") order.sets["precision"] = "fp32";
  setup.device = "cpu";
  if (spec.rules.members.folds > 1) order.sets["data.split.fold"] = 0;
  return {{"setup", trial::to_json(setup)}, {"order", trial::to_json(order)}};
}

}  // namespace

trial::ModelProfile profile(const spec::StudySpec& spec, const trial::ProfileOptions& options,
                            const std::filesystem::path& worker_binary) {
  require_train(spec, "profile");
  const Answer answer = ask({{"setup", trial::to_json(spec::work_setup(spec, {}))},
                             {"order", trial::to_json(first_order(spec))},
                             {"steps", options.steps},
                             {"warmup", options.warmup},
                             {"busy", options.busy}},
                            worker_program(worker_binary));
  if (answer.status != 0) refuse_status(answer.status, "profiled");
  return trial::model_profile(parsed(answer));
}

trial::BuiltModel build(const spec::StudySpec& spec, const Json& sets, const std::filesystem::path& worker_binary) {
  require_train(spec, "build");
  const Answer answer = ask(build_question(spec, sets), worker_program(worker_binary));
  if (WIFSIGNALED(answer.status)) return {.place = "worker", .fault = "killed by " + process::end_text(answer.status)};
  if (answer.status != 0) refuse_status(answer.status, "built");
  return trial::built_model(parsed(answer));
}

Json first_sets(const spec::StudySpec& spec) {
  const auto values = make_sampler(spec, spec.space, spec.seed)->propose(0);
  return values ? spec.space.sets(*values) : Json::object();
}

}  // namespace dlrun::driver
