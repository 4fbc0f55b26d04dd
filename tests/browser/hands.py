# SPDX-License-Identifier: Apache-2.0
"""Uses a page as a reader would: marks ranges, sorts and filters trials, chooses parameters, changes the colours.

Each check returns sentences about what went wrong; an empty list is good.
"""


def drawn(page, plot):
    """The first figure of this kind, scrolled to and drawn; None where the page has none."""
    figure = page.locator(f"figure[data-plot={plot}]").first
    if figure.count() == 0:
        return None
    figure.evaluate("element => element.scrollIntoView({block: 'center'})")
    page.wait_for_function("element => element.dataset.drawn", arg=figure.element_handle(), timeout=20000)
    page.wait_for_timeout(500)
    return figure


def mark_range(page):
    """A drag along the last axis of the parallel coordinates keeps some trials; a double click frees all."""
    figure = drawn(page, "parallel")
    if figure is None:
        return []
    box = figure.locator(".nsewdrag").first.bounding_box()
    axes = figure.locator(".xaxislayer-above text").count()
    x, y = box["x"] + box["width"] * (axes - 0.75) / (axes - 0.5), box["y"]
    page.mouse.move(x, y + 10)
    page.mouse.down()
    page.mouse.move(x + 4, y + box["height"] / 2, steps=6)
    page.mouse.up()
    page.wait_for_timeout(500)
    marked = "pass the marked ranges" in figure.locator("figcaption").inner_text()
    page.mouse.dblclick(box["x"] + box["width"] / 3, y + box["height"] - 15)
    page.wait_for_timeout(700)
    freed = "pass the marked ranges" not in figure.locator("figcaption").inner_text()
    return ([] if marked else ["a drag along an axis marks no range"]) + ([] if freed else ["a double click keeps the range"])


def choose_parameter(page):
    """Another parameter in the contour's choice comes into its axis and into its numbers."""
    figure = drawn(page, "contour")
    if figure is None or figure.locator("select").count() < 2:
        return []
    figure.locator("details.numbers summary").click()
    select = figure.locator("select").nth(1)
    wanted = select.locator("option").last.inner_text()
    select.select_option(label=wanted)
    page.wait_for_timeout(700)
    heads = figure.locator("details.numbers th").all_inner_texts()
    figure.locator("details.numbers summary").click()
    return [] if wanted in heads else [f"the numbers of the contour lack the chosen {wanted}: {heads}"]


def see_all_points(page):
    """Points of trials lie within the axes of their parameters, those outside of an amended domain, too."""
    outside = """element => {
      const {data, layout} = element.querySelector(".canvas");
      const lies = (axis, x) => axis.type === "log" ? Math.log10(x) : x;
      return data.filter(({mode}) => mode === "markers").flatMap(({x, xaxis = "x"}) => {
        const axis = layout[xaxis.replace("x", "xaxis")], [low, high] = axis.range;
        return x.filter(value => lies(axis, value) < low - 1e-9 || lies(axis, value) > high + 1e-9);
      });
    }"""
    figures = [(plot, drawn(page, plot)) for plot in ("slice", "contour")]
    found = [(plot, figure.evaluate(outside)) for plot, figure in figures if figure is not None]
    return [f"points of the plot {plot} lie outside of its axes: {values[:5]}" for plot, values in found if values]


def column(fold, index):
    return fold.locator(f"tbody tr td:nth-child({index})").all_inner_texts()


def numbers_of(texts):
    return [float(text) for text in texts if text != "–"]


def sort_and_filter(page):
    """The third column, the objective, sorted twice, falls; a filter by state leaves that state alone."""
    fold = page.locator("details.trials").first
    if fold.count() == 0:
        return []
    fold.locator("summary").first.click()
    page.wait_for_timeout(500)
    if fold.locator("tbody tr").count() < 2:
        return []
    found, head = [], fold.locator("th").nth(2)
    for sign, word in ((1, "ascending"), (-1, "descending")):
        head.locator("button").click()
        values = numbers_of(column(fold, 3))
        if head.get_attribute("aria-sort") != word or values != sorted(values, reverse=sign < 0):
            found.append(f"the trials are not sorted {word}")
    state = fold.locator("select option").last.get_attribute("value")
    fold.locator("select").select_option(state)
    page.wait_for_timeout(300)
    if set(column(fold, 2)) != {state}:
        found.append(f"the filter by state {state} leaves {set(column(fold, 2))}")
    fold.locator("input").fill("no trial has these words")
    page.wait_for_timeout(500)
    if fold.locator("tbody tr").count():
        found.append("the text filter leaves rows without the text")
    return found


def go_along_order(page):
    """The slider of a placed graph goes back along the order: the layer behind it is no longer decided."""
    figure = drawn(page, "graph")
    if figure is None:
        return []
    slider, count = figure.locator("input[type=range]"), "element => element.querySelectorAll('.scatterlayer .points path').length"
    said, points = figure.locator("output").inner_text(), figure.evaluate(count)
    open_layers = "element => element.querySelector('.canvas').data.filter(trace => trace.name === 'not decided yet').reduce((n, t) => n + t.x.length, 0)"
    slider.focus()
    page.keyboard.press("ArrowLeft")
    page.wait_for_timeout(500)
    found = [] if figure.evaluate(open_layers) == 1 else ["the slider of the graph leaves no layer undecided"]
    if figure.locator("output").inner_text() == said or slider.get_attribute("aria-valuetext") == said:
        found.append("the slider of the graph does not say its place")
    if figure.evaluate(count) != points:
        found.append("the slider of the graph changes the number of layers")
    return found


def choose_ranks(page):
    """Ranks of all trials have a row for each trial."""
    figure = drawn(page, "ranks")
    if figure is None or figure.locator("select").count() == 0:
        return []
    options = figure.locator("select option").count()
    figure.locator("select").select_option("0")
    page.wait_for_timeout(700)
    rows = figure.evaluate("element => element.querySelector('.canvas').data[0].x.length")
    return [] if rows == options - 1 else [f"the ranks of {options - 1} trials have {rows} rows"]


def change_colors(page):
    """Plots follow the colour scheme while the page is open."""
    figure = drawn(page, "history")
    if figure is None:
        return []
    color = "element => getComputedStyle(element.querySelector('.xtick text')).fill"
    before = figure.evaluate(color)
    page.emulate_media(color_scheme="dark")
    page.wait_for_timeout(1000)
    after = figure.evaluate(color)
    page.emulate_media(color_scheme="light")
    return [] if before != after else ["the plots keep their colours when the page turns dark"]


def darken_drawings(page):
    """Drawings, which have black text on white, are dark where the page is."""
    if page.locator("img").count() == 0:
        return []
    page.emulate_media(color_scheme="dark")
    shade = page.locator("img").first.evaluate("element => getComputedStyle(element).filter")
    page.emulate_media(color_scheme="light")
    return [] if shade != "none" else ["drawings are white on a dark page"]


def all_checks(page):
    with_plots = [see_all_points, mark_range, choose_parameter, choose_ranks, go_along_order, change_colors] if page.evaluate("() => Boolean(window.Plotly)") else []
    return [text for check in [*with_plots, sort_and_filter, darken_drawings] for text in check(page)]
