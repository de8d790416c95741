// Pictures that Python draws as elements of SVG, for games whose board is not made of hexes: see `drawable_data` in render/frames.py.

import { html } from "./dom.js";

const SIZE = [1280, 800];
const FONT = "Helvetica Neue, Arial, Liberation Sans, DejaVu Sans Condensed, sans-serif";

// The picture, and below it the same in words, which stay open or closed from one picture to the next.
export function showDrawn(parent, picture) {
  const isOpen = parent.querySelector("details.words")?.open ?? false;
  const text = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${SIZE.join(" ")}" font-family="${FONT}">${picture.elements.join("")}</svg>`;
  const drawing = document.importNode(new DOMParser().parseFromString(text, "image/svg+xml").documentElement, true);
  drawing.setAttribute("class", "drawn");
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", `${picture.title}: ${picture.headline}. The position in words follows.`);
  const words = html("details", { class: "words", open: isOpen }, html("summary", {}, "In words"), html("pre", {}, picture.words.join("\n")));
  parent.replaceChildren(drawing, words);
}
