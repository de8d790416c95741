// The dialogue: who plays, with which armies, and games that were saved.

import { html } from "./dom.js";

const PERSON = "person";

function select(name, label, options, value, onchange) {
  const input = html("select", { name, "aria-label": label, onchange: onchange ?? null });
  for (const [text, words] of options) input.append(html("option", { value: text }, words));
  input.value = value;
  return input;
}

/** The choice of a viewer for those who watch, of the names of the players. */
export function drawEyes(names) {
  const views = [["referee", "the referee, who sees all"], ...names.map((name, seat) => [String(seat), name])];
  return html("label", {}, html("span", {}, "Seen through the eyes of"), select("eyes", "Whose eyes", views, "referee"));
}

/** The viewer that was chosen in such a form, as a message says it. */
export function eyesOf(form) {
  const { value } = form.elements.eyes;
  return value === "referee" ? value : Number(value);
}

export function drawDialogue(main, lobby, send) {
  const [least, most] = lobby.counts;
  const state = { players: [...lobby.players], armies: [...lobby.proposed] };
  const who = [[PERSON, "You, or a person here"], ...lobby.agents.map(({ text, label }) => [text, label])];
  const armies = lobby.armies.map(({ text, label }) => [text, label]);
  const rows = html("div", { class: "seats" });
  const eyes = html("div", { class: "field" });
  const hint = html("p", { class: "hint", role: "status" });

  function drawRows() {
    while (state.players.length < state.count) state.players.push(lobby.agents[0]?.text ?? PERSON);
    const seats = Array.from({ length: state.count }, (_, seat) => seat);
    rows.replaceChildren(
      ...seats.map((seat) =>
        html(
          "fieldset",
          { class: `seat-row seat-${seat}` },
          html("legend", {}, `${lobby.noun} ${seat}`),
          html("label", {}, html("span", {}, "Played by"), select(`player-${seat}`, `Who plays ${lobby.noun} ${seat}`, who, state.players[seat], (event) => { state.players[seat] = event.target.value; drawHints(); })),
          lobby.armies.length
            ? html("label", {}, html("span", {}, "Army"), select(`army-${seat}`, `Army of ${lobby.noun} ${seat}`, armies, state.armies[seat], (event) => { state.armies[seat] = event.target.value; }))
            : null,
        ),
      ),
    );
    drawHints();
  }

  function drawHints() {
    const players = state.players.slice(0, state.count);
    const persons = players.filter((player) => player === PERSON).length;
    const notes = new Map(lobby.agents.map(({ text, label, note }) => [text, note ? `${label} ${note}.` : ""]));
    const told = [...new Set(players)].map((player) => notes.get(player)).filter(Boolean);
    if (persons > 1) told.push("Several people share this device: a curtain falls whenever it is passed on.");
    if (persons === 0) told.push("Agents alone play, and you watch.");
    hint.textContent = told.join(" ");
    eyes.replaceChildren(...(persons === 0 ? [drawEyes(players.map((_, seat) => `${lobby.noun} ${seat}`))] : []));
  }

  function start(event) {
    event.preventDefault();
    const data = new FormData(event.target);
    const players = state.players.slice(0, state.count);
    const seed = data.get("seed").trim();
    const message = { kind: "start", players };
    if (armies.length) message.armies = state.armies.slice(0, state.count);
    if (seed !== "") message.seed = Number(seed);
    if (data.has("eyes")) message.eyes = eyesOf(event.target);
    send(message);
  }

  state.count = Math.min(most, Math.max(least, state.players.length));
  const counts = Array.from({ length: most - least + 1 }, (_, i) => [String(least + i), String(least + i)]);
  const form = html(
    "form",
    { class: "dialogue", onsubmit: start },
    html("h2", {}, "A new game"),
    html("div", { class: "field" }, html("label", {}, html("span", {}, `How many ${lobby.noun}s`), select("count", `How many ${lobby.noun}s`, counts, String(state.count), (event) => { state.count = Number(event.target.value); drawRows(); }))),
    rows,
    eyes,
    hint,
    html(
      "details",
      { class: "more", open: lobby.seed !== null },
      html("summary", {}, "Random seed"),
      html("label", {}, html("span", {}, "The same seed gives the same random results; empty for one that nobody knows"), html("input", { name: "seed", inputmode: "numeric", pattern: "[0-9]{0,16}", autocomplete: "off", value: lobby.seed ?? "" })),
    ),
    html("button", { type: "submit", class: "primary large" }, "Begin"),
  );
  drawRows();
  main.className = "lobby";
  main.replaceChildren(form, ...drawSaves(lobby, send));
  form.querySelector("button.primary").focus({ preventScroll: true });
}

function drawSaves(lobby, send) {
  if (!lobby.saves.length) return [];
  const entry = (name) => html("li", {}, html("button", { type: "button", onclick: () => send({ kind: "resume", name }) }, `Continue ${name}`));
  return [html("section", { class: "saves" }, html("h2", {}, "Saved games"), html("ul", {}, lobby.saves.map(entry)))];
}
