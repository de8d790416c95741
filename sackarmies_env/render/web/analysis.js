// What an agent thought about a decision: its candidates and values in a panel, marks on the board, beliefs, a curve.

import { html, svg } from "./dom.js";
import { center } from "./geometry.js";
import { capitalized, percentage, viewName } from "./words.js";

const HEIGHT = 44; // of the curve, in pixels
const DASHES = ["", "7 4", "2 3", "9 3 2 3", "5 2", "1 4"]; // of lines, by seat
const LOWEST_SCALE = 0.25; // value at the edge of the curve, at least
const MINUS = "\u2212";

const valueText = (value) => `${value < 0 ? MINUS : "+"}${Math.abs(value).toFixed(2)}`;

export function analysisAt(view, ply) {
  return view.analyses.find((analysis) => analysis.ply === ply);
}

// --- the panel

/** Candidates, best first, with what was played marked; then what hidden tokens may be. */
export function drawAnalysis(analysis) {
  if (!analysis) return [html("p", { class: "faint" }, "No analysis of this decision.")];
  const { agent, seat, value, candidates, beliefs, played } = analysis;
  const expects = value === null ? "" : `: expected return ${valueText(value)}`;
  const isListed = candidates.some((candidate) => candidate.played);
  return [
    html("p", {}, html("strong", {}, agent), ` for ${viewName(seat)}${expects}`),
    html("ol", { class: "candidates" }, candidates.map(drawCandidate)),
    isListed ? null : html("p", {}, `Played: ${played}`),
    beliefs.length ? drawBeliefs(beliefs) : null,
  ].filter(Boolean);
}

function drawCandidate({ text, probability, value, rank, played }) {
  return html(
    "li",
    { class: played ? "played" : null, value: rank },
    html("span", { class: "text" }, text),
    probability === null ? null : [" ", html("meter", { min: 0, max: 1, value: probability, "aria-hidden": "true" })],
    html("span", { class: "number" }, ` ${numbersOf(probability, value)}`),
    played ? [" ", html("span", { class: "tag" }, "played")] : null,
  );
}

const numbersOf = (probability, value) =>
  [probability === null ? null : percentage(probability), value === null ? null : valueText(value)].filter(Boolean).join(", ");

function drawBeliefs(beliefs) {
  const sentences = beliefs.map((belief) => html("li", {}, beliefSentence(belief)));
  return html("details", { class: "beliefs", open: true }, html("summary", {}, "What hidden tokens may be"), html("ul", {}, sentences));
}

function beliefSentence({ subject, contents }) {
  const words = contents.map(([name, share]) => `${name} ${percentage(share)}`).join(", ");
  return `${capitalized(subject)} may be ${words || "anything"}`;
}

// What the hidden tokens on a hex may be, for its card.
export function beliefsAt(analysis, q, r) {
  const here = (analysis?.beliefs ?? []).filter(({ at }) => at && at[0] === q && at[1] === r);
  return here.map((belief) => html("p", { class: "belief" }, `To ${viewName(analysis.seat)}: ${beliefSentence(belief)}.`));
}

// --- on the board

function drawRank(number, isPlayed) {
  return svg("g", { class: `rank-mark${isPlayed ? " played" : ""}` }, svg("circle", { r: 18 }), svg("text", { y: 8, "font-size": 22 }, number));
}

// Marks the hexes that candidates name by the candidates' places in the list, above all other drawings.
export function markCandidates(board, analysis) {
  (analysis?.candidates ?? []).forEach(({ at, probability, value, rank, played }) => {
    const hex = at && board.querySelector(`.hex[data-q="${at[0]}"][data-r="${at[1]}"]`);
    if (!hex) return;
    const [x, y] = center(...at);
    const mark = drawRank(rank, played);
    mark.setAttribute("transform", `translate(${(x + 32).toFixed(1)} ${(y + 62).toFixed(1)})`);
    board.append(mark);
    const words = [`candidate ${rank}`, numbersOf(probability, value), played ? "played" : ""].filter(Boolean).join(", ");
    hex.setAttribute("aria-label", `${hex.getAttribute("aria-label")}; ${words}`);
  });
}

export function drawAnalysisLegend() {
  const disc = svg("svg", { viewBox: "-22 -22 44 44", class: "icon", "aria-hidden": "true" }, drawRank(1, false));
  return html("ul", { class: "legend" }, html("li", {}, disc, "candidate of the analysis; filled: played"));
}

// --- values over time

// Returns a curve above the scrubber: a click leads to the nearest decision with a value.
export function makeCurve(last, seek) {
  const chart = svg("svg", { class: "curve", role: "img" });
  const now = svg("line", { class: "now", y1: 0, y2: HEIGHT });
  const element = html("div", { class: "curvebox" }, chart);
  let plies = [];
  chart.addEventListener("click", (event) => {
    const box = chart.getBoundingClientRect();
    const ply = ((event.clientX - box.left) / box.width) * last;
    seek(plies.reduce((best, other) => (Math.abs(other - ply) < Math.abs(best - ply) ? other : best)));
  });
  return {
    element,
    setView({ analyses }) {
      const valued = analyses.filter(({ value }) => value !== null);
      const seats = [...new Set(valued.map(({ seat }) => seat))].sort();
      plies = valued.map(({ ply }) => ply);
      element.hidden = !valued.length;
      const scale = Math.max(LOWEST_SCALE, ...valued.map(({ value }) => Math.abs(value)));
      const lines = seats.map((seat) => drawLine(valued.filter((analysis) => analysis.seat === seat), seat, last, scale));
      chart.replaceChildren(svg("line", { class: "zero", x2: "100%", y1: HEIGHT / 2, y2: HEIGHT / 2 }), ...lines, now);
      chart.setAttribute("aria-label", `Expected returns over time. ${seats.map((seat) => extremes(valued, seat)).join(" ")}`);
    },
    show(ply) {
      for (const name of ["x1", "x2"]) now.setAttribute(name, `${(ply / last) * 100}%`);
    },
  };
}

function drawLine(analyses, seat, last, scale) {
  const height = ({ value }) => HEIGHT / 2 - (value / scale) * (HEIGHT / 2 - 6);
  const points = analyses.map((analysis) => `${((analysis.ply / last) * 1000).toFixed(1)},${height(analysis).toFixed(1)}`);
  const line = svg("polyline", { points: points.join(" "), "stroke-dasharray": DASHES[seat] });
  const end = analyses[analyses.length - 1];
  return svg(
    "g",
    { class: `seat-${seat}` },
    svg("svg", { viewBox: `0 0 1000 ${HEIGHT}`, width: "100%", height: HEIGHT, preserveAspectRatio: "none" }, line),
    svg("text", { x: `${(end.ply / last) * 100}%`, y: Math.min(HEIGHT - 2, Math.max(12, height(end) + 4)), dx: 4 }, seat),
  );
}

function extremes(analyses, seat) {
  const values = analyses.filter((analysis) => analysis.seat === seat).map(({ value }) => value);
  return `${viewName(seat)}: from ${valueText(Math.min(...values))} to ${valueText(Math.max(...values))}.`;
}
