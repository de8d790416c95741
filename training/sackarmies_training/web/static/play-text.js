// The board as a table, for those who read it.

import { html } from "./dom.js";
import { hexKey } from "./geometry.js";
import { seatName, unitTitle } from "./words.js";

function stats(unit) {
  const { card } = unit;
  const values = card ? `movement ${card.movement}, damage ${card.damage}, armor ${card.armor}${card.range ? `, range ${card.range}` : ""}` : "unknown";
  const carried = unit.attachments.map((each) => each.name ?? `hidden ${each.kind ?? "token"}`);
  const notes = [unit.face_up ? "" : "face down", ...carried, unit.employed ? "employed" : unit.moved ? "has moved" : ""];
  return [values, ...notes.filter(Boolean)].join("; ");
}

export function drawText(picture) {
  const places = new Map();
  for (const field of picture.fields) places.set(hexKey(...field.at), { at: field.at, field });
  for (const unit of picture.units) places.set(hexKey(...unit.at), { at: unit.at, ...places.get(hexKey(...unit.at)), unit });
  const sorted = [...places.values()].sort((one, other) => one.at[1] - other.at[1] || one.at[0] - other.at[0]);
  const row = ({ at, field, unit }) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, hexKey(...at)),
      html("td", {}, unit ? `${unitTitle(unit)}, ${seatName(picture, unit.owner)}` : "no unit"),
      html("td", {}, unit ? stats(unit) : ""),
      html("td", {}, field ? `${field.name}, ${seatName(picture, field.controller)}` : ""),
    );
  const head = ["Hex", "Unit", "Values", "Battlefield"].map((name) => html("th", { scope: "col" }, name));
  return html(
    "table",
    { class: "board-text" },
    html("caption", { class: "unseen" }, "Units and battlefields on the board"),
    html("thead", {}, html("tr", {}, head)),
    html("tbody", {}, sorted.map(row)),
  );
}
