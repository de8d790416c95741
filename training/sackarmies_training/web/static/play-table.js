// The table: the board, what one is asked, one's hand, the players, the log; and the curtain.

import { drawBoard, lightHexes, overlayOf, showBoard, unitAt } from "./board.js";
import { html } from "./dom.js";
import { showDrawn } from "./drawn.js";
import { hexKey, withOpening } from "./geometry.js";
import { drawCard, drawGenerals } from "./panel.js";
import { drawChoices, drawUnitMenu, hexesOf } from "./play-choices.js";
import { drawAbilities, drawTokens, drawWatching, oddsMark } from "./play-parts.js";
import { Steps, placesIn, speeds } from "./play-steps.js";
import { drawText } from "./play-text.js";
import { capitalized, setNoun } from "./words.js";

const SPEED_NAMES = { slow: "Slowly", normal: "At normal speed", fast: "Fast", none: "At once" };
const FEW_HEXES = 20; // as long as there are no more, the board shows the hexes around the middle
const HEX_PX = 46; // least width of a hex: fingers need 44

export class Table {
  constructor(main, { send, say, setStatus, usesKeys }) {
    Object.assign(this, { main, send, say, setStatus, usesKeys });
    this.game = this.ask = this.picture = this.svg = this.answered = this.cardAt = null;
    this.inbox = [];
    this.isBusy = this.isStopped = this.isPlaying = this.isWaiting = false;
    this.extent = [];
    this.steps = new Steps({ line: (text, places) => this.showLine(text, places), view: (view) => this.showView(view), coins: (row) => this.showCoins(row) });
    this.onKey = (event) => this.key(event);
    document.addEventListener("keydown", this.onKey);
    this.layOut();
  }

  stop() {
    this.isStopped = true;
    this.isPlaying = false;
    this.inbox = [];
    this.steps.skip();
    document.removeEventListener("keydown", this.onKey);
  }

  layOut() {
    this.parts = {
      banner: html("div", { class: "banner", hidden: true }),
      coins: html("div", { class: "toss" }),
      board: html("div", { class: "board-frame", tabindex: -1 }),
      ask: html("div", { class: "asked" }),
      hand: html("section", { class: "hand", "aria-label": "Your hand", hidden: true }),
      card: html("div", { class: "pointed" }),
      generals: html("div", {}),
      log: html("ol", { class: "log" }),
      text: html("div", {}),
    };
    const { banner, coins, board, ask, hand, card, generals, log, text } = this.parts;
    const speed = html("select", { "aria-label": "How fast events are shown", onchange: (event) => { this.steps.speed = event.target.value; } }, speeds.map((name) => html("option", { value: name, selected: name === this.steps.speed }, SPEED_NAMES[name])));
    this.parts.skip = html("button", { type: "button", hidden: true, onclick: () => this.steps.skip() }, "Skip");
    const logBox = html("div", { class: "log-box", tabindex: 0, role: "log", "aria-label": "Events", "aria-live": "off" }, log);
    this.main.className = "play-table";
    this.main.setAttribute("aria-label", "The game");
    this.main.replaceChildren(
      html("div", { class: "middle" }, banner, html("div", { class: "stage" }, board, coins), hand),
      html("div", { class: "play-side" }, ask, html("div", { class: "row pace" }, speed, this.parts.skip), card, html("details", { open: true }, html("summary", {}, `${this.game?.noun ?? "Player"}s`), generals), html("details", { open: true }, html("summary", {}, "Events"), logBox), html("details", { class: "reading" }, html("summary", {}, "The board as text"), text)),
    );
  }

  // --- messages, in order; steps take their time

  receive(message) {
    this.inbox.push(message);
    if (!this.isBusy) this.work();
  }

  async work() {
    this.isBusy = true;
    while (this.inbox.length && !this.isStopped) {
      const message = this.inbox.shift();
      await this[`on_${message.kind}`]?.(message);
    }
    this.isBusy = false;
  }

  refused() {
    this.answered = null;
  }

  on_game(message) {
    this.game = message;
    setNoun(message.noun);
    this.ask = this.picture = this.answered = this.cardAt = null;
    this.extent = [];
    this.parts.log.replaceChildren();
    this.layOut();
    this.waiting("The game begins …");
    if (message.watched) this.drawWatch();
  }

  on_scene({ view, log }) {
    this.parts.log.replaceChildren(...log.map((line) => this.logItem(line)));
    this.scrollLog();
    if (view.title) this.showView(view);
  }

  async on_steps({ steps }) {
    this.setAsk(null);
    this.isWaiting = false;
    this.parts.skip.hidden = this.steps.delay === 0;
    this.say(steps.flatMap((step) => step.lines).join(". "));
    await this.steps.play(steps);
    this.parts.skip.hidden = true;
    if (this.game?.watched && this.isPlaying) this.next();
  }

  on_ask(ask) {
    this.steps.skipping = false;
    this.setAsk(ask);
    this.say(`${capitalized(ask.question)}. ${ask.about}`);
  }

  on_passing({ until }) {
    if (this.ask) this.setAsk({ ...this.ask, until });
  }

  on_handover({ name }) {
    this.steps.skipping = false;
    this.setAsk(null);
    const button = html("button", { type: "button", class: "primary large", onclick: () => this.send({ kind: "cover" }) }, `Pass the device to ${name}`);
    this.parts.ask.replaceChildren(html("section", { class: "ask handover", id: "actions", tabindex: -1 }, html("h2", {}, `${name} decides next`), button));
    button.focus({ preventScroll: true });
  }

  // Nothing of what was seen stays on the page or in its memory.
  on_curtain({ seat, name }) {
    this.game = this.ask = this.picture = this.svg = this.answered = this.cardAt = null;
    this.extent = [];
    this.inbox = [];
    this.parts = { ask: html("div"), banner: html("div"), board: html("div"), card: html("div"), log: html("ol"), skip: html("button") };
    this.say("");
    this.setStatus("");
    const button = html("button", { type: "button", class: "primary large", onclick: () => this.send({ kind: "uncover", seat }) }, `I am ${name}`);
    this.main.className = "curtain";
    this.main.replaceChildren(html("section", { class: "notice" }, html("h2", {}, `Pass the device to ${name}`), html("p", {}, "Nobody else should look at the screen from now on."), button));
    button.focus();
  }

  on_end({ outcome, winners, view, forfeits, missing }) {
    this.setAsk(null);
    this.steps.skipping = false;
    this.isPlaying = this.isWaiting = false;
    this.showView({ ...view, viewer: null });
    const link = html("a", { class: "button primary", href: "replay.html", target: "_blank", rel: "noopener" }, "Watch the replay from all sides");
    const again = html("button", { type: "button", onclick: () => this.send({ kind: "leave" }) }, "New game");
    const faults = [...forfeits.map((reason) => `A player forfeited: the agent ${reason}.`), ...missing.map((sentence) => `${sentence}.`)].map((sentence) => html("p", {}, sentence));
    this.parts.hand.hidden = true;
    this.parts.ask.replaceChildren(
      html("section", { class: "ask ending", id: "actions", tabindex: -1 }, html("h2", {}, this.outcomeWords(outcome, winners)), ...faults, html("p", {}, "Everything that was hidden is shown now."), html("div", { class: "row" }, link, again)),
    );
    this.say(this.outcomeWords(outcome, winners));
    link.focus();
  }

  outcomeWords(outcome, winners) {
    const [person, ...others] = this.game.persons;
    if (person === undefined || others.length) return outcome;
    if (!winners.includes(person)) return `You have lost. ${outcome}`;
    return winners.length === 1 ? `You win! ${outcome}` : outcome;
  }

  // --- watching

  drawWatch() {
    const setPlaying = (isPlaying) => {
      this.isPlaying = isPlaying;
      if (isPlaying && !this.isBusy) this.next();
    };
    const step = () => { if (!this.isBusy && !this.isPlaying) this.next(); };
    this.parts.ask.replaceChildren(drawWatching(setPlaying, step));
    this.parts.ask.querySelector("button").focus();
    this.next();
  }

  // One thing at a time: nothing more is asked for before the answer has come.
  next() {
    if (this.isWaiting) return;
    this.isWaiting = true;
    this.steps.skipping = false;
    this.send({ kind: "next" });
  }

  // --- what is asked

  setAsk(ask) {
    if (this.game?.watched) return;
    const hadFocus = this.parts.ask.contains(document.activeElement) || document.activeElement === document.body;
    this.ask = ask;
    this.hideBanner();
    if (ask) {
      this.parts.ask.replaceChildren(drawChoices(ask, this.actions()));
      if (hadFocus && this.usesKeys()) this.parts.ask.querySelector(".list button, .choice")?.focus();
    } else {
      this.waiting("The others play …");
    }
    this.drawBoard();
    this.drawHand();
    this.drawStatus();
  }

  waiting(words) {
    this.parts.ask.replaceChildren(html("section", { class: "ask waiting", id: "actions", tabindex: -1 }, html("h2", {}, words)));
  }

  actions() {
    return {
      choose: (actions) => this.request({ kind: "choose", actions }),
      back: (count) => this.request({ kind: "back", count }),
      passing: (until) => this.order(until),
      point: (choice) => this.point(choice),
    };
  }

  request(message) {
    if (!this.ask || this.isBusy || this.answered === this.ask.number) return;
    this.answered = this.ask.number; // a second click is no second answer
    this.send({ ...message, number: this.ask.number });
  }

  // An order to pass answers the question that is open.
  order(until) {
    if (!this.ask || this.answered === this.ask.number) return;
    if (until !== "off" && this.ask.pass !== null) this.answered = this.ask.number;
    this.send({ kind: "passing", until });
  }

  // A hex was picked on the board: a choice, or what can be done with the unit on it.
  pick(q, r) {
    const options = this.ask ? (hexesOf(this.ask).get(hexKey(q, r)) ?? []) : [];
    const single = options.find(({ verb }) => !verb);
    if (single) return this.request({ kind: "choose", actions: [single.choice.id] });
    if (options.length === 1 && !options[0].verb.final) return this.request({ kind: "choose", actions: [options[0].verb.id, options[0].choice.id] });
    if (options.length) {
      const place = this.parts.ask.querySelector("#unit-menu");
      const close = () => {
        place.replaceChildren();
        lightHexes(this.svg, { chosen: this.ask.chosen });
      };
      lightHexes(this.svg, { chosen: [[q, r]] });
      drawUnitMenu(place, options[0].choice.label, options, this.actions(), close);
      place.scrollIntoView({ block: "nearest" });
    }
  }

  // --- drawing

  showView(view) {
    this.picture = view;
    this.drawBoard();
    this.drawHand();
    this.drawStatus();
    if (this.cardAt) this.showCard(...this.cardAt); // what was there may have moved or died
    if (view.lines) { // a game without a picture: there is nothing else to tell
      this.hideBoxes("generals", "text", "log");
      return;
    }
    if (view.elements) { // the picture shows the players, too, and has words of its own
      this.hideBoxes("generals", "text");
      return;
    }
    const shown = { ...view, current: this.ask ? this.ask.seat : -1 };
    this.parts.generals.replaceChildren(drawGenerals(shown, this.game.players.map(({ player }) => (player === "person" ? "" : player))));
    this.parts.text.replaceChildren(drawText(view));
  }

  hideBoxes(...names) {
    for (const name of names) this.parts[name].closest("details").hidden = true;
  }

  drawBoard() {
    const view = this.picture;
    if (!view) return;
    if (view.lines) {
      this.parts.board.replaceChildren(html("pre", { class: "lines" }, view.lines.join("\n")));
      return;
    }
    if (view.elements) {
      showDrawn(this.parts.board, view);
      return;
    }
    const known = new Map([...this.extent, ...view.hexes].map((at) => [hexKey(...at), at]));
    this.extent = [...known.values()];
    const extent = known.size < FEW_HEXES ? withOpening(this.extent) : this.extent;
    const hexes = this.ask ? hexesOf(this.ask) : new Map();
    const legal = [...hexes.keys()].map((key) => key.split(",").map(Number));
    this.svg = drawBoard({ ...view, chosen: this.ask?.chosen ?? [] }, { legal, extent, onHex: (q, r) => this.pick(q, r), onInspect: (q, r) => this.inspect(q, r), label: `Board of ${view.title}` });
    this.svg.style.minWidth = `${Math.ceil(Number(this.svg.style.getPropertyValue("--columns")) * HEX_PX)}px`;
    for (const options of hexes.values()) for (const { choice } of options) if (choice.odds) this.svg.append(oddsMark(choice));
    showBoard(this.parts.board, this.svg);
    if (!view.hexes.length) this.parts.board.append(html("p", { class: "empty" }, "The board is empty: the first battlefield comes to its middle."));
    this.drawAnnounced();
  }

  drawAnnounced() {
    const told = this.picture.announced;
    if (told && !this.picture.outcome) this.showBanner(capitalized(told));
    else this.hideBanner();
  }

  drawStatus() {
    const view = this.picture;
    if (!view) return;
    const whose = view.outcome || (this.ask ? "Your decision" : this.game.watched ? "" : "Waiting");
    this.setStatus([view.turn === undefined ? "" : `Turn ${view.turn}`, whose, ...(view.notes ?? [])].filter(Boolean).join(" · "));
  }

  drawHand() {
    const { hand } = this.parts;
    const pile = this.picture?.seats && this.picture.viewer !== null ? this.picture.seats[this.picture.viewer].hand : null;
    if (!hand || !pile) return;
    hand.hidden = pile.length === 0;
    hand.replaceChildren(html("h2", {}, "Your hand"), drawTokens(pile, this.ask, this.game.glossary, (actions) => this.request({ kind: "choose", actions }), (entry) => this.showToken(entry)));
  }

  inspect(q, r) {
    const view = this.picture;
    if (!view) return;
    if (q === undefined) {
      lightHexes(this.svg, overlayOf(view, null));
      return;
    }
    this.showCard(q, r);
    const [option] = this.ask ? (hexesOf(this.ask).get(hexKey(q, r)) ?? []) : [];
    if (option?.choice.note && option.choice.odds) this.parts.card.append(html("p", { class: "card odds" }, option.choice.note));
    lightHexes(this.svg, overlayOf(view, unitAt(view, q, r)));
  }

  // The choice under the pointer or in focus: its hex is lit, and its card shown.
  point(choice) {
    if (!this.svg) return;
    const places = choice.hex ? [choice.hex] : (choice.next ?? []).map((next) => next.hex).filter(Boolean);
    lightHexes(this.svg, { event: places });
    if (choice.hex) this.showCard(...choice.hex);
  }

  // What is on a hex, and what the abilities of its unit do.
  showCard(q, r) {
    this.cardAt = [q, r];
    const unit = unitAt(this.picture, q, r);
    const entry = this.game.glossary.find(({ name }) => name === unit?.card?.name);
    this.parts.card.replaceChildren(drawCard(this.picture, q, r), ...(entry ? drawAbilities(entry) : []));
  }

  showToken(entry) {
    this.cardAt = null;
    this.parts.card.replaceChildren(html("article", { class: "card" }, html("h3", {}, entry.name), html("p", {}, entry.text)), ...drawAbilities(entry));
  }

  // --- events

  logItem(line) {
    const places = placesIn(line);
    const kind = /^the turn of|begins a turn$/i.test(line) ? "turn" : "";
    const content = places.length ? html("button", { type: "button", onclick: () => lightHexes(this.svg, { event: places }) }, line) : line;
    return html("li", { class: `event ${kind}` }, content);
  }

  scrollLog() {
    const box = this.parts.log.parentElement;
    if (box) box.scrollTop = box.scrollHeight;
  }

  showLine(text, places) {
    this.parts.log.append(this.logItem(text));
    this.scrollLog();
    if (this.steps.delay) this.showBanner(text);
    if (this.svg) lightHexes(this.svg, { event: places });
  }

  showCoins(row) {
    this.parts.coins.replaceChildren(...(row ? [row] : []));
  }

  showBanner(text) {
    this.parts.banner.replaceChildren(html("p", { class: "told" }, text));
    this.parts.banner.hidden = false;
  }

  hideBanner() {
    this.parts.banner.hidden = true;
    this.parts.banner.replaceChildren();
  }

  // --- keys

  key(event) {
    if (event.target.closest("input, select, dialog, textarea") || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "s" || event.key === "S") return this.steps.skip();
    if (!this.ask) return;
    if (event.key === "Escape" || event.key === "Backspace") {
      event.preventDefault();
      const menu = this.parts.ask.querySelector(".unit-menu .cancel");
      if (menu) menu.click();
      else if (this.ask.crumbs.length) this.request({ kind: "back", count: 1 });
    } else if (/^[1-9]$/.test(event.key)) {
      const choice = this.ask.choices[Number(event.key) - 1];
      if (choice) this.request({ kind: "choose", actions: [choice.id] });
    }
  }
}
