// The bar below the board: a slider with ticks where something happened, buttons, speed.

import { html, svg } from "./dom.js";

const SPEEDS = [0.5, 1, 2, 4, 8, 16]; // decisions a second
const TICKS = { turn: "M0 4V20", control: "M-3 4H3V10H-3Z", casualty: "M-3 12L3 18M3 12L-3 18", elimination: "M0 0L5 6L0 12L-5 6Z" };
const NAMES = { turn: "turns", control: "control changes", casualty: "casualties", elimination: "eliminations" };
const ICONS = {
  start: "M6 5V19M19 5L9 12L19 19Z",
  back: "M12 5L3 12L12 19ZM21 5L12 12L21 19Z",
  previous: "M17 4L7 12L17 20Z",
  play: "M7 4L19 12L7 20Z",
  pause: "M7 4V20M16 4V20",
  next: "M7 4L17 12L7 20Z",
  forward: "M12 5L21 12L12 19ZM3 5L12 12L3 19Z",
  end: "M18 5V19M5 5L15 12L5 19Z",
};

const controlIcon = (name) => svg("svg", { viewBox: "0 0 24 24", class: "glyph", "aria-hidden": "true" }, svg("path", { d: ICONS[name] }));

// Returns the bar of a replay: `go(move)` is called for each of its buttons, `seek(ply)` for the slider.
export function makeScrubber(last, { noun, go, seek, setSpeed }) {
  const button = (name, label) => html("button", { type: "button", class: name, "aria-label": label, title: label, onclick: () => go(name) }, controlIcon(name));
  const slider = html("input", {
    type: "range", min: 0, max: last, value: 0, step: 1, "aria-label": noun, oninput: (event) => seek(Number(event.target.value)),
  });
  const ticks = html("div", { class: "ticks", "aria-hidden": "true" });
  const play = button("play", "Play (space)");
  const speeds = html(
    "select",
    { "aria-label": "Speed, in decisions a second", onchange: (event) => setSpeed(Number(event.target.value)) },
    SPEEDS.map((speed) => html("option", { value: speed, selected: speed === 2 }, `${speed} / s`)),
  );
  const element = html(
    "div",
    { class: "scrubber" },
    html("div", { class: "slider" }, ticks, slider),
    html(
      "div",
      { class: "buttons" },
      button("start", "To the start (Home)"),
      button("back", "Previous turn (arrow up)"),
      button("previous", "Previous decision (arrow left)"),
      play,
      button("next", "Next decision (arrow right)"),
      button("forward", "Next turn (arrow down)"),
      button("end", "To the end (End)"),
      speeds,
    ),
  );
  return {
    element,
    setTicks: (log) => ticks.replaceChildren(drawTicks(log, last)),
    show(ply, words) {
      slider.value = ply;
      slider.setAttribute("aria-valuetext", words);
    },
    showPlaying(isPlaying) {
      play.replaceChildren(controlIcon(isPlaying ? "pause" : "play"));
      play.setAttribute("aria-label", isPlaying ? "Pause (space)" : "Play (space)");
    },
  };
}

function drawTicks(log, last) {
  const strip = svg("svg");
  for (const [kind, d] of Object.entries(TICKS)) {
    for (const ply of new Set(log.filter((line) => line.kind === kind).map((line) => line.ply))) {
      strip.append(svg("svg", { x: `${((ply / last) * 100).toFixed(2)}%` }, svg("path", { d, class: `tick ${kind}` })));
    }
  }
  return strip;
}

export function drawTickLegend() {
  const entries = Object.entries(TICKS).map(([kind, d]) =>
    html("li", {}, svg("svg", { viewBox: "-8 -2 16 26", class: "icon", "aria-hidden": "true" }, svg("path", { d, class: `tick ${kind}` })), NAMES[kind]),
  );
  return html("ul", { class: "legend" }, entries);
}
