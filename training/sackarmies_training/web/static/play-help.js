// The help: how to play on this page, and what the signs mean.

import { html } from "./dom.js";
import { drawLegend } from "./panel.js";

const KEYS = [
  ["Tab, Shift+Tab", "go through choices, units and places"],
  ["↑ ↓", "go through the list of choices"],
  ["Enter", "choose"],
  ["1 to 9", "make one of the first nine choices"],
  ["Escape or Backspace", "go back, as long as nobody has learned anything"],
  ["S", "skip what is being shown"],
];

export function drawHelp(dialog, page) {
  const keys = KEYS.flatMap(([key, words]) => [html("dt", {}, key), html("dd", {}, words)]);
  dialog.replaceChildren(
    html("h2", { id: "help-title" }, "How to play here"),
    page.pictured ? html("p", {}, "Click a unit of yours that is lit and say what it shall do, then click one of the lit hexes. All that you can choose is also in the list. Point at a hex, or move the focus to it, to read what is there.") : "",
    html("p", {}, page.advice),
    html("h3", {}, "Keys"),
    html("dl", { class: "key-list" }, keys),
    ...(page.pictured ? [html("h3", {}, "Signs"), drawLegend()] : []),
    html("form", { method: "dialog", class: "row" }, html("button", { type: "submit", class: "primary" }, "Close")),
  );
}
