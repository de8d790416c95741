// What has happened, shown step by step: lines of the log, the places they speak of, coins, then the board as it became.

import { html } from "./dom.js";

const PLACE = /(-?\d+),(-?\d+)/g;
const FLIP = /^(.*) flips (heads|tails)$/;
const SPEEDS = { slow: 1400, normal: 700, fast: 300, none: 0 };

export const speeds = Object.keys(SPEEDS);

export function placesIn(line) {
  return [...line.matchAll(PLACE)].map(([, q, r]) => [Number(q), Number(r)]);
}

// Plays steps one after the other; `show` draws: `line(text, places)`, `view(view)`, `coins(element)`.
export class Steps {
  constructor(show) {
    this.show = show;
    this.speed = "normal";
    this.skipping = false;
    this.wake = null;
  }

  get delay() {
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    return this.skipping || still ? 0 : SPEEDS[this.speed];
  }

  // Shows everything up to the next question at once.
  skip() {
    this.skipping = true;
    this.wake?.();
  }

  pause() {
    const { delay } = this;
    if (!delay) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, delay);
      this.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async play(steps) {
    for (const step of steps) {
      let coins = null;
      for (const line of step.lines) {
        const flip = line.match(FLIP);
        if (flip) coins = this.toss(coins, flip);
        else coins = null;
        this.show.line(line, placesIn(line));
        await this.pause();
      }
      this.show.coins(null);
      this.show.view(step.view);
      if (!step.lines.length) await this.pause();
    }
    this.wake = null;
  }

  // One more coin beside those of the same General; otherwise a new row of coins.
  toss(row, [, who, side]) {
    const same = row?.dataset.who === who;
    const coins = same ? row : html("div", { class: "coins", "data-who": who }, html("span", { class: "who" }, `${who}:`));
    coins.append(html("span", { class: `coin ${side}`, title: side }, side === "heads" ? "H" : "T"));
    if (!same) this.show.coins(coins);
    return coins;
  }
}
