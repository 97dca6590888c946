"""Curves as SVG, with both axes logarithmic."""

import dataclasses
import html
import math

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 520, 360, 70, 50, 40, 110
COLORS = ["#444444", "#d1495b", "#00798c", "#edae49"]


@dataclasses.dataclass
class Panel:
    title: str
    x_unit: str
    y_unit: str
    curves: dict  # name -> [(x, y)]


def label(number):
    """Short, with k and M."""
    for limit, sign in (1e6, "M"), (1e3, "k"):
        if number >= limit:
            return f"{number / limit:g}{sign}"
    return f"{number:g}"


def decades(low, high):
    return [10**power for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)]


class Axis:
    """Where a value is between two pixels."""

    def __init__(self, low, high, begin, end):
        self.low, self.high, self.begin, self.end = math.log10(low), math.log10(high), begin, end

    def place(self, value):
        return self.begin + (math.log10(value) - self.low) / (self.high - self.low) * (self.end - self.begin)


def drawn(panel, offset):
    points = [point for curve in panel.curves.values() for point in curve]
    xs = sorted({x for x, _ in points})
    ticks = decades(min(y for _, y in points), max(y for _, y in points))
    x_axis = Axis(xs[0], xs[-1], offset + LEFT, offset + WIDTH - RIGHT)
    y_axis = Axis(ticks[0], ticks[-1], HEIGHT - BOTTOM, TOP)
    right, base = x_axis.end, HEIGHT - BOTTOM
    yield f'<text x="{offset + LEFT}" y="22" font-weight="bold">{html.escape(panel.title)}</text>'
    for tick in ticks:
        y = y_axis.place(tick)
        yield f'<line x1="{x_axis.begin}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="#dddddd"/>'
        yield f'<text x="{x_axis.begin - 8}" y="{y + 4:.1f}" text-anchor="end">{label(tick)}</text>'
    for x in xs:
        yield f'<line x1="{x_axis.place(x):.1f}" y1="{base}" x2="{x_axis.place(x):.1f}" y2="{base + 5}" stroke="#444444"/>'
        yield f'<text x="{x_axis.place(x):.1f}" y="{base + 20}" text-anchor="middle">{label(x)}</text>'
    yield f'<line x1="{x_axis.begin}" y1="{base}" x2="{right}" y2="{base}" stroke="#444444"/>'
    yield f'<text x="{right}" y="{base + 38}" text-anchor="end">{html.escape(panel.x_unit)}</text>'
    yield f'<text x="{x_axis.begin - 8}" y="{TOP - 6}" text-anchor="end">{html.escape(panel.y_unit)}</text>'
    # Names stand at the ends of their curves, and apart from each other.
    lowest = math.inf
    for (name, curve), color in sorted(zip(panel.curves.items(), COLORS), key=lambda pair: pair[0][1][-1][1]):
        path = " ".join(f"{x_axis.place(x):.1f},{y_axis.place(y):.1f}" for x, y in curve)
        yield f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2"/>'
        for x, y in curve:
            yield f'<circle cx="{x_axis.place(x):.1f}" cy="{y_axis.place(y):.1f}" r="3" fill="{color}"/>'
        lowest = min(y_axis.place(curve[-1][1]), lowest - 15)
        yield f'<text x="{right + 10}" y="{lowest + 4:.1f}" fill="{color}">{html.escape(name)}</text>'


def svg(panels):
    """A picture with the panels side by side."""
    width = WIDTH * len(panels)
    lines = [line for index, panel in enumerate(panels) for line in drawn(panel, index * WIDTH)]
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}" font-family="sans-serif" font-size="12">'
    return "\n".join([head, f'<rect width="{width}" height="{HEIGHT}" fill="white"/>', *lines, "</svg>", ""])
