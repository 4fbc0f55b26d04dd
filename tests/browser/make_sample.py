#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes sample pages with made-up data, in the form of `dlrun report --html`, with the assets of this checkout.

  make_sample.py DIR --plotly FILE   FILE: plotly.min.js, or a wheel of plotly that holds it
"""
import argparse
import base64
import gzip
import hashlib
import html
import json
import zipfile
from pathlib import Path

import sample_data as data

ASSETS = Path(__file__).resolve().parents[2] / "lib" / "page" / "assets"
POLICY = "default-src 'none'; img-src data: blob:; style-src 'unsafe-inline'; script-src "
PICTURE = """<svg xmlns="http://www.w3.org/2000/svg" width="640" height="360" viewBox="0 0 640 360"><rect width="640" height="360"
fill="#fff"/><path d="M60 20V310H620" fill="none" stroke="#767676"/><path d="M60 290C160 120 300 90 620 60" fill="none"
stroke="#0072b2" stroke-width="2"/><text x="340" y="345" text-anchor="middle" font-family="sans-serif" font-size="14">{}</text></svg>"""


def plotly_source(path):
    if path is None:
        return ""
    if path.suffix == ".whl":
        with zipfile.ZipFile(path) as wheel:
            return wheel.read("plotly/package_data/plotly.min.js").decode()
    return path.read_text()


def policy_of(scripts):
    """Scripts are allowed by their hashes, as on a page of dlrun."""
    return POLICY + " ".join("'sha256-" + base64.b64encode(hashlib.sha256(one.encode()).digest()).decode() + "'" for one in scripts)


def plots_of(study):
    """(data-plot, title) of the figures that a study has."""
    yield "history", "History"
    searched = study["kind"] == "search"
    several = searched and len(study["parameters"]) > 1
    asked = [("curves", "Learning curves", "curves" in study), ("front", "Pareto front", "front" in study),
             ("importance", "Importance", "importance" in study), ("slice", "Slices", searched), ("parallel", "Parallel coordinates", several),
             ("contour", "Contour", several), ("ablation", "Effects", "ablation" in study), ("interactions", "Interactions", "ablation" in study),
             ("gantt", "Workers", "workers" in study), ("ranks", "Ranks", "ranks" in study),
             ("placement", "A step", "placement" in study), ("graph", "Graph", "placement" in study)]
    yield from ((plot, title) for plot, title, there in asked if there)


def figure(plot, title, index, pictures):
    picture = ""
    if pictures and plot not in ("contour", "parallel"):
        content = base64.b64encode(PICTURE.format(title + " (static)").encode()).decode()
        picture = f'<img src="data:image/svg+xml;base64,{content}" alt="{title} of the study" width="640" height="360">'
    return (f'<figure class="plot" data-study="{index}" data-plot="{plot}" data-title="{title}">{picture}'
            f"<figcaption>{title}, as far as the store knows.</figcaption></figure>")


def best_table(study):
    values = study["trials"]["objectives"][0]
    best = sorted((i for i in study["trials"]["number"] if values[i] is not None), key=lambda i: -values[i])[:5]
    names = [p["name"] for p in study["parameters"]]
    head = "".join(f'<th scope="col">{html.escape(n)}</th>' for n in ["trial", study["objectives"][0]["name"], *names])
    rows = "".join(f'<tr><td class="number">{i}</td><td class="number">{values[i]:.4f}</td>' + "".join(
        f"<td>{html.escape(str(column[i]))}</td>" for column in study["trials"]["params"]) + "</tr>" for i in best)
    return (f'<div class="table" role="region" tabindex="0" aria-label="Best trials of study {html.escape(study["name"][:40], quote=True)}">'
            f'<table><caption class="hidden">Best trials</caption><thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>')


def sections(study, index, pictures):
    mark = f"s{index}"
    count = f'{len(study["trials"]["number"])} trials × {len(study["parameters"])} parameters'
    yield f"{mark}-best", "Best trials", '<p class="remark">The best five of all completed trials.</p>' + best_table(study)
    for plot, title in plots_of(study):
        yield f"{mark}-{plot}", title, '<p class="remark">A remark of one sentence about this plot.</p>' + figure(plot, title, index, pictures)
    yield f"{mark}-trials", "All trials", f'<details class="trials" data-study="{index}"><summary>{count}</summary></details>'
    yield f"{mark}-again", "Run it again", "<pre><code>dlrun tune study.yaml --seed 1</code></pre>"


def page(studies, plotly, pictures=True):
    parts, links = [], []
    for index, study in enumerate(studies):
        found = list(sections(study, index, pictures))
        links += [f'<a href="#{mark}">{title}</a>' for mark, title, _ in found]
        body = "".join(f'<section id="{mark}"><h2>{title}</h2>{text}</section>' for mark, title, text in found)
        parts.append(f'<section class="study"><h1>{html.escape(study["name"])}</h1>{body}</section>' if len(studies) > 1 else body)
    if len(studies) > 1:
        parts.insert(0, f'<section id="compare"><h2>Comparison</h2>{figure("compare", "Comparison", 0, pictures)}</section>')
    packed = base64.b64encode(gzip.compress(json.dumps({"version": 1, "studies": studies}).encode(), mtime=0)).decode()
    name = html.escape(studies[0]["name"] if len(studies) == 1 else f"{len(studies)} studies")
    scripts = [plotly] if plotly else []
    scripts.append("\n".join(path.read_text() for path in sorted(ASSETS.glob("*.js"))))
    facts = "".join(f"<div><dt>{k}</dt><dd>{v}</dd></div>" for k, v in [
        ("trials", len(studies[0]["trials"]["number"])), ("best val.accuracy", "0.9312"), ("took", "2 h 12 min"), ("workers", 4), ("seed", 1)])
    return (f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="{policy_of(scripts)}">'
            f'<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark">'
            f'<title>{name} · dlrun</title><style>{(ASSETS / "page.css").read_text()}</style></head><body>'
            f'<header><p class="kind">hyperparameter search</p><h1>{name}</h1><p class="headline">Trial 17 is the best: its val.accuracy of '
            f'0.9312 is 0.021 above the median of the completed trials.</p><dl class="facts">{facts}</dl></header>'
            f'<nav aria-label="Contents">{"".join(links)}</nav><main>{"".join(parts)}</main>'
            f'<script type="application/gzip" id="data">{packed}</script>' + "".join(f"<script>{script}</script>" for script in scripts) + "</body></html>")


def hostile_study():
    parameters = [dict(p, name=n) for p, n in zip(data.SPACE, data.HOSTILE)]
    parameters[2] = dict(parameters[2], choices=data.HOSTILE[:3])
    study = data.search(data.HOSTILE[0], 60, parameters, 7, [{"name": data.HOSTILE[1], "direction": "maximize"}])
    data.add_curves(study)
    data.add_importance(study)
    data.add_workers(study)
    study["workers"]["names"] = data.HOSTILE[:4]
    data.add_ranks(study, data.HOSTILE)
    data.add_placement(study, data.HOSTILE)
    return study


def small_study():
    study = data.search("digits", 60, data.SPACE[:6])
    data.add_curves(study)
    data.add_importance(study)
    data.add_workers(study)
    data.add_feasibility(study)
    return study


def large_study():
    study = data.search("large", 10000, data.SPACE, 8)
    data.add_curves(study)
    data.add_importance(study)
    data.add_workers(study, 16)
    return study


def front_study(count):
    objectives = [{"name": "val.accuracy", "direction": "maximize"}, {"name": "latency_ms", "direction": "minimize"},
                  {"name": "energy_joules", "direction": "minimize"}][:count]
    study = data.search(f"front of {count}", 150, data.SPACE[:4], 9, objectives)
    data.add_front(study)
    return study


def diverged_study():
    """A loss whose trials diverge now and then: a few values are far from the others."""
    study = data.search("diverged", 80, data.SPACE[:3], 10, [{"name": "val.loss", "direction": "minimize"}])
    losses = [None if value is None else 1 - value for value in study["trials"]["objectives"][0]]
    study["trials"]["objectives"][0] = [value and (value if i % 9 else 1e5 * (1 + value)) for i, value in enumerate(losses)]
    return study


def spread_study():
    """Trials of many ranks, and a model of many layers on several devices."""
    study = data.search("spread", 40, data.SPACE[:3], 13)
    data.add_ranks(study, [f"rank {i}" for i in range(80)])
    data.add_placement(study, [f"layer{i}" for i in range(120)], 6)
    return study


def pages():
    """{name of a page: (its studies, with plotly, with pictures)}"""
    components = ["norms", "dropout", "augment", "warmup", "residual", "label smoothing"]
    yield "search", [small_study()], True, True
    yield "large", [large_study()], True, True
    yield "front2", [front_study(2)], True, True
    yield "front3", [front_study(3)], True, False
    yield "ablation", [data.ablation("parts", components)], True, True
    yield "hostile", [hostile_study()], True, True
    yield "spread", [spread_study()], True, False
    yield "several", [small_study(), data.search("random", 60, data.SPACE[:3], 11), diverged_study()], True, True
    yield "without_plotly", [small_study()], False, True
    yield "without_pictures", [small_study()], True, False
    yield "without_both", [small_study()], False, False
    yield "empty", [data.search("empty", 0, data.SPACE[:2]), data.search("one", 1, data.SPACE[:1], 12)], True, False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--plotly", type=Path, required=True)
    args = parser.parse_args()
    source = plotly_source(args.plotly)
    args.folder.mkdir(parents=True, exist_ok=True)
    for name, studies, with_plotly, pictures in pages():
        (args.folder / f"{name}.html").write_text(page(studies, source if with_plotly else "", pictures))


if __name__ == "__main__":
    main()
