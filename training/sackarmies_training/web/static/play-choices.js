// What the player is asked: the question, what has been chosen so far, and every choice as a button.

import { html } from "./dom.js";
import { hexKey } from "./geometry.js";
import { percentage } from "./words.js";

const REACTIONS = [
  ["turn", "Pass until my turn"],
  ["attack", "Pass until I am attacked"],
];

const ORDERS = { turn: "You pass until your turn.", attack: "You pass until you are attacked." };

// The chance of an attack in few letters; as a sentence it is in the note of a choice.
export function chanceText({ chance }) {
  return chance === null ? "?" : percentage(chance);
}

function choiceButton(choice, number, act) {
  const odds = choice.odds && choice.odds.chance !== undefined ? html("span", { class: "chance" }, chanceText(choice.odds)) : null;
  return html(
    "button",
    { type: "button", class: `choice ${choice.part}`, "data-id": choice.id, onclick: () => act.choose([choice.id]), onpointerenter: () => act.point(choice), onfocus: () => act.point(choice) },
    number <= 9 ? html("kbd", { "aria-hidden": "true" }, number) : null,
    html("span", { class: "label" }, choice.label),
    odds,
    choice.note ? html("small", {}, choice.note) : null,
  );
}

function arrows(event) {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!step) return;
  const buttons = [...event.currentTarget.querySelectorAll("button")];
  const place = buttons.indexOf(document.activeElement);
  buttons[Math.min(buttons.length - 1, Math.max(0, place + step))]?.focus();
  event.preventDefault();
}

function crumbs(ask, act) {
  if (!ask.crumbs.length) return null;
  const parts = ask.crumbs.map((label, place) =>
    html("li", {}, html("button", { type: "button", class: "crumb", title: "Back to before this", onclick: () => act.back(ask.crumbs.length - place) }, label)),
  );
  return html(
    "nav",
    { class: "crumbs", "aria-label": "What you have chosen so far" },
    html("ol", {}, parts),
    html("button", { type: "button", class: "cancel", onclick: () => act.back(ask.crumbs.length) }, "Cancel"),
  );
}

/** Draws a question. `act` has `choose(ids)`, `back(count)`, `passing(until)`, `point(choice)`. */
export function drawChoices(ask, act) {
  const list = html("div", { class: "list", role: "group", "aria-labelledby": "question", onkeydown: arrows });
  ask.choices.forEach((choice, place) => list.append(choiceButton(choice, place + 1, act)));
  const reactions = ask.pass === null ? [] : REACTIONS.map(([until, label]) => html("button", { type: "button", onclick: () => act.passing(until) }, label));
  return html(
    "section",
    { class: "ask", id: "actions", tabindex: -1 },
    html("h2", { id: "question" }, ask.question),
    ask.about ? html("p", { class: "about" }, ask.about) : null,
    crumbs(ask, act),
    html("div", { id: "unit-menu" }),
    list,
    ask.until === "off" ? null : html("div", { class: "row reactions" }, html("span", {}, ORDERS[ask.until]), html("button", { type: "button", onclick: () => act.passing("off") }, "Stop passing")),
    reactions.length ? html("div", { class: "row reactions" }, reactions) : null,
  );
}

/** What can be done with the hex that was picked, where there is more than one thing: buttons in the place `#unit-menu`. */
export function drawUnitMenu(place, name, options, act, onClose) {
  const buttons = options.map(({ verb, choice }) =>
    html("button", { type: "button", class: "choice", onclick: () => act.choose([verb.id, choice.id]) }, html("span", { class: "label" }, verb.label)),
  );
  place.replaceChildren(
    html("section", { class: "unit-menu", "aria-label": name }, html("h3", {}, name), html("div", { class: "list" }, buttons), html("button", { type: "button", class: "cancel", onclick: onClose }, "Nothing")),
  );
  buttons[0].focus({ preventScroll: true });
}

// Hexes that can be picked, by "q,r": choices themselves, and what can follow a verb.
export function hexesOf(ask) {
  const hexes = new Map();
  const add = (at, option) => {
    const key = hexKey(...at);
    if (!hexes.has(key)) hexes.set(key, []);
    hexes.get(key).push(option);
  };
  for (const choice of ask.choices) {
    if (choice.hex) add(choice.hex, { choice });
    for (const next of choice.next ?? []) if (next.hex) add(next.hex, { verb: choice, choice: next });
  }
  return hexes;
}

// Tokens of the hand that can be chosen now or after a verb, by name.
export function tokensOf(ask) {
  const tokens = new Map();
  for (const choice of ask.choices) {
    if (choice.part === "type") tokens.set(choice.label, [choice.id]);
    for (const next of choice.next ?? []) if (next.part === "type" && !tokens.has(next.label)) tokens.set(next.label, [choice.id, next.id]);
  }
  return tokens;
}
