// Small drawings that mean something: marks of name bands, signs of terrain, symbols of unit types.

import { svg } from "./dom.js";

export const BAND_MARKS = { black: "square", blue: "circle", red: "triangle", green: "diamond", gray: "ring" };
const OUTLINES = {
  square: "-0.85,-0.85 0.85,-0.85 0.85,0.85 -0.85,0.85",
  triangle: "0,-1 0.95,0.75 -0.95,0.75",
  diamond: "0,-1.1 1.1,0 0,1.1 -1.1,0",
};
const STAT_OUTLINES = {
  armor: "M-12-12H12V0C12 7 6 12 0 14C-6 12-12 7-12 0Z", // a shield
  damage: "M0.0 -15.5L4.2 -10.2L11.0 -11.0L10.2 -4.2L15.5 0.0L10.2 4.2L11.0 11.0L4.2 10.2L0.0 15.5L-4.2 10.2L-11.0 11.0L-10.2 4.2L-15.5 0.0L-10.2 -4.2L-11.0 -11.0L-4.2 -10.2Z", // a burst
  movement: "M-15-11H6L16 0L6 11H-15L-10 0Z", // a pennant
};

export const signed = (amount) => (amount > 0 ? `+${amount}` : `\u2212${-amount}`);

export function mark(shape, x, y, size, extra = {}) {
  if (shape === "circle") return svg("circle", { cx: x, cy: y, r: size, ...extra });
  if (shape === "ring") {
    return svg("circle", { cx: x, cy: y, r: size * 0.8, "stroke-width": size * 0.45, ...extra, class: `${extra.class} ring` });
  }
  const points = OUTLINES[shape].split(" ").map((pair) => {
    const [dx, dy] = pair.split(",").map(Number);
    return `${x + dx * size},${y + dy * size}`;
  });
  return svg("polygon", { points: points.join(" "), ...extra });
}

// The signs of a battlefield, in the order in which they are drawn: [name, text, whether for some units only].
export function signsOf(field) {
  const signs = [];
  if (field.water) signs.push(["water", "", false]);
  if (field.halts) signs.push(["halt", "", false]);
  for (const { stat, amount, whom } of field.effects) signs.push([stat, signed(amount), whom !== ""]);
  return signs;
}

export function sign([name, text, isPartial], x, y, scale = 1) {
  const group = svg("g", { class: `sign ${name}`, transform: `translate(${x} ${y}) scale(${scale})` });
  if (name === "water") {
    const wave = "q3-5 6 0t6 0t6 0t6 0";
    group.append(svg("circle", { r: 13 }), svg("path", { d: `M-12-4${wave}M-12 5${wave}`, class: "line" }));
  } else if (name === "halt") {
    group.append(svg("circle", { r: 13 }), svg("rect", { x: -8, y: -2.5, width: 16, height: 5, class: "bar" }));
  } else {
    group.append(svg("path", { d: STAT_OUTLINES[name] }), svg("text", { y: 4.5, "font-size": 14 }, text));
    if (isPartial) group.append(svg("text", { x: 14, y: -3, "font-size": 16, class: "partial" }, "*"));
  }
  return group;
}

// The frame of a unit's type: cross, slash, arrow, ball; none for other types.
export function classSymbol(unitClass) {
  if (unitClass === "other") return null;
  const group = svg("g", { class: "symbol" }, svg("rect", { x: -51, y: -21, width: 42, height: 25 }));
  if (unitClass === "infantry" || unitClass === "cavalry") group.append(svg("path", { d: "M-51 4L-9-21" }));
  if (unitClass === "infantry") group.append(svg("path", { d: "M-51-21L-9 4" }));
  if (unitClass === "missile") group.append(svg("path", { d: "M-30 1V-16M-37-9L-30-17L-23-9" }));
  if (unitClass === "artillery") group.append(svg("circle", { cx: -30, cy: -8.5, r: 7 }));
  return group;
}
