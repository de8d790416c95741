// The page of a replay, or of one position: boards by whose eyes one sees, scrubber, Generals, log.

import { analysisAt, beliefsAt, drawAnalysis, drawAnalysisLegend, makeCurve, markCandidates } from "./analysis.js";
import { drawBoard, lightHexes, overlayOf, showBoard, unitAt } from "./board.js";
import { html } from "./dom.js";
import { showDrawn } from "./drawn.js";
import { pageData } from "./frames.js";
import { drawCard, drawGenerals, drawLegend, drawLog, showInLog } from "./panel.js";
import { drawTickLegend, makeScrubber } from "./scrubber.js";
import { capitalized, playerNoun, seatName, setNoun, viewName } from "./words.js";

const NONE = "none";
const KEYS = { ArrowLeft: "previous", ArrowRight: "next", ArrowUp: "back", ArrowDown: "forward", Home: "start", End: "end", " ": "play" };

const SIZES = [["fit", "fitted"], ["80px", "large"], ["130px", "very large"]]; // widths of a hex

const viewWord = (viewer) => (viewer === null ? "referee" : String(viewer));

// One board with its heading: the game by the eyes of one viewer.
class Eyes {
  constructor() {
    this.heading = html("h2");
    this.headline = html("p", { class: "headline" });
    this.frame = html("div", { class: "frame" });
    this.card = html("div", { class: "hover" });
    this.element = html("section", { class: "eyes" }, html("header", {}, this.heading, this.headline), this.frame, this.card);
    this.pinned = null;
  }

  show(view, ply, players) {
    const picture = view.frames[ply];
    this.picture = picture;
    this.analysis = analysisAt(view, ply);
    const player = view.viewer === null ? "" : players[view.viewer];
    this.heading.replaceChildren(
      view.viewer === null ? "Referee: everything" : `What ${viewName(view.viewer)} knew then`,
      player ? html("small", {}, ` ${player}`) : "",
    );
    this.headline.textContent = headline(picture);
    if (picture.lines) {
      this.frame.replaceChildren(html("pre", {}, picture.lines.join("\n")));
      return;
    }
    if (picture.elements) {
      showDrawn(this.frame, picture);
      return;
    }
    const events = view.log.filter((line) => line.ply === ply && line.at).map((line) => line.at);
    this.board = drawBoard(picture, {
      legal: picture.choices,
      extent: view.frames[view.frames.length - 1].hexes,
      overlay: { event: events },
      label: `Board as ${viewName(view.viewer)} sees it`,
      isPassive: true,
      onHex: (q, r) => this.pin(q, r),
      onInspect: (q, r) => this.inspect(q, r),
    });
    markCandidates(this.board, this.analysis);
    showBoard(this.frame, this.board);
    this.inspect();
  }

  pin(q, r) {
    const isSame = this.pinned && this.pinned[0] === q && this.pinned[1] === r;
    this.pinned = isSame ? null : [q, r];
    this.inspect(q, r);
  }

  // Shows the card of a hex with the reach of its unit; without one, those of the hex that is pinned.
  inspect(q, r) {
    const at = q === undefined ? this.pinned : [q, r];
    lightHexes(this.board, overlayOf(this.picture, at && unitAt(this.picture, ...at)));
    const card = at && drawCard(this.picture, ...at);
    card?.append(...beliefsAt(this.analysis, ...at));
    this.card.replaceChildren(...(at ? [card] : []));
  }
}

function headline(picture) {
  if (picture.lines) return "";
  if (picture.elements) return `${picture.headline}.`;
  if (picture.outcome) return `${picture.outcome}.`;
  const current = picture.current < 0 ? nobodyNamed(picture) : `${seatName(picture, picture.current)} to decide`;
  const asked = picture.asked ? `: ${picture.asked}` : "";
  const announced = picture.announced ? ` Announced: ${picture.announced}.` : "";
  return `${current}${asked}.${announced}`;
}

// A seat is not told who decides unless it is the one.
function nobodyNamed(picture) {
  return picture.viewer === null ? "No decision is pending" : `Another ${playerNoun()} to decide`;
}

class Replay {
  constructor(data, root) {
    setNoun(data.noun);
    this.data = data;
    this.root = root;
    this.last = data.views[0].frames.length - 1;
    this.noun = data.views.some((view) => view.viewer === null) ? "Decision" : "Moment"; // some see some decisions only
    this.ply = 0;
    this.main = data.views[0];
    this.beside = null;
    this.speed = 2;
    this.timer = null;
    this.eyes = [new Eyes(), new Eyes()];
    this.build();
    this.readHash();
    window.addEventListener("hashchange", () => this.readHash());
    document.addEventListener("keydown", (event) => this.onKey(event));
  }

  build() {
    const { views, title } = this.data;
    const isReplay = this.last > 0;
    this.buttons = views.map((view) =>
      html("button", { type: "button", onclick: () => this.see(view, this.beside) }, viewName(view.viewer)),
    );
    this.besides = html(
      "select",
      { onchange: (event) => this.see(this.main, this.viewOf(event.target.value)) },
      html("option", { value: NONE }, "nobody"),
      views.map((view) => html("option", { value: viewWord(view.viewer) }, viewName(view.viewer))),
    );
    const size = html(
      "select",
      { onchange: (event) => this.setSize(event.target.value) },
      SIZES.map(([value, name]) => html("option", { value }, name)),
    );
    const whose = views.length > 1 && [
      html("div", { class: "whose", role: "group", "aria-label": "Whose eyes" }, html("span", {}, "Whose eyes"), this.buttons),
      html("label", { class: "whose" }, html("span", {}, "Beside"), this.besides),
    ];
    this.status = html("p", { class: "status", role: "status" });
    this.scrubber = makeScrubber(this.last, {
      noun: this.noun,
      go: (move) => this.go(move),
      seek: (ply) => this.seek(ply),
      setSpeed: (speed) => this.setSpeed(speed),
    });
    this.curve = makeCurve(this.last, (ply) => this.seek(ply));
    this.analysis = html("div", { class: "analysisbox", tabindex: 0, role: "region", "aria-label": "Analysis" });
    this.thoughts = html("section", {}, html("h2", {}, "Analysis"), this.analysis);
    const hasAnalyses = views.some((view) => view.analyses.length);
    this.generals = html("div", { class: "generalsbox", tabindex: 0, role: "region", "aria-label": `${this.data.noun}s` });
    this.log = html("div", { class: "logbox", tabindex: 0, role: "region", "aria-label": "Event log" });
    const hasBoard = Boolean(views[0].frames[0].seats); // of hexes; other pictures have players and legend in them
    const legend = html("details", { class: "legendbox" }, html("summary", {}, hasBoard ? "Legend and keys" : "Keys"), hasBoard && drawLegend(), isReplay ? [drawTickLegend(), hasAnalyses && drawAnalysisLegend(), drawKeys()] : []);
    this.root.replaceChildren(
      html("header", { class: "top" }, html("h1", {}, title), whose || null, html("label", { class: "whose" }, html("span", {}, "Size"), size)),
      html("main", { class: "table" },
        html("div", { class: "boards" }, this.eyes.map((eyes) => eyes.element)),
        html("div", { class: "below" }, isReplay ? [this.status, this.curve.element, this.scrubber.element] : []),
        html("div", { class: "side" }, hasBoard && [html("h2", {}, `${this.data.noun}s`), this.generals], this.thoughts, html("h2", {}, isReplay ? "Event log" : "Last events"), this.log, legend),
      ),
    );
  }

  setSize(width) {
    for (const { frame } of this.eyes) {
      frame.classList.toggle("zoomed", width !== "fit");
      frame.style.setProperty("--hex", width);
    }
  }

  viewOf(word) {
    return this.data.views.find((view) => viewWord(view.viewer) === word) ?? null;
  }

  // --- where in the game, and by whose eyes

  readHash() {
    const asked = new URLSearchParams(location.hash.slice(1));
    this.stop();
    const ply = Number.parseInt(asked.get("ply") ?? "0", 10);
    this.ply = Number.isNaN(ply) ? 0 : Math.min(Math.max(ply, 0), this.last);
    this.see(this.viewOf(asked.get("view")) ?? this.data.views[0], this.viewOf(asked.get("beside")));
  }

  writeHash() {
    if (location.protocol === "about:") return; // a frame of a notebook has no address of its own
    const beside = this.beside ? `&beside=${viewWord(this.beside.viewer)}` : "";
    history.replaceState(null, "", `#ply=${this.ply}&view=${viewWord(this.main.viewer)}${beside}`);
  }

  see(main, beside) {
    const isOther = main !== this.shown;
    this.main = this.shown = main;
    this.beside = beside === main ? null : beside;
    this.buttons.forEach((button, i) => button.setAttribute("aria-pressed", this.data.views[i] === main));
    [...this.besides.options].forEach((option) => (option.disabled = option.value === viewWord(main.viewer)));
    this.besides.value = this.beside ? viewWord(this.beside.viewer) : NONE;
    if (isOther) {
      this.log.replaceChildren(drawLog(main.log, this.last ? (ply) => this.seek(ply) : null));
      if (this.last) this.scrubber.setTicks(main.log);
      this.curve.setView(main);
      this.thoughts.hidden = !main.analyses.length;
    }
    this.draw();
  }

  seek(ply) {
    this.stop();
    this.ply = ply;
    this.draw();
  }

  go(move) {
    if (move === "play") {
      this.togglePlay();
      return;
    }
    const { ply, last } = this;
    this.seek({ start: 0, end: last, previous: Math.max(0, ply - 1), next: Math.min(last, ply + 1), back: this.turnStart(-1), forward: this.turnStart(1) }[move]);
  }

  // The first decision of the turn, if that is before; else of the one before; forward, of the turn after.
  turnStart(direction) {
    const turn = (ply) => this.main.frames[ply].turn;
    let ply = this.ply + direction;
    while (ply > 0 && ply < this.last && turn(ply) === turn(ply - 1)) ply += direction;
    return Math.min(Math.max(ply, 0), this.last);
  }

  // --- playing

  togglePlay() {
    if (this.timer !== null) {
      this.stop();
      return;
    }
    if (this.ply === this.last) this.ply = 0;
    this.start();
  }

  start() {
    this.status.setAttribute("aria-live", "off"); // nobody can listen that fast
    this.timer = setInterval(() => {
      this.ply += 1;
      this.draw();
      if (this.ply === this.last) this.stop();
    }, 1000 / this.speed);
    this.scrubber.showPlaying(true);
  }

  stop() {
    if (this.timer === null) return;
    clearInterval(this.timer);
    this.timer = null;
    this.status.removeAttribute("aria-live");
    this.scrubber.showPlaying(false);
    this.writeHash();
  }

  setSpeed(speed) {
    this.speed = speed;
    if (this.timer !== null) {
      this.stop();
      this.start();
    }
  }

  onKey(event) {
    const move = KEYS[event.key];
    const tag = event.target.tagName;
    const isTaken = tag === "SELECT" || (event.key === " " && ["BUTTON", "SUMMARY", "g"].includes(tag));
    if (!move || !this.last || isTaken || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.go(move);
  }

  // --- drawing

  draw() {
    const { ply, main, beside, data } = this;
    const picture = main.frames[ply];
    this.eyes[0].show(main, ply, data.players);
    if (beside) this.eyes[1].show(beside, ply, data.players);
    this.eyes[1].element.hidden = !beside;
    if (picture.seats) this.generals.replaceChildren(drawGenerals(picture, data.players));
    this.analysis.replaceChildren(...drawAnalysis(analysisAt(main, ply)));
    if (this.last) this.curve.show(ply);
    showInLog(this.log.firstChild, ply);
    const words = `${this.noun} ${ply} of ${this.last}, turn ${picture.turn}`;
    this.scrubber.show(ply, words);
    this.status.replaceChildren(html("strong", {}, words), whatHappened(main, ply));
    if (this.timer === null) this.writeHash();
  }
}

function whatHappened(view, ply) {
  const lines = view.log.filter((line) => line.ply === ply).map((line) => `${capitalized(line.text)}.`);
  if (lines.length) return ` ${lines.join(" ")}`;
  return view.choices[ply] ? ` ${viewName(view.frames[ply - 1].current)} chose: ${view.choices[ply]}.` : "";
}

function drawKeys() {
  const keys = [["left, right", "a decision"], ["up, down", "a turn"], ["Home, End", "start, end"], ["space", "play, pause"]];
  return html("dl", { class: "keys" }, keys.map(([name, words]) => html("div", {}, html("dt", {}, html("kbd", {}, name)), html("dd", {}, words))));
}

export function startReplay() {
  return new Replay(pageData(), document.getElementById("page"));
}
