// The colours and the signs of the teams. Team 0 is none.
export const teams = [0xd8d8d8, 0xff5549, 0x3f97ff, 0x58e06a, 0xf4e04a, 0xff72ff, 0x58ffff, 0xffaf5f, 0xaf87ff, 0xafd787, 0xd7d7ff, 0x87afd7, 0xd7af87, 0x87d787, 0xd787d7, 0xafafd7];
export const css = teams.map((c) => "#" + c.toString(16).padStart(6, "0"));

// signs tell the teams apart for those who do not see the colours.
export const signs = ["", "▲", "■", "●", "◆", "★", "✚", "▼", "♥", "♠", "♣", "✖", "△", "□", "○", "◇"];
