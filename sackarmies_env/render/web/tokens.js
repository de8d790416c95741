// Battlefields and unit counters, drawn around (0, 0).

import { svg } from "./dom.js";
import { RADIUS, corners } from "./geometry.js";
import { classSymbol, mark, signColumn, signsOf } from "./shapes.js";
import { BAND_MARKS, KIND_MARKS } from "./signs.js";

const LONG_NAME = 11; // letters that fit on a line
const LETTER = 0.66; // width of a bold letter, in sizes of the font
const SIGNS_HEIGHT = 88; // that a column of signs may take
const COUNTER = { x: -58, y: -60, width: 116, height: 96, rx: 10 };

// A name on one line, or on two of about the same length if it is long.
function linesOf(name) {
  const words = name.split(" ");
  if (name.length <= LONG_NAME || words.length === 1) return [name];
  const cuts = words.slice(1).map((_, i) => [words.slice(0, i + 1).join(" "), words.slice(i + 1).join(" ")]);
  const longest = (lines) => Math.max(...lines.map((line) => line.length));
  return cuts.reduce((best, lines) => (longest(lines) < longest(best) ? lines : best));
}

// Lines of text in letters so small that they fit the width; the largest size of one line and of two is given.
function fitted(lines, x, y, width, [largest, ofTwo], attributes) {
  const longest = Math.max(...lines.map((line) => line.length));
  const size = Math.min(lines.length > 1 ? ofTwo : largest, width / (LETTER * longest));
  return lines.map((line, row) => {
    const baseline = y + size * (0.35 + 1.02 * (row - (lines.length - 1) / 2));
    return svg("text", { x, y: baseline.toFixed(1), "font-size": size.toFixed(1), ...attributes }, line);
  });
}

export function badge(seat, x, y, radius = 14) {
  return svg(
    "g",
    { class: `badge seat-${seat}`, transform: `translate(${x} ${y})` },
    svg("circle", { r: radius }),
    svg("text", { y: radius * 0.38, "font-size": radius * 1.15 }, seat),
  );
}

// --- battlefields

// The General who brought a battlefield in that another one controls: a square.
export function ownerMark(seat, x, y, half = 10) {
  return svg(
    "g",
    { class: `badge owner seat-${seat}`, transform: `translate(${x} ${y})` },
    svg("rect", { x: -half, y: -half, width: 2 * half, height: 2 * half }),
    svg("text", { y: half * 0.5, "font-size": half * 1.5 }, seat),
  );
}

function wedge(angle) {
  const turned = ((((angle + Math.PI / 6) % (Math.PI / 3)) + Math.PI / 3) % (Math.PI / 3)) - Math.PI / 6;
  const edge = (0.97 * RADIUS * Math.cos(Math.PI / 6)) / Math.cos(turned);
  const points = `${edge},0 ${edge - 17},16 ${edge - 17},-16`;
  return svg("polygon", { points, class: "wedge", transform: `rotate(${((angle * 180) / Math.PI).toFixed(1)})` });
}

function groundOf(field) {
  if (field.water) return field.halts ? "marsh" : "water";
  if (field.halts) return "halting";
  return field.text ? "bonus" : "plain";
}

// A battlefield, its wedge toward the seat at `angle`; `patterns` is the prefix of the ids of the patterns.
export function drawField(field, angle, patterns) {
  const group = svg("g", {
    class: `field seat-${field.controller} ${groundOf(field)}`,
    "data-name": field.name,
    "data-owner": field.owner,
    "data-controller": field.controller,
  });
  group.append(
    svg("polygon", { points: corners(RADIUS * 0.98), class: "rim" }),
    svg("polygon", { points: corners(RADIUS * 0.88), class: "ground" }),
  );
  for (const [has, name] of [[field.halts, "hatch"], [field.water, "waves"]]) {
    if (has) group.append(svg("polygon", { points: corners(RADIUS * 0.88), fill: `url(#${patterns}${name})` }));
  }
  group.append(wedge(angle), badge(field.controller, -74, -9, 12));
  const isForeign = field.owner !== field.controller;
  if (isForeign) group.append(ownerMark(field.owner, -72, 15));
  for (let bar = 0; bar < field.rank; bar++) {
    const y = (isForeign ? 31 : 11) + 6 * bar;
    group.append(svg("line", { x1: -75, x2: -64, y1: y, y2: y, class: "rank" }));
  }
  group.append(...signColumn(signsOf(field), 73.5, 0, SIGNS_HEIGHT), ...fitted(linesOf(field.name), 0, 60, 80, [16, 13], { class: "name" }));
  return group;
}

// --- counters

export function drawUnit(unit, patterns) {
  const { card } = unit;
  const group = svg("g", {
    class: `unit seat-${unit.owner} ${unit.face_up ? "up" : "down"}`,
    "data-name": card ? card.name : "",
    "data-owner": unit.owner,
    "data-face": unit.face_up ? "up" : "down",
    "data-attachments": unit.attachments.map((each) => each.name ?? "?").join(";"),
  });
  unit.attachments.forEach((each, slot) => group.append(drawAttachment(each, slot, unit.attachments.length)));
  group.append(
    svg("rect", { ...COUNTER, x: COUNTER.x + 3, y: COUNTER.y + 4, class: "shadow" }),
    svg("rect", { ...COUNTER, class: "body" }),
  );
  if (!unit.face_up) group.append(svg("rect", { ...COUNTER, fill: `url(#${patterns}back)` }));
  if (card) drawFace(group, card);
  else group.append(svg("text", { y: 8, "font-size": 58, class: "unknown" }, "?"));
  drawFlags(group, unit);
  return group;
}

function drawFace(group, card) {
  group.append(
    svg("rect", { x: -54, y: -56, width: 108, height: 31, rx: 6, class: `band ${card.band}` }),
    mark(BAND_MARKS[card.band], -43, -40.5, 7),
    ...fitted(linesOf(card.name), 11, -40.5, 84, [18, 14], { class: "title" }),
  );
  const symbol = classSymbol(card.unit_class);
  if (symbol) group.append(symbol);
  if (card.range) group.append(svg("text", { x: 14, y: -1, "font-size": 20, class: "value" }, `R${card.range}`));
  for (let bar = 0; bar < card.rank; bar++) {
    group.append(svg("line", { x1: 39, x2: 51, y1: 2 - 7 * bar, y2: 2 - 7 * bar, class: "rank" }));
  }
  [card.movement, card.damage, card.armor].forEach((value, i) => drawStat(group, "MDA"[i], value, card.printed[i], -42 + 32.5 * i));
}

// A value by its letter; one that is not as printed has a triangle up or down as well as another color.
function drawStat(group, letter, value, printed, x) {
  const change = value > printed ? "raised" : value < printed ? "lowered" : "";
  group.append(
    svg("text", { x: x + 4, y: 30, "font-size": 13, class: "letter" }, letter),
    svg("text", { x: x + 16, y: 30, "font-size": 23, class: `value ${change}` }, value),
  );
  if (change) {
    const points = change === "raised" ? "0,-5 4,3 -4,3" : "0,5 4,-3 -4,-3";
    group.append(svg("polygon", { points, transform: `translate(${x + 28} 22)`, class: change }));
  }
}

function drawAttachment(attachment, slot, count) {
  const width = Math.min(26, 100 / count);
  const group = svg("g", {
    class: `attachment ${attachment.kind ?? "hidden"} ${attachment.face_up ? "up" : "down"}`,
    transform: `translate(${-40 + slot * width} 29)`,
  });
  group.append(svg("rect", { width: width - 3, height: 25, rx: 4 }));
  const x = (width - 3) / 2;
  if (attachment.kind) group.append(mark(KIND_MARKS[attachment.kind], x, 16.5, 5.5));
  if (attachment.name === null) {
    group.append(svg("text", { x: attachment.kind ? x + 7 : x, y: attachment.kind ? 14 : 22, "font-size": attachment.kind ? 9 : 14 }, "?"));
  }
  return group;
}

// Seat at the lower left corner, face down at the upper left, moved or employed at the upper right, captives below it.
function drawFlags(group, unit) {
  group.append(badge(unit.owner, -56, 34));
  if (unit.employed) group.append(flag("E", "employed", 56, -57));
  else if (unit.moved) group.append(flag("M", "moved", 56, -57));
  if (unit.captives.length) group.append(flag(unit.captives.length, "captives", 60, -8));
  if (unit.card && !unit.face_up) group.append(flag("?", "hidden", -56, -57));
}

export function flag(text, name, x, y) {
  return svg("g", { class: `flag ${name}`, transform: `translate(${x} ${y})` }, svg("circle", { r: 13 }), svg("text", { y: 5, "font-size": 15 }, text));
}
