// The board as a table, for those who read it.

import { html } from "./dom.js";
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
  for (const field of picture.fields) places.set(field.at.join(","), { at: field.at, field });
  for (const unit of picture.units) places.set(unit.at.join(","), { at: unit.at, ...places.get(unit.at.join(",")), unit });
  const sorted = [...places.values()].sort((one, other) => one.at[1] - other.at[1] || one.at[0] - other.at[0]);
  const row = ({ at, field, unit }) =>
    html(
      "tr",
      {},
      html("th", { scope: "row" }, at.join(",")),
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
