// Puts the frames of one talker in order. A decoder must get them so: it has no call for a lost frame, and falls behind
// when numbers go back. The numbers count in 20 ms and go round after 256.
const hold = 20; // milliseconds that a frame waits for the one before it
const pause = 6; // missing frames from which on the talker was silent: nobody waits for them
const restart = 2000; // milliseconds without a frame after which any number is the next one
const most = 10; // frames that wait

export class Order {
  constructor() {
    this.waiting = []; // in order
    this.next = null; // number; null: any
    this.at = 0; // when the last frame came
    this.late = 0; // frames that came after their turn, or twice
  }

  // put adds a frame. now is in milliseconds.
  put(number, data, now) {
    if (now - this.at >= restart) this.clear();
    this.at = now;
    if (this.next === null) {
      this.next = number;
      this.first = true;
    }
    const ahead = (number - this.next) & 255, place = this.waiting.findIndex((w) => w.ahead >= ahead);
    if (ahead >= 128 || this.waiting[place]?.ahead === ahead) {
      this.late++;
      return;
    }
    this.waiting.splice(place < 0 ? this.waiting.length : place, 0, { ahead, data, at: now });
  }

  // take returns the frames whose turn has come, as {data, gap}. gap is how many are missing before: Infinity after a
  // pause of the talker, and for the first one.
  take(now) {
    const due = [];
    while (this.waiting.length > 0) {
      const { ahead, data, at } = this.waiting[0];
      if (ahead > 0 && ahead < pause && now - at < hold && this.waiting.length <= most) break;
      due.push({ data, gap: ahead < pause && !this.first ? ahead : Infinity });
      this.first = false;
      this.waiting.shift();
      this.next = (this.next + ahead + 1) & 255;
      for (const w of this.waiting) w.ahead -= ahead + 1;
    }
    return due;
  }

  // clear forgets what waits: the next frame is the first one.
  clear() {
    this.waiting.length = 0;
    this.next = null;
  }
}
