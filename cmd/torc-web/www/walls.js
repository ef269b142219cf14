// The boxes of buildings, as what stands between two places.

// share returns how much of the way from a to b is free of boxes: 1 if no box is in between. A box around a does not
// count, so that nobody inside is blind.
export function share(boxes, a, b) {
  let least = 1;
  for (const k of boxes) least = Math.min(least, enters(k, a, b));
  return least;
}

// enters returns the share of the way from a to b at which it enters a box, or 1.
function enters(k, a, b) {
  let first = -Infinity, last = Infinity;
  for (const [from, to, low, high] of [
    [a.x, b.x, k.x - k.sx / 2, k.x + k.sx / 2], [a.y, b.y, k.y - k.sy / 2, k.y + k.sy / 2], [a.z, b.z, k.z, k.z + k.sz],
  ]) {
    const way = to - from;
    if (way === 0) {
      if (from < low || from > high) return 1;
      continue;
    }
    const s = (low - from) / way, t = (high - from) / way;
    first = Math.max(first, Math.min(s, t));
    last = Math.min(last, Math.max(s, t));
  }
  return first >= 0 && first <= last ? Math.min(first, 1) : 1;
}
