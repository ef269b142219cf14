// Shows the name of the game in a corner.
const badge = document.createElement("div");
badge.id = "badge";
badge.textContent = "Lights 1.0.0";
badge.style.cssText = "position: fixed; right: 8px; bottom: 8px; opacity: 0.6; pointer-events: none";
document.body.append(badge);
