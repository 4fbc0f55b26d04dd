// SPDX-License-Identifier: Apache-2.0
#include "driver/use.hpp"

#include "driver/asking.hpp"
#include "trial/json.hpp"

namespace dlrun::driver {

namespace {

trial::PieceOrder order_of(const spec::StudySpec& spec, const Checkpoint& checkpoint) {
  trial::PieceOrder order;
  order.key.member = checkpoint.member;
  order.seed = spec.seed;
  order.params = Json::object();
  order.sets = Json::object();
  order.resume = checkpoint.sha256;
  if (spec.rules.members.folds > 1) order.sets["data.split.fold"] = checkpoint.member.fold;
  return order;
}

}  // namespace

trial::Use use(const spec::StudySpec& spec, const std::filesystem::path& artifacts, const Checkpoint& checkpoint,
               const trial::UseOptions& options, int rows, const std::filesystem::path& worker_binary) {
  require_train(spec, options.predicts ? "predict with" : "measure");
  trial::WorkSetup setup = spec::work_setup(spec, std::filesystem::absolute(artifacts));
  setup.trial = checkpoint.config;
  const Answer answer = ask({{"setup", trial::to_json(setup)},
                             {"order", trial::to_json(order_of(spec, checkpoint))},
                             {"use", trial::to_json(options)}},
                            worker_program(worker_binary), rows);
  if (answer.status != 0) refuse_status(answer.status, "used");
  return trial::use_of(parsed(answer));
}

}  // namespace dlrun::driver
