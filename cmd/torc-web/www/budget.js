// The budget of one talker: the frames that an honest one says in a second, and a burst for a line that delivers late.
export const perSecond = 52, burst = 10;

export class Budget {
  constructor(now) {
    this.left = burst;
    this.at = now;
  }

  // take takes one frame at a time in milliseconds. It returns false if none is left.
  take(now) {
    this.left = Math.min(burst, this.left + Math.max(0, now - this.at) * perSecond / 1000);
    this.at = now;
    if (this.left < 1) return false;
    this.left--;
    return true;
  }
}
