// Data of pages as Python packs it: see `pack` in render/frames.py.

const LIST = 0;

// Returns packed data as it was; equal parts are one object.
function unpack({ shapes, parts }) {
  const values = [];
  for (const part of parts) {
    if (!Array.isArray(part)) {
      values.push(part);
      continue;
    }
    const [shape, ...numbers] = part;
    const items = numbers.map((number) => values[number]);
    values.push(shape === LIST ? items : Object.fromEntries(shapes[shape - 1].map((key, i) => [key, items[i]])));
  }
  return values[values.length - 1];
}

// The data that a page holds.
export function pageData() {
  return unpack(JSON.parse(document.getElementById("data").textContent));
}
