// Parts of the table: the tokens of a hand, the chance on a hex, the buttons of those who watch.

import { html, svg } from "./dom.js";
import { center } from "./geometry.js";
import { chanceText, tokensOf } from "./play-choices.js";

/** The tokens of a hand; `choose(ids)` is called for one that can be chosen now, `point(entry)` for one that is pointed at. */
export function drawTokens(pile, ask, glossary, choose, point) {
  const tokens = ask ? tokensOf(ask) : new Map();
  const about = new Map(glossary.map((entry) => [entry.name, entry]));
  const card = ([name, copies]) => {
    const entry = about.get(name);
    const actions = tokens.get(name);
    return html(
      "button",
      { type: "button", class: `token ${entry?.kind ?? ""}`, "aria-disabled": actions ? null : "true", onclick: () => actions && choose(actions), onpointerenter: () => entry && point(entry), onfocus: () => entry && point(entry) },
      html("strong", {}, copies > 1 ? `${copies} × ${name}` : name),
      html("small", {}, entry?.text ?? ""),
    );
  };
  return html("div", { class: "tokens" }, pile.map(card));
}

/** What the abilities of a token do, of its entry in the glossary. */
export function drawAbilities({ abilities }) {
  return abilities.length ? [html("article", { class: "card abilities" }, abilities.map((sentence) => html("p", {}, sentence)))] : [];
}

/** The chance of an attack, on the hex of its target. */
export function oddsMark({ hex, odds }) {
  const [x, y] = center(...hex);
  return svg("g", { class: "odds-mark", transform: `translate(${x.toFixed(1)} ${y.toFixed(1)})`, "aria-hidden": "true" }, svg("rect", { x: -36, y: 44, width: 72, height: 34, rx: 10 }), svg("text", { y: 69, "font-size": 24 }, chanceText(odds)));
}

/** The buttons of those who watch: `setPlaying(isPlaying)`, and `step()` for the next thing alone. */
export function drawWatching(setPlaying, step) {
  let isPlaying = false;
  const play = html("button", { type: "button", class: "primary" }, "Play");
  play.addEventListener("click", () => {
    isPlaying = !isPlaying;
    play.textContent = isPlaying ? "Pause" : "Play";
    setPlaying(isPlaying);
  });
  const next = html("button", { type: "button", onclick: step }, "Next");
  return html("section", { class: "ask", id: "actions", tabindex: -1 }, html("h2", {}, "You are watching"), html("div", { class: "row" }, play, next));
}
