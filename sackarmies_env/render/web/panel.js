// What lies beside the board: the Generals, the card of a hex, the event log, the legend.

import { unitAt } from "./board.js";
import { html, svg } from "./dom.js";
import { mark, sign } from "./shapes.js";
import { BAND_MARKS, KIND_MARKS } from "./signs.js";
import { badge, flag, ownerMark } from "./tokens.js";
import { capitalized, counted, fieldSentences, pileWords, seatName, unitSentences, unitTitle } from "./words.js";

export function icon(shape, className = "") {
  return svg("svg", { viewBox: "-16 -16 32 32", class: `icon ${className}`, "aria-hidden": "true" }, shape);
}

// --- Generals

/** All Generals; `names` are those of who plays, in seat order, as far as there are any. */
export function drawGenerals(picture, names = []) {
  return html("div", { class: "generals" }, picture.seats.map((seat) => drawGeneral(picture, seat, names[seat.seat])));
}

function drawGeneral(picture, seat, player) {
  const isCurrent = picture.current === seat.seat;
  const title = html(
    "h3",
    {},
    icon(badge(seat.seat, 0, 0)),
    html("span", {}, seatName(picture, seat.seat), player ? html("small", {}, ` ${player}`) : null),
    isCurrent ? html("span", { class: "tag" }, "to decide") : null,
    seat.alive ? null : html("span", { class: "tag" }, "eliminated"),
  );
  const rows = seat.alive ? [["Battlefields", fieldWords(picture, seat)], ...pileRows(seat)] : pileRows(seat).slice(-2);
  return html(
    "section",
    { class: `general seat-${seat.seat}${isCurrent ? " current" : ""}${seat.alive ? "" : " out"}` },
    title,
    html("dl", {}, rows.filter(Boolean).map(([name, words]) => html("div", {}, html("dt", {}, name), html("dd", {}, words)))),
  );
}

function fieldWords(picture, seat) {
  const own = picture.fields.filter((field) => field.owner === seat.seat);
  const kept = own.filter((field) => field.controller === seat.seat).length;
  const held = picture.fields.filter((field) => field.controller === seat.seat).length;
  return `controls ${held}, ${kept} of ${own.length} own`;
}

function pileRows(seat) {
  const piles = (pile, size) => {
    if (pile !== null) return size === 0 ? "empty" : pileWords(pile);
    return size === null ? "unknown" : size === 0 ? "empty" : `${counted(size, "token")}, unknown`;
  };
  return [
    ["Hand", piles(seat.hand, seat.hand_size)],
    ["Sack", seat.sack && seat.sack_size ? drawSack(seat) : piles(seat.sack, seat.sack_size)],
    seat.picks_left ? ["Picked", piles(seat.picks, seat.picks_left)] : null,
    ["Casualties", seat.casualties === null ? "unknown" : pileWords(seat.casualties)],
    seat.removed === null || seat.removed.length ? ["Removed", seat.removed === null ? "unknown" : pileWords(seat.removed)] : null,
  ];
}

function drawSack(seat) {
  return html("details", {}, html("summary", {}, counted(seat.sack_size, "token")), pileWords(seat.sack));
}

// --- the card of a hex

/** What is on a hex, in prose. */
export function drawCard(picture, q, r) {
  const unit = unitAt(picture, q, r);
  const field = picture.fields.find(({ at }) => at[0] === q && at[1] === r);
  const card = html("article", { class: "card" });
  if (unit) {
    card.append(html("h3", { class: `seat-${unit.owner}` }, icon(badge(unit.owner, 0, 0)), unitTitle(unit)));
    card.append(...unitSentences(picture, unit).map((sentence) => html("p", {}, sentence)));
  }
  if (field) {
    card.append(html("h3", { class: `seat-${field.controller}` }, icon(badge(field.controller, 0, 0)), field.name));
    card.append(...fieldSentences(picture, field).map((sentence) => html("p", {}, sentence)));
  }
  if (!unit && !field) card.append(html("h3", {}, "Open hex"), html("p", {}, "A battlefield or a unit may come here."));
  card.append(html("p", { class: "where" }, `Hex ${q}, ${r}`));
  return card;
}

// --- the log

/** Events in reading order, `{ply, kind, text, at}` each; `onPly(ply)` is called for one that is picked. */
export function drawLog(entries, onPly) {
  const list = html("ol", { class: "log" });
  for (const entry of entries) {
    const words = capitalized(entry.text);
    const content = onPly ? html("button", { type: "button", "data-ply": entry.ply, onclick: () => onPly(entry.ply) }, words) : words;
    list.append(html("li", { class: `event ${entry.kind}`, "data-ply": entry.ply }, content));
  }
  return list;
}

// Marks what has happened by `ply`, brings it into view without moving the page, and returns the entries of that ply.
export function showInLog(list, ply) {
  let latest = null;
  for (const item of list.children) {
    const at = Number(item.dataset.ply);
    item.classList.toggle("future", at > ply);
    item.classList.toggle("now", at === ply);
    if (at <= ply) latest = item;
  }
  const box = list.parentElement;
  if (latest && box) box.scrollTop = Math.max(0, latest.offsetTop - list.offsetTop - box.clientHeight * 0.6);
}

// --- the legend

export function drawLegend() {
  const row = (drawing, words) => html("li", {}, drawing, words);
  const bands = Object.entries(BAND_MARKS).map(([band, shape]) =>
    row(icon([svg("rect", { x: -15, y: -11, width: 30, height: 22, rx: 5, class: `band ${band}` }), mark(shape, 0, 0, 6)], "unit"), `${band} name band`),
  );
  const light = (name) => icon(svg("g", { class: `hex ${name}` }, svg("circle", { r: 12, class: "light" })));
  const attachment = (kind, face) =>
    icon(svg("g", { class: `attachment ${kind} ${face}` }, svg("rect", { x: -11, y: -12, width: 22, height: 24, rx: 4 }), KIND_MARKS[kind] ? mark(KIND_MARKS[kind], 0, 0, 6) : svg("text", { y: 5, "font-size": 15 }, "?")));
  return html(
    "ul",
    { class: "legend" },
    row(icon(svg("g", { class: "seat-0" }, badge(0, 0, 0))), "seat: of a counter, who commands; of a battlefield, who controls"),
    row(icon(ownerMark(1, 0, 0, 12)), "owner of a battlefield that another General controls"),
    bands,
    row(attachment("spell", "up"), "spell, face up"),
    row(attachment("maneuver", "up"), "maneuver, face up"),
    row(attachment("spell", "down"), "hollow: face down"),
    row(attachment("hidden", "down"), "not known"),
    row(icon(sign(["water", ""], 0, 0)), "water"),
    row(icon(sign(["halts", ""], 0, 0)), "ends moves"),
    row(icon(sign(["armor", "+1"], 0, 0, 0.9)), "armor"),
    row(icon(sign(["damage", "+1"], 0, 0, 0.9)), "damage"),
    row(icon(sign(["movement", "+1*"], 0, 0, 0.9)), "movement; * for some units only"),
    row(icon(sign(["shelters", ""], 0, 0)), "shelters aquatic units"),
    row(icon(flag("M", "moved", 0, 0)), "has moved"),
    row(icon(flag("E", "employed", 0, 0)), "employed: may not act"),
    row(icon(flag("2", "captives", 0, 0)), "holds captives"),
    row(icon(flag("?", "hidden", 0, 0)), "face down, known to the viewer"),
    row(light("legal"), "may be chosen"),
    row(light("chosen"), "has been chosen"),
    row(light("reach"), "can be reached by the unit"),
    row(light("range"), "in the range of its shots"),
    row(light("sight"), "in its sight"),
    row(light("event"), "something has happened here"),
  );
}
