// Hexes with corners up and down, at axial coordinates (q, r); x to the right, y down.

export const RADIUS = 100; // of a hex, in units of the drawing
const SQRT3 = Math.sqrt(3);
const OPENING = 3; // hexes around the middle that are in the picture from the start
const MARGIN = 12;

export const hexKey = (q, r) => `${q},${r}`;

export function center(q, r) {
  return [RADIUS * SQRT3 * (q + r / 2), RADIUS * 1.5 * r];
}

export function corners(radius) {
  return Array.from({ length: 6 }, (_, i) => {
    const angle = (Math.PI / 3) * i + Math.PI / 6;
    return `${(radius * Math.cos(angle)).toFixed(1)},${(radius * Math.sin(angle)).toFixed(1)}`;
  }).join(" ");
}

function distance([q1, r1], [q2, r2]) {
  return Math.max(Math.abs(q1 - q2), Math.abs(r1 - r2), Math.abs(q1 + r1 - q2 - r2));
}

// The other hexes among `hexes` that are at most `range` away from `from`.
export function within(hexes, from, range) {
  return hexes.filter((at) => distance(at, from) <= range && distance(at, from) > 0);
}

// Hexes and those around the middle, so that the view does not jump while the board grows.
export function withOpening(hexes) {
  const steps = [-OPENING, 0, OPENING];
  const middle = steps.flatMap((q) => steps.map((r) => [q, r])).filter(([q, r]) => Math.abs(q + r) <= OPENING);
  return [...hexes, ...middle];
}

// The rectangle in which these hexes are.
export function camera(hexes) {
  const centers = hexes.map(([q, r]) => center(q, r));
  const side = RADIUS * (SQRT3 / 2) + MARGIN;
  const left = Math.min(...centers.map(([x]) => x)) - side;
  const right = Math.max(...centers.map(([x]) => x)) + side;
  const top = Math.min(...centers.map(([, y]) => y)) - RADIUS - MARGIN;
  const bottom = Math.max(...centers.map(([, y]) => y)) + RADIUS + MARGIN;
  return { x: left, y: top, width: right - left, height: bottom - top };
}

// Where a General sits, as an angle from right to down: the viewer below, the next one to their right.
export function seatAngle(seat, viewer, count) {
  return Math.PI / 2 - (2 * Math.PI * (seat - (viewer ?? 0))) / count;
}
