// The page: one WebSocket, and a screen for each thing that it can be about. The server decides everything.

import { html } from "./dom.js";
import { drawDialogue, drawEyes, eyesOf } from "./play-dialogue.js";
import { drawHelp } from "./play-help.js";
import { Table } from "./play-table.js";

const RETRIES = 8; // while a page that is loaded again waits for the old one to be gone
const RETRY_MS = 300;

const $ = (id) => document.getElementById(id);
let socket = null;
let table = null;
let retries = 0;
let freeName = ""; // that nothing is saved under
let usesKeys = false; // rather than a pointer

function connect() {
  socket = new WebSocket(`ws://${location.host}${location.pathname}socket`);
  socket.addEventListener("message", (event) => receive(JSON.parse(event.data)));
  socket.addEventListener("close", (event) => {
    if (event.code !== 4001) lost();
  });
}

function send(message) {
  if (socket.readyState === WebSocket.OPEN) socket.send(JSON.stringify(message));
}

function lost() {
  table?.stop();
  alertText("The game has ended, or its server was stopped. Start it again, and load this page again.");
}

function alertText(text) {
  const box = $("alert");
  box.replaceChildren(text, " ", html("button", { type: "button", onclick: closeAlert }, "Close"));
  box.hidden = false;
}

function closeAlert() {
  $("alert").hidden = true;
  $("alert").replaceChildren(); // behind a curtain, too, the page holds nothing
}

// What the live region says; the same sentence twice is said twice.
function say(text) {
  const box = $("live");
  box.replaceChildren();
  box.append(html("span", {}, text));
}

function receive(message) {
  if (message.kind === "busy") return busy(message);
  retries = 0;
  if (message.kind !== "error") closeAlert();
  if (message.kind === "page") return showPage(message);
  if (message.kind === "lobby") return showDialogue(message);
  if (message.kind === "eyes") return askEyes(message);
  if (message.kind === "exists") return askOverwriting(message);
  if (message.kind === "error") {
    table?.refused();
    return alertText(message.text);
  }
  if (message.kind === "saved") {
    freeName = message.free_name;
    return say(`Saved as ${message.name}.`);
  }
  if (message.kind === "game") {
    if (!table) table = new Table($("main"), { send, say, setStatus, usesKeys: () => usesKeys });
    $("save-button").hidden = $("leave-button").hidden = false;
  }
  return table?.receive(message);
}

function busy(message) {
  if (retries++ < RETRIES) return setTimeout(connect, RETRY_MS);
  $("main").replaceChildren(html("section", { class: "notice" }, html("h2", {}, "Already open"), html("p", {}, message.text)));
}

// What the page needs at all times: it may have been loaded during a game.
function showPage(message) {
  freeName = message.free_name;
  $("title").textContent = document.title = message.title;
  drawHelp($("help"), message);
}

function showDialogue(message) {
  table?.stop();
  table = null;
  $("save-button").hidden = $("leave-button").hidden = true;
  setStatus("");
  showPage(message);
  drawDialogue($("main"), message, send);
}

function setStatus(text) {
  $("status").textContent = text;
}

// --- the buttons of the bar

function ask(title, content, label, onDone) {
  const dialog = html("dialog", { class: "ask", "aria-label": title });
  const form = html(
    "form",
    { method: "dialog", onsubmit: () => onDone(form) },
    html("h2", {}, title),
    content,
    html("div", { class: "row" }, html("button", { type: "submit", class: "primary" }, label), html("button", { type: "button", onclick: () => dialog.close() }, "Cancel")),
  );
  dialog.append(form);
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

function askEyes({ name, names }) {
  ask(`Continue ${name}`, drawEyes(names), "Continue", (form) => send({ kind: "resume", name, eyes: eyesOf(form) }));
}

function askOverwriting({ name }) {
  ask("Replace a saved game?", html("p", {}, `Another game is saved as ${name}, and would be lost.`), "Replace it", () => send({ kind: "save", name, overwrite: true }));
}

$("help-button").addEventListener("click", () => $("help").showModal());
$("save-button").addEventListener("click", () => {
  const input = html("input", { name: "name", required: true, maxlength: 60, pattern: "[A-Za-z0-9][A-Za-z0-9 _\\-]*", value: freeName, autocomplete: "off" });
  const label = html("label", {}, "Name of the game, letters and digits", input);
  ask("Save this game", label, "Save", (form) => send({ kind: "save", name: form.elements.name.value }));
});
$("leave-button").addEventListener("click", () => {
  ask("Leave this game?", html("p", {}, "What is not saved is lost."), "Leave", () => send({ kind: "leave" }));
});

document.addEventListener("keydown", () => { usesKeys = true; }, true);
document.addEventListener("pointerdown", () => { usesKeys = false; }, true);
connect();
