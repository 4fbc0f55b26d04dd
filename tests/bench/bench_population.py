# SPDX-License-Identifier: Apache-2.0
"""What breeding a schedule is worth: pbt and pb2 against as many epochs of random search, and of promotion ASHA, on the
digits (examples/digits/population.yaml) and the passengers of the Titanic. Every seed has its own first weights, split and
first population, which random search and the populations share; what is compared is val.loss of the best trial."""
import json
import statistics
import tempfile
from pathlib import Path

from benchlib import DLRUN, ROOT, Row, say, timed

POPULATION, EPOCHS, INTERVAL = 8, 24, 3
ARMS = {
    "random": ("search.pruner=none", f"limits.trials={POPULATION}"),
    "asha": ("search.pruner={op: asha, min_budget: %d}" % INTERVAL, f"limits.epochs={POPULATION * EPOCHS}"),
    "pbt": ("search.pruner={op: pbt, population: %d, interval: %d}" % (POPULATION, INTERVAL),),
    "pb2": ("search.pruner={op: pb2, population: %d, interval: %d}" % (POPULATION, INTERVAL),),
}
STUDIES = {
    "digits": (ROOT / "examples" / "digits" / "population.yaml", ()),
    "titanic": (ROOT / "examples" / "titanic" / "study.yaml", (
        "objective={metric: val.loss, direction: minimize, at: best}", f"epochs={EPOCHS}", "schedule=constant",
        "limits.trials=null", "space.width=null")),
}


def best_of(folder, study, sets, seed, arm):
    store = Path(folder) / f"{study.parent.name}-{arm}-{seed}"
    options = [word for one in (*sets, *ARMS[arm], f"seed={seed}") for word in ("--set", one)]
    timed([DLRUN, "tune", study, *options, "--workers", "2", "--store", store, "--quiet"])
    out = timed([DLRUN, "report", "--sql", "select min(objective) as best, (select sum(to_step - from_step) from pieces) "
                 "as epochs from trials where state = 'completed'", "--format", "json", "--store", store]).output
    row, = json.loads(out)["rows"]
    if row["epochs"] > POPULATION * EPOCHS:
        raise SystemExit(f"{store.name} had {row['epochs']} epochs")
    return row["best"]


def sign_text(ours, theirs):
    return f"{sum(a < b for a, b in zip(ours, theirs))} of {len(ours)} seeds"


def rows(full):
    out = []
    seeds = range(1, 22 if full else 6)
    with tempfile.TemporaryDirectory() as folder:
        for name, (study, sets) in STUDIES.items():
            found = {arm: [best_of(folder, study, sets, seed, arm) for seed in seeds] for arm in ARMS}
            middle = {arm: statistics.median(values) for arm, values in found.items()}
            say(f"{name}: median val.loss {middle}; pb2 below pbt in {sign_text(found['pb2'], found['pbt'])}")
            for arm in ("pbt", "pb2"):
                for peer in ("random", "asha"):
                    ratio = middle[arm] / middle[peer]
                    target = "<= 1x" if peer == "random" else ""
                    out.append(Row(f"population.{name} {arm}", middle[arm], "val.loss", f"dlrun {peer}, same epochs",
                                   middle[peer], ratio, target, ratio <= 1 if target else None,
                                   f"better in {sign_text(found[arm], found[peer])}"))
    return out
