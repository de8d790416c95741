// The board as an SVG element: `drawBoard(picture, options)`. The picture is what one viewer may see, as plain data.

import { svg } from "./dom.js";
import { RADIUS, camera, center, corners, hexKey, seatAngle, withOpening, within } from "./geometry.js";
import { drawField, drawUnit } from "./tokens.js";
import { hexLabel } from "./words.js";

const LIGHTS = ["reach", "range", "sight", "event", "legal", "chosen"]; // ways in which a hex can be lit
let boards = 0; // drawn so far: ids of patterns must differ

/**
 * Options: `legal`, hexes [q, r] that may be chosen; `chosen`, a hex that has been; `overlay`, an object that lights
 * hexes as `reach`, `range`, `sight` or `event`; `extent`, hexes that are made visible; `onHex(q, r)`, called for a hex
 * that is picked, by click or Enter or Space; `onInspect(q, r)`, called for a hex under the pointer or in focus, and
 * without arguments when there is none any more; `isPassive`, when legal hexes are shown, but any hex can be picked;
 * `label`, what the board is called.
 */
export function drawBoard(picture, options = {}) {
  const { legal = [], chosen = null, overlay = {}, extent = withOpening(picture.hexes), isPassive = false } = options;
  const { onHex, onInspect } = options;
  const { x, y, width, height } = camera(extent);
  const patterns = `board${boards++}-`;
  const board = svg("svg", {
    class: "board",
    viewBox: [x, y, width, height].map((n) => n.toFixed(0)).join(" "),
    role: "group",
    "aria-label": options.label ?? `${picture.title}, board`,
  });
  board.style.setProperty("--columns", (width / (RADIUS * Math.sqrt(3))).toFixed(1));
  board.append(drawPatterns(patterns));
  const fields = new Map(picture.fields.map((field) => [hexKey(...field.at), field]));
  const units = new Map(picture.units.map((unit) => [hexKey(...unit.at), unit]));
  const choices = new Set(isPassive ? [] : legal.map(([q, r]) => hexKey(q, r)));
  const hexes = new Map([...picture.hexes, ...[...fields.values(), ...units.values()].map((token) => token.at)].map((at) => [hexKey(...at), at]));
  for (const [key, [q, r]] of hexes) {
    const parts = { field: fields.get(key), unit: units.get(key), isLegal: choices.has(key), patterns };
    board.append(drawHex(picture, q, r, parts, onInspect !== undefined));
  }
  board.append(svg("g", { class: "aim" }, picture.aim.map(([source, target]) => drawAim(source, target))));
  lightHexes(board, { ...overlay, legal, chosen: chosen ? [chosen] : picture.chosen });
  listen(board, choices, onHex, onInspect);
  return board;
}

function drawHex(picture, q, r, { field, unit, isLegal, patterns }, isInspected) {
  const [x, y] = center(q, r);
  const hex = svg("g", {
    class: "hex",
    "data-q": q,
    "data-r": r,
    transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`,
    role: isLegal ? "button" : "img",
    tabindex: isLegal || (isInspected && unit) ? 0 : null,
    "aria-label": hexLabel(picture, q, r, field, unit),
  });
  if (field) hex.append(drawField(field, seatAngle(field.controller, picture.viewer, picture.seats.length), patterns));
  else hex.append(svg("polygon", { points: corners(RADIUS * 0.97), class: "open" }));
  hex.append(svg("text", { y: -64, "font-size": 16, class: field ? "place on-field" : "place" }, hexKey(q, r)));
  hex.querySelector(".wedge, .place").before(svg("polygon", { points: corners(RADIUS * 0.9), class: "light" })); // below what is written
  if (unit) hex.append(drawUnit(unit, patterns));
  hex.append(svg("polygon", { points: corners(RADIUS * 0.95), class: "outline" }));
  return hex;
}

// Lights hexes: `lights` says which, by the ways in LIGHTS; ways that it does not name stay as they are.
export function lightHexes(board, lights) {
  const hexes = new Map([...board.querySelectorAll(".hex")].map((hex) => [hexKey(hex.dataset.q, hex.dataset.r), hex]));
  for (const way of LIGHTS.filter((name) => lights[name])) {
    for (const hex of hexes.values()) hex.classList.remove(way);
    for (const [q, r] of lights[way]) hexes.get(hexKey(q, r))?.classList.add(way);
  }
}

// Where a unit can go, which other units are in the range of its shots, and what it sees, for `lightHexes`.
export function overlayOf(picture, unit) {
  if (!unit) return { reach: [], range: [], sight: [] };
  const others = picture.units.filter((other) => other.owner !== unit.owner).map((other) => other.at);
  return {
    reach: unit.reach,
    range: within(others, unit.at, unit.card?.range ?? 0),
    sight: unit.card ? within(picture.hexes, unit.at, unit.sight) : [],
  };
}

export function unitAt(picture, q, r) {
  return picture.units.find((unit) => unit.at[0] === q && unit.at[1] === r);
}

// Puts a board in the place of the one that `frame` holds; the hex in focus keeps the focus.
export function showBoard(frame, board) {
  const active = frame.contains(document.activeElement) ? document.activeElement.closest(".hex") : null;
  frame.replaceChildren(board);
  if (active) board.querySelector(`.hex[data-q="${active.dataset.q}"][data-r="${active.dataset.r}"][tabindex]`)?.focus();
}

function drawAim(source, target) {
  const [x1, y1] = center(...source);
  const [x2, y2] = center(...target);
  const length = Math.hypot(x2 - x1, y2 - y1);
  const tip = length - 0.5 * RADIUS;
  const shaft = `M${0.5 * RADIUS} -6H${tip - 26}V-18L${tip} 0L${tip - 26} 18V6H${0.5 * RADIUS}Z`;
  const angle = (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
  return svg("path", { d: shaft, transform: `translate(${x1.toFixed(1)} ${y1.toFixed(1)}) rotate(${angle.toFixed(1)})` });
}

function drawPatterns(prefix) {
  const tile = (name, size, d) =>
    svg("pattern", { id: prefix + name, width: size, height: size, patternUnits: "userSpaceOnUse" }, svg("path", { d, class: `pattern ${name}` }));
  return svg(
    "defs",
    {},
    tile("hatch", 18, "M-4 22L22-4M-4 4L4-4M14 22L22 14"),
    tile("waves", 26, "M0 8q6.5-7 13 0t13 0M0 21q6.5-7 13 0t13 0"),
    tile("back", 14, "M0 0L14 14M14 0L0 14"),
  );
}

function listen(board, choices, onHex, onInspect) {
  const hexOf = (event) => event.target.closest(".hex");
  const pick = (event) => {
    const hex = hexOf(event);
    if (hex && (choices.size === 0 || choices.has(hexKey(hex.dataset.q, hex.dataset.r)))) {
      event.preventDefault();
      onHex(Number(hex.dataset.q), Number(hex.dataset.r));
    }
  };
  if (onHex) {
    board.addEventListener("click", pick);
    board.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === " ") pick(event);
    });
  }
  if (onInspect) {
    const inspect = (event) => {
      const hex = hexOf(event);
      if (hex) onInspect(Number(hex.dataset.q), Number(hex.dataset.r));
      else onInspect();
    };
    board.addEventListener("pointerover", inspect);
    board.addEventListener("focusin", inspect);
    board.addEventListener("pointerleave", () => onInspect());
    board.addEventListener("focusout", () => onInspect());
  }
}
