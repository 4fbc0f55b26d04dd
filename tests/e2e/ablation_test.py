# SPDX-License-Identifier: Apache-2.0
"""examples/titanic/ablation.yaml: what each column says is told rightly, on any number of workers; baseline and variants
begin with the same bits; where the network has learned nothing, nothing is ranked.
examples/fashion/ablation.yaml, with images made here: layers, groups, branches, swaps and settings of a convolutional
network, with their pictures."""
import json
import random
import shutil
import struct
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "faults"))
from support import HAS_TRAINER, ROOT, Folder  # noqa: E402

TITANIC = ROOT / "examples" / "titanic"
FASHION = ROOT / "examples" / "fashion"
FEW = ("--set", "ablation.replicates.n=3", "--set", "epochs=2")


def tensors(path):
    """{name: (shape, bytes)} of a safetensors file."""
    whole = path.read_bytes()
    (size,) = struct.unpack("<Q", whole[:8])
    header = json.loads(whole[8:8 + size])
    header.pop("__metadata__", None)
    return {name: (t["shape"], whole[8 + size + t["data_offsets"][0]:8 + size + t["data_offsets"][1]])
            for name, t in header.items()}


def stripes(label, chance):
    """28 x 28 pixels of noise with two stripes, whose places are the class."""
    rows = [label, 2 * label + 5]
    return bytes(min(255, chance.randrange(60) + 180 * (row in rows)) for row in range(28) for _ in range(28))


def write_images(folder, train=400, test=100):
    """Ten classes in the four files of Fashion-MNIST."""
    folder.mkdir(parents=True)
    chance = random.Random(1)
    for half, count in (("train", train), ("t10k", test)):
        labels = [i % 10 for i in range(count)]
        images = b"".join(stripes(label, chance) for label in labels)
        (folder / f"{half}-images-idx3-ubyte").write_bytes(struct.pack(">4I", 0x803, count, 28, 28) + images)
        (folder / f"{half}-labels-idx1-ubyte").write_bytes(struct.pack(">2I", 0x801, count) + bytes(labels))


@unittest.skipUnless(HAS_TRAINER, "this build has no trainer")
class Ablation(Folder):

    def ablate(self, name, workers, *sets, example=TITANIC):
        store = self.folder / name
        done = self.run_dlrun("ablate", example / "study.yaml", example / "ablation.yaml", *sets, "--workers", workers,
                              "--store", store, "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        return store

    def contributions(self, store):
        done = self.run_dlrun("report", "--section", "ablation", "--format", "json", "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        table = next(t for t in json.loads(done.stdout)["tables"] if t["title"] == "contributions")
        return {row["component"]: row for row in table["rows"]}

    def measures_the_same_alone(self, store, variant):
        """In the last replicate, whose baseline is another than that of the first."""
        done = self.run_dlrun("report", "--store", store, "--format", "json", "--sql",
                              "select t.trial, t.objective from trials t join params p on p.trial = t.trial "
                              f"where p.name = 'variant' and p.value = '{variant}' order by t.trial desc")
        cell = json.loads(done.stdout)["rows"][0]
        shown = self.run_dlrun("show", f"titanic-ablation/{cell['trial']}", "--yaml", "--store", store)
        self.assertIn("init:", shown.stdout)
        alone = self.folder / "alone.yaml"
        alone.write_text(shown.stdout)
        done = self.run_dlrun("tune", alone, "-q", "--store", self.folder / "of-one", "--data", TITANIC)
        self.assertEqual(done.returncode, 0, done.stderr)
        done = self.run_dlrun("report", "--store", self.folder / "of-one", "--format", "json", "--sql",
                              "select objective from trials")
        self.assertEqual(json.loads(done.stdout)["rows"][0]["objective"], cell["objective"])

    def weights(self, store, variant):
        """Of the first replicate."""
        done = self.run_dlrun("report", "--store", store, "--format", "json", "--sql",
                              "select v.trial from params v join params r on r.trial = v.trial and r.name = 'replicate' "
                              f"where v.name = 'variant' and v.value = '{variant}' and r.value = 1")
        self.assertEqual(done.returncode, 0, done.stderr)
        trial = list(json.loads(done.stdout)["rows"][0].values())[0]
        file = self.folder / f"{variant}.safetensors"
        done = self.run_dlrun("export", "--weights", f"titanic-ablation/{trial}", "-o", file, "--store", store)
        self.assertEqual(done.returncode, 0, done.stderr)
        return tensors(file)

    def check_build(self, example, *sets):
        """Every variant is built, trains, and has the parameters that the plan says."""
        done = self.run_dlrun("check", example / "study.yaml", example / "ablation.yaml", "--build", "--format", "json", *sets)
        self.assertEqual(done.returncode, 0, done.stderr)
        plan, built = ({row["variant"]: row for row in table["rows"]} for table in json.loads(done.stdout)["tables"][1:])
        self.assertEqual(set(plan), set(built))
        for name, row in built.items():
            self.assertEqual((row["built"], row["finite_loss"], row["what is wrong"]), ("yes", "yes", ""), name)
            self.assertEqual(row["parameters"], plan[name]["parameters"], name)

    def test_every_variant_is_built_beforehand(self):
        self.check_build(TITANIC)
        write_images(self.folder / "data" / "fashion-mnist")
        self.check_build(FASHION, "--data", self.folder / "data")

    def test_sex_is_what_decided(self):
        store = self.ablate("two", 2)
        found = self.contributions(store)
        self.assertEqual(len(found), 9)
        self.assertEqual(found["sex"]["verdict"], "helps")
        self.assertTrue(0.05 < found["sex"]["contribution"] < 0.15, found["sex"])
        for name, row in found.items():
            self.assertEqual((row["pairs"], row["lost"]), (12, 0), name)
            self.assertLess(row["contribution"], 0.04 if name != "sex" else 1, name)
        self.assertEqual(self.logical(store), self.logical(self.ablate("one", 1)))

    def test_all_begin_with_the_same_bits(self):
        keep = ("--set", "optimizer.lr=1e-30", "--set", "keep.best=40")  # nothing moves: the weights are the first ones
        store = self.ablate("first", 2, *FEW, *keep)
        baseline, dropout, sex = (self.weights(store, name) for name in ("baseline", "dropout", "sex"))
        self.assertEqual(dropout, baseline)
        for name in ("head.weight", "head.bias"):  # fc1 has fewer inputs, by which its bounds are drawn
            self.assertEqual(sex[name], baseline[name])
        self.assertLess(sex["fc1.weight"][0][1], baseline["fc1.weight"][0][1])

    def test_variants_may_begin_with_what_the_baseline_learned(self):
        still = ("--set", "ablation.components=[{id: still, set: {optimizer.lr: 1e-30}}, {id: dropout, drop: {kind: dropout}, "
                 "as: group}]", "--set", "ablation.start_from=baseline", "--set", "keep.best=40")
        store = self.ablate("started", 2, *FEW, *still)
        self.assertEqual(self.weights(store, "still"), self.weights(store, "baseline"))  # it cannot move
        self.assertNotEqual(self.weights(store, "dropout"), self.weights(store, "baseline"))
        self.measures_the_same_alone(store, "dropout")
        self.assertEqual(self.logical(store), self.logical(self.ablate("again", 1, *FEW, *still)))
        done = self.run_dlrun("report", "--store", store, "--format", "csv", "--sql",
                              "select count(*) from edges where kind = 'inherited_from' and from_trial is not null")
        self.assertEqual(done.stdout.split()[-1], "6")

    def retuned(self, store, *more):
        return ("ablate", TITANIC / "study.yaml", TITANIC / "retuned.yaml", *FEW, "--set", "ablation.retune.trials=3",
                *more, "--store", self.folder / store, "-q")

    def test_variants_may_be_tuned_before(self):
        for per in ("variant", "replicate"):
            more = ("--set", f"ablation.retune.per={per}")
            for store, workers in ((f"{per}-two", 2), (f"{per}-one", 1)):
                done = self.run_dlrun(*self.retuned(store, *more), "--workers", workers)
                self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(self.logical(self.folder / f"{per}-two"), self.logical(self.folder / f"{per}-one"))
        report = self.run_dlrun("report", "--section", "ablation", "--format", "json", "--store", self.folder / "variant-two")
        table = next(t for t in json.loads(report.stdout)["tables"] if t["title"] == "retuned settings")
        rows = {row["variant"]: row for row in table["rows"]}
        self.assertEqual({row["tried"] for row in rows.values()}, {3})
        self.assertEqual((rows["dropout"]["not_tuned"], rows["baseline"]["not_tuned"]), ("drop", ""))

    def test_a_driver_that_dies_while_variants_are_tuned_changes_nothing(self):
        undisturbed = self.run_dlrun(*self.retuned("whole"))
        self.assertEqual(undisturbed.returncode, 0, undisturbed.stderr)
        driver = self.start(*self.retuned("killed"), "--workers", 2)
        log = self.folder / "killed" / "studies" / "titanic-retuned.db-wal"
        self.await_("a log of some length, or the end",
                    lambda: (log.exists() and log.stat().st_size > 100_000) or driver.poll() is not None)
        self.kill(driver)
        done = self.run_dlrun(*self.retuned("killed"))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(self.logical(self.folder / "killed"), self.logical(self.folder / "whole"))

    def test_each_replicate_may_have_a_split_of_its_own(self):
        store = self.ablate("split", 2, *FEW, "--set", "ablation.replicates.vary=[split]")
        done = self.run_dlrun("report", "--section", "ablation", "--format", "csv", "--store", store)
        self.assertIn("another split for each replicate", done.stdout)
        self.assertIn("Nadeau", done.stdout)
        one, two = (self.run_dlrun("show", f"titanic-ablation/{trial}", "--yaml", "--store", store).stdout
                    for trial in (0, 9 + 1))
        self.assertNotEqual([line for line in one.split("\n") if "seed" in line],
                            [line for line in two.split("\n") if "seed" in line])

    def rows(self, store, study, statement):
        done = self.run_dlrun("report", study, "--store", store, "--format", "json", "--sql", statement)
        self.assertEqual(done.returncode, 0, done.stderr)
        return json.loads(done.stdout)["rows"]

    def values(self, store, study="titanic-ablation"):
        """{(variant, replicate): (rows, values, the trial's objective)} of the values of single examples."""
        found = {}
        for row in self.rows(store, study, "select v.value as variant, r.value as replicate, t.objective, a.sha256 "
                             "from artifacts a join trials t on t.trial = a.trial "
                             "join params v on v.trial = a.trial and v.name = 'variant' "
                             "join params r on r.trial = a.trial and r.name = 'replicate' where a.role = 'values'"):
            parts = tensors(store / "artifacts" / row["sha256"][:2] / f"{row['sha256']}.safetensors")
            count = parts["rows"][0][0]
            found[row["variant"], row["replicate"]] = (struct.unpack(f"<{count}q", parts["rows"][1]),
                                                       struct.unpack(f"<{count}f", parts["values"][1]), row["objective"])
        return found

    def test_where_the_claim_is_about_data_each_replicate_is_judged_on_another_fold(self):
        claim = (*FEW, "--set", "ablation.analysis.claims=data")
        one = self.ablate("one", 1, *claim)
        found = self.values(one)
        self.assertEqual(len(found), 3 * 10)
        folds = {replicate: found["baseline", replicate][0] for replicate in (1, 2, 3)}
        judged = [row for fold in folds.values() for row in fold]
        self.assertEqual(len(judged), len(set(judged)))
        self.assertEqual(len(judged), 891 - 89)  # the test split has 10 % of 891 passengers
        for (variant, replicate), (rows, values, objective) in found.items():
            self.assertEqual(rows, folds[replicate], variant)
            self.assertEqual(set(values), {0, 1}, variant)
            self.assertAlmostEqual(sum(values) / len(values), objective, places=6)
        self.assertEqual(self.logical(one), self.logical(self.ablate("two", 2, *claim)))

    def test_cells_without_the_values_of_examples_run_again(self):
        few = (*FEW, "--set", "ablation.components=[{id: age, drop_feature: age}]")
        cited = "select count(distinct trial) as cells from edges where kind = 'cited_from'"
        for study, claim, cells in (("plain", "split", 0), ("first", "model", 0), ("second", "model", 6), ("third", "split", 6)):
            store = self.ablate("values", 2, *few, "--set", f"ablation.analysis.claims={claim}", "--set", f"study={study}")
            self.assertEqual(self.rows(store, study, cited), [{"cells": cells}], study)
            self.assertEqual(len(self.values(store, study)), 6 if claim == "model" else 0, study)

    def test_a_baseline_that_learned_nothing_ranks_nothing(self):
        store = self.ablate("collapsed", 2, *FEW, "--set", "optimizer.weight_decay=190")  # to zero in a few steps
        self.assertEqual({row["verdict"].split()[0].rstrip(":") for row in self.contributions(store).values()}, {"invalid"})

    def test_parts_of_a_convolutional_network(self):
        write_images(self.folder / "data" / "fashion-mnist")
        few = ("--data", self.folder / "data", "--set", "ablation.replicates.n=3", "--set", "epochs=2", "--set",
               "batch_size=20")
        store = self.ablate("two", 2, *few, example=FASHION)
        found = self.contributions(store)
        self.assertEqual(set(found), {"norms", "conv3", "body", "shortcut", "hidden", "dropout", "gelu", "mean_pools", "sgd",
                                      "schedule", "augmentation", "decay"})
        for name, row in found.items():
            self.assertEqual((row["pairs"], row["lost"]), (3, 0), name)
        self.assertGreater(found["hidden"]["parameters_saved_%"], 50)
        self.assertEqual(self.logical(store), self.logical(self.ablate("one", 1, *few, example=FASHION)))
        self.draw(store)

    def draw(self, store):
        if shutil.which("gnuplot") is None:
            return
        done = self.run_dlrun("report", "--section", "ablation", "--plots", self.folder / "plots", "--store", store, "-q")
        self.assertEqual(done.returncode, 0, done.stderr)
        drawn = {file.name for file in (self.folder / "plots").glob("*.svg")}
        self.assertEqual(drawn, {f"fashion-ablation-{name}.svg" for name in ("forest", "curves", "pairs", "gantt")})


if __name__ == "__main__":
    unittest.main()
