// What is on the board, in prose.

import { signed } from "./shapes.js";
import { BAND_MARKS } from "./signs.js";

const BANDS = {
  black: "takes no attachments",
  blue: "takes spells",
  red: "takes maneuvers",
  green: "takes spells and maneuvers",
  gray: "takes no attachments",
};

export const capitalized = (text) => text.charAt(0).toUpperCase() + text.slice(1);

let noun = "Player"; // what the game calls a player

export function setNoun(word) {
  noun = word;
}

export function playerNoun() {
  return noun;
}

export function seatName(picture, seat) {
  return seat === picture.viewer ? `${noun} ${seat} (you)` : `${noun} ${seat}`;
}

export function viewName(viewer) {
  return viewer === null ? "Referee" : `${noun} ${viewer}`;
}

function listed(words) {
  return words.length > 1 ? `${words.slice(0, -1).join(", ")} and ${words[words.length - 1]}` : (words[0] ?? "");
}

export function pileWords(pile) {
  return pile.map(([name, copies]) => (copies > 1 ? `${copies} ${name}` : name)).join(", ") || "none";
}

// A share in few letters; what is hardly possible is not called impossible.
export function percentage(share) {
  return share > 0 && share < 0.01 ? "<1%" : `${Math.round(100 * share)}%`;
}

export function counted(number, noun) {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function valueWords(name, value, printed) {
  return value === printed ? `${name} ${value}` : `${name} ${value} (printed ${printed})`;
}

export function unitTitle(unit) {
  return unit.card ? unit.card.name : "Unknown unit";
}

// A unit in sentences.
export function unitSentences(picture, unit) {
  const { card } = unit;
  const face = unit.face_up ? "Face up." : card ? "Face down: the opponents see its back only." : "Face down: you see its back only.";
  const sentences = [`Commanded by ${seatName(picture, unit.owner)}. ${face}`];
  if (card) {
    const names = ["movement", "damage", "armor"];
    const values = [card.movement, card.damage, card.armor].map((value, i) => valueWords(names[i], value, card.printed[i]));
    const kind = card.unit_class === "other" ? "Unit of another type" : capitalized(card.unit_class);
    sentences.push(`${kind}${card.homeland ? ` of the ${card.homeland}` : ", of no homeland"}, rank ${card.rank}.`);
    sentences.push(`${capitalized(listed(values))}.`);
    if (card.range && !card.text.includes(`Range ${card.range}.`)) sentences.push(`Range ${card.range}.`);
    sentences.push(`Name band ${card.band} (${BAND_MARKS[card.band]}): ${BANDS[card.band]}.`);
    if (card.text) sentences.push(card.text);
  }
  for (const attachment of unit.attachments) sentences.push(attachmentSentence(picture, attachment));
  if (unit.captives.length) sentences.push(`Holds captive: ${listed(unit.captives.map((name) => name ?? "an unknown token"))}.`);
  if (unit.employed) sentences.push("Employed: it may not act any more this turn.");
  else if (unit.moved) sentences.push("It has moved this turn.");
  return sentences;
}

function attachmentSentence(picture, attachment) {
  const face = attachment.face_up ? "face up" : "face down";
  if (attachment.name === null) return `Carries ${attachment.kind ? `a ${attachment.kind}` : "a token"} that is not known, ${face}.`;
  return `Carries the ${attachment.kind} ${attachment.name} of ${seatName(picture, attachment.owner)}, ${face}. ${attachment.text}`.trim();
}

// A battlefield in sentences.
export function fieldSentences(picture, field) {
  const whose =
    field.owner === field.controller
      ? `Owned and controlled by ${seatName(picture, field.owner)}, rank ${field.rank}.`
      : `Owned by ${seatName(picture, field.owner)}, controlled by ${seatName(picture, field.controller)}, rank ${field.rank}.`;
  return [whose, field.text || "Plain ground, without effects."];
}

function effectWords(field) {
  const words = field.effects.map(({ stat, amount, whom }) => `${stat} ${signed(amount)}${whom ? ` for ${whom}` : ""}`);
  return [...(field.water ? ["water"] : []), ...(field.halts ? ["ends moves"] : []), ...words];
}

// A hex in one line, for screen readers.
export function hexLabel(picture, q, r, field, unit) {
  const parts = [`Hex ${q}, ${r}`];
  if (unit) {
    const face = unit.face_up ? "" : ", face down";
    parts.push(`${unit.card ? unit.card.name : "unknown unit"} of ${seatName(picture, unit.owner)}${face}`);
    if (unit.card) parts.push(`movement ${unit.card.movement}, damage ${unit.card.damage}, armor ${unit.card.armor}`);
    if (unit.attachments.length) parts.push(`carries ${counted(unit.attachments.length, "token")}`);
  }
  if (field) {
    const effects = effectWords(field);
    parts.push(`${field.name} controlled by ${seatName(picture, field.controller)}${effects.length ? `, ${effects.join(", ")}` : ""}`);
  }
  if (!unit && !field) parts.push("empty");
  return parts.join("; ");
}
