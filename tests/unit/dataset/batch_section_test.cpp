// SPDX-License-Identifier: Apache-2.0
// `augment`, `sampler`, `drop_last` and `prefetch`: defaults, names of steps, and what does not fit the data.
#include "dataset/batch_section.hpp"
#include "dataset/partition_section.hpp"
#include "files.hpp"
#include "support/catch.hpp"

namespace batch_section_test {

using namespace dlrun;
using namespace dlrun::dataset;

namespace {

const char* const kTable = "a,b,y\n1,2,p\n2,3,q\n3,4,p\n4,5,q\n5,6,p\n6,7,q\n7,8,p\n8,9,q\n";

Json table(const std::string& keys) {
  return section((R"({"op":"csv","path":"t.csv","target":"y")" + keys + "}").c_str());
}

std::string said(const DataError& fault) { return fault.path() + ": " + fault.what() + " (" + fault.hint() + ")"; }

/// Of a table of two columns.
std::string table_fault(const std::string& keys) {
  const DataFolder folder;
  folder.write("t.csv", kTable);
  try {
    inspect(table(keys), folder.where(), 7);
  } catch (const DataError& fault) {
    return said(fault);
  }
  return "no fault";
}

/// Of images [channels, 8, 9] in three classes.
std::string image_fault(const std::string& keys, std::int64_t channels = 3) {
  Schema schema;
  schema.inputs = {{"x", {channels, 8, 9}}};
  schema.classes = 3;
  try {
    check_batches(normalised(table(keys)), schema);
  } catch (const DataError& fault) {
    return said(fault);
  }
  return "no fault";
}

}  // namespace

TEST_CASE("colour steps work on arrays whose numbers lie from 0 to 1", "[dataset][batches]") {
  const DataFolder folder;
  std::vector<double> numbers, labels;
  for (int i = 0; i < 20 * 3 * 2 * 2; ++i) numbers.push_back(i % 11 / 10.0);
  for (int i = 0; i < 20; ++i) labels.push_back(i % 2);
  folder.write("x.npy", npy_bytes("(20, 3, 2, 2)", numbers));
  folder.write("y.npy", npy_bytes("(20,)", labels));
  const auto fault_with = [&](const std::string& keys, bool is_loaded) {
    const Json data =
        section((R"({"op":"npy","inputs":"x.npy","targets":"y.npy","task":"regression")" + keys + "}").c_str());
    try {
      is_loaded ? void(load(data, folder.where(), 7)) : void(inspect(data, folder.where(), 7));
    } catch (const DataError& fault) {
      return said(fault);
    }
    return std::string("no fault");
  };
  const bool is_loaded = GENERATE(false, true);
  const std::string colour = R"(,"augment":["flip",{"op":"colour","brightness":0.2}])";
  CHECK(fault_with(colour, is_loaded) == "no fault");
  CHECK(fault_with(R"(,"scale":0.1)", is_loaded) == "no fault");  // the schema is known from here on
  CHECK(fault_with(R"(,"scale":0.1)" + colour, is_loaded) ==
        "augment.1: \"colour\" works on numbers from 0 to 1, but example 0 has others (divide them by the greatest: "
        "scale)");
}

TEST_CASE("the defaults of a batch", "[dataset][batches]") {
  const Json data = normalised(table(""));
  CHECK(data["augment"] == Json::array());
  CHECK(data["sampler"] == Json{{"op", "shuffle"}});
  CHECK(data["drop_last"] == false);
  CHECK(data["prefetch"] == "auto");
}

TEST_CASE("a step has its defaults and a name of its own; twice is once", "[dataset][batches]") {
  const Json data = normalised(table(R"(,"augment":["flip",{"op":"crop","pad":2},{"op":"flip","axis":"vertical"}])"));
  CHECK(data["augment"][0] == Json{{"op", "flip"}, {"p", 0.5}, {"axis", "horizontal"}, {"name", "flip"}});
  CHECK(data["augment"][2]["name"] == "flip2");
  CHECK(normalised(data) == data);
}

TEST_CASE("steps and samplers that are not, or say what is not", "[dataset][batches][faults]") {
  CHECK(table_fault(R"(,"augment":["flipp"])") == "augment.0.op: 'augment' knows no \"flipp\" (did you mean 'flip'?)");
  CHECK_THAT(table_fault(R"(,"augment":[{"pad":2}])"), Contains("augment.0: 'augment.0' needs 'op', its kind"));
  CHECK_THAT(table_fault(R"(,"augment":[{"op":"crop","padd":2}])"),
             Contains("augment.0.padd") && Contains("did you mean 'pad'?"));
  CHECK_THAT(table_fault(R"(,"augment":[{"op":"crop","pad":0}])"),
             Contains("'pad' must be a whole number from 1 to 4096, but is 0"));
  CHECK_THAT(table_fault(R"(,"augment":"flip")"), Contains("'augment' must be a list, but is \"flip\""));
  CHECK_THAT(table_fault(R"(,"augment":["noise",{"op":"mixup","name":"noise"}])"),
             Contains("augment.1.name: two steps are named \"noise\""));
  CHECK_THAT(table_fault(R"(,"augment":[{"op":"normalise","mean":[0.5]}])"), Contains("needs 'std'"));
  CHECK(table_fault(R"(,"sampler":"ballanced")") ==
        "sampler.op: 'sampler' knows no \"ballanced\" (did you mean 'balanced'?)");
  CHECK_THAT(table_fault(R"(,"prefetch":99)"),
             Contains("'prefetch' must be a whole number from 0 to 16, or one of auto, but is 99"));
}

TEST_CASE("what fits a table", "[dataset][batches]") {
  CHECK(table_fault(R"(,"augment":["noise",{"op":"normalise","mean":[0.5,1],"std":[2]},"mixup"])") == "no fault");
  CHECK(table_fault(R"(,"sampler":{"op":"weighted","weights":[1,0]})") == "no fault");
}

TEST_CASE("what does not fit a table", "[dataset][batches][faults]") {
  CHECK(table_fault(R"(,"augment":["noise","flip"])") ==
        "augment.1: 'flip' needs images, but an input is [2] (remove it)");
  CHECK_THAT(table_fault(R"(,"augment":["cutmix"])"), Contains("needs images"));
  CHECK_THAT(table_fault(R"(,"augment":["mixup","noise"])"), Contains("augment.0: 'mixup' must be the last step"));
  CHECK_THAT(table_fault(R"(,"sampler":{"op":"weighted","weights":[1,2,3]})"),
             Contains("sampler.weights: there are 3 weights, but 2 classes"));
  CHECK_THAT(table_fault(R"(,"sampler":{"op":"weighted","weights":[0,0]})"), Contains("all weights are 0"));
  CHECK_THAT(table_fault(R"(,"sampler":"balanced","task":"regression","target":"a")"),
             Contains("sampler: 'balanced' needs data with one class"));
}

TEST_CASE("what fits images and what does not", "[dataset][batches][faults]") {
  CHECK(image_fault(R"(,"augment":["flip","crop","shift","rotate","cutout",{"op":"colour","hue":0.1},"grayscale",
                       {"op":"normalise","mean":[0,0,0],"std":[1]},"noise","mixup","cutmix"])") == "no fault");
  CHECK(image_fault(R"(,"augment":[{"op":"crop","pad":9}])") ==
        "augment.0.pad: 'pad' is 9, but an image is [3,8,9] (at most 8)");
  CHECK_THAT(image_fault(R"(,"augment":["grayscale"])", 1), Contains("needs three channels"));
  CHECK_THAT(image_fault(R"(,"augment":[{"op":"colour","hue":0.1}])", 1), Contains("leave out saturation and hue"));
  CHECK(image_fault(R"(,"augment":[{"op":"colour","contrast":0.1}])", 1) == "no fault");
  CHECK_THAT(image_fault(R"(,"augment":["colour"])"), Contains("'colour' changes nothing"));
  CHECK_THAT(image_fault(R"(,"augment":[{"op":"normalise","mean":[0],"std":[1]},"grayscale"])"),
             Contains("stands behind 'normalise'"));
  CHECK_THAT(image_fault(R"(,"scale":2,"augment":["grayscale"])"),
             Contains("numbers from 0 to 1, which 'scale' changes"));
  CHECK_THAT(image_fault(R"(,"augment":[{"op":"normalise","mean":[0,1],"std":[1]}])"),
             Contains("augment.0.mean: 'mean' has 2 numbers, but an input 3 channels"));
}

TEST_CASE("a partition has the settings of its policy, and their defaults", "[dataset][partition]") {
  CHECK_FALSE(normalised(table("")).contains("partition"));
  CHECK_FALSE(read_partition(normalised(table(""))));
  CHECK(normalised(table(R"(,"partition":"contiguous")"))["partition"] ==
        Json{{"policy", "contiguous"}, {"remainder", "pad"}});
  CHECK(normalised(table(R"(,"partition":"dirichlet")"))["partition"] == Json{{"policy", "dirichlet"}, {"alpha", 0.5}});
  const Json blocks = {
      {"policy", "blocks"},  {"importance", {{"signal", "loss"}, {"aggregate", "mean"}, {"ignore_epochs", 5}}},
      {"warmup_epochs", 10}, {"interval_epochs", 5},
      {"order", "desc"},     {"rotate", false},
      {"remainder", "pad"}};
  CHECK(normalised(table(R"(,"partition":"blocks")"))["partition"] == blocks);
  CHECK(normalised(table(R"(,"partition":"stratified")"))["partition"] ==
        Json{{"policy", "stratified"}, {"remainder", "pad"}});
  const char* const kLast = R"(,"partition":{"policy":"stratified","importance":{"aggregate":"last"},"order":"asc"})";
  const Json sorted = normalised(table(kLast));
  CHECK(sorted["partition"]["importance"] == Json{{"signal", "loss"}, {"aggregate", "last"}});
  CHECK(sorted["partition"]["warmup_epochs"] == 10);
  CHECK(normalised(sorted) == sorted);
  const auto read = read_partition(sorted);
  CHECK((read->policy == "stratified" && read->importance->aggregate == "last" && read->order == "asc"));
  CHECK_FALSE(read_partition(normalised(table(R"(,"partition":"stratified")")))->importance);
}

TEST_CASE("a setting that changes nothing in a partition is refused", "[dataset][partition][faults]") {
  const auto fault = [](const std::string& keys) { return table_fault(R"(,"partition":{"policy":)" + keys + "}"); };
  CHECK(fault(R"("stripess")") == "partition.policy: 'partition' knows no \"stripess\" (did you mean 'stripes'?)");
  CHECK(fault(R"("stripes","alpha":0.1)") ==
        "partition.alpha: 'alpha' changes nothing with policy stripes (it belongs to dirichlet)");
  CHECK(fault(R"("stripes","rotate":true)") ==
        "partition.rotate: 'rotate' changes nothing with policy stripes (it belongs to blocks)");
  CHECK_THAT(fault(R"("dirichlet","remainder":"pad")"), Contains("'remainder' changes nothing with policy dirichlet"));
  CHECK_THAT(fault(R"("dirichlet","alpha":0)"), Contains("partition.alpha") && Contains("but is 0"));
  CHECK_THAT(fault(R"("random","importance":{})"), Contains("'importance' changes nothing with policy random"));
  CHECK_THAT(fault(R"("stratified","order":"asc")"),
             Contains("partition.order: 'order' changes nothing without importance"));
  CHECK(fault(R"("stripes","importance":{"aggregate":"last","ignore_epochs":1})") ==
        "partition.importance.ignore_epochs: 'ignore_epochs' changes nothing, for the last epoch alone counts (remove "
        "it)");
  CHECK_THAT(fault(R"("stripes","warmup_epochs":5)"),
             Contains("partition.importance.ignore_epochs: no epoch counts: 5 of a warm-up of 5 are ignored"));
  CHECK_THAT(table_fault(R"(,"partition":"stripes","sampler":"balanced")"),
             Contains("sampler: 'balanced' draws examples, which a partition has dealt out"));
  CHECK_THAT(table_fault(R"(,"partition":"random","sampler":"sequential")"), Contains("sampler: 'sequential' keeps"));
  CHECK(table_fault(R"(,"partition":"contiguous","sampler":"sequential")") == "no fault");
  CHECK_THAT(table_fault(R"(,"partition":"stratified","task":"regression","target":"a")"),
             Contains("partition.policy: 'stratified' needs data with one class for each example"));
}

TEST_CASE("what concerns batches alone is not what the data set is", "[dataset][batches][hash]") {
  const DataFolder folder;
  folder.write("t.csv", kTable);
  const Json plain = table(""), other = table(R"(,"augment":["noise"],"drop_last":true,"prefetch":2)");
  CHECK(load(plain, folder.where(), 7).schema.sha256 == load(other, folder.where(), 7).schema.sha256);
  CHECK(batch_settings(normalised(plain)) != batch_settings(normalised(other)));
  CHECK(batch_settings(normalised(plain)) == batch_settings(normalised(table(R"(,"prefetch":3)"))));
  const Json parts = table(R"(,"partition":"contiguous")");
  CHECK(load(plain, folder.where(), 7).schema.sha256 == load(parts, folder.where(), 7).schema.sha256);
  CHECK(batch_settings(normalised(plain)) != batch_settings(normalised(parts)));
}

}  // namespace batch_section_test
