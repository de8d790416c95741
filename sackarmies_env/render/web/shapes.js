// Small drawings that mean something: marks of name bands, signs of terrain, symbols of unit types.

import { svg } from "./dom.js";
import { MARKS, SIGNS, TYPES } from "./signs.js";

const SIGN = 16; // height of a sign alone
const AMOUNT = 13; // of what is written below it

export const signed = (amount) => (amount > 0 ? `+${amount}` : `\u2212${-amount}`);

// A group that holds a drawing of signs.js.
function drawn(drawing, attributes) {
  const group = svg("g", attributes);
  group.innerHTML = drawing;
  return group;
}

const placed = (x, y, scale) => `translate(${x} ${y}) scale(${scale.toFixed(3)})`;

// A mark around (x, y), in the color that its class gives it.
export function mark(shape, x, y, size) {
  return drawn(MARKS[shape], { class: "mark", transform: placed(x, y, size / 10) });
}

// The signs of a battlefield, in the order in which they are drawn: [name, text].
export function signsOf(field) {
  const signs = [];
  if (field.water) signs.push(["water", ""]);
  if (field.halts) signs.push(["halts", ""]);
  for (const { stat, amount, whom } of field.effects) signs.push([stat, signed(amount) + (whom ? "*" : "")]);
  if (field.shelters) signs.push(["shelters", ""]);
  return signs;
}

const heightOf = ([, text]) => SIGN + (text ? AMOUNT : 0) + 6;

// A sign on a plate, with its text below it.
export function sign([name, text], x, y, scale = 1) {
  const height = heightOf([name, text]);
  const top = -height / 2 + 3;
  return svg(
    "g",
    { class: `sign ${name}`, transform: placed(x, y, scale) },
    svg("rect", { x: -12, y: -height / 2, width: 24, height, rx: 5, class: "plate" }),
    drawn(SIGNS[name], { transform: placed(0, top + SIGN / 2, SIGN / 20) }),
    text ? svg("text", { y: top + SIGN + 11, "font-size": text.length > 2 ? 11.5 : 14 }, text) : null,
  );
}

// Signs one below the other around (x, y), no higher than `room`.
export function signColumn(signs, x, y, room) {
  const gap = 2;
  const whole = signs.reduce((sum, each) => sum + heightOf(each) + gap, -gap);
  const scale = Math.min(1, room / whole);
  let top = y - (whole * scale) / 2;
  return signs.map((each) => {
    const height = heightOf(each) * scale;
    top += height + gap * scale;
    return sign(each, x, (top - height / 2 - gap * scale).toFixed(1), scale);
  });
}

// The frame of a unit's type: cross, slash, arrow, ball; none for other types.
export function classSymbol(unitClass) {
  return TYPES[unitClass] ? drawn(TYPES[unitClass], { class: "symbol" }) : null;
}
