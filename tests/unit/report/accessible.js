// Contrast in charts, which axe leaves out: words that miss 4.5, or 3 if they are large (WCAG 2, 1.4.3), and coloured
// rules, such as intervals, that miss 3 (1.4.11). Rules in ink are guides, and faint by design.
(() => {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const ink = canvas.getContext("2d", { willReadFrequently: true });
  function over(colours) {
    ink.globalAlpha = 1;
    for (const [colour, alpha] of colours) {
      ink.globalAlpha = alpha;
      ink.fillStyle = colour;
      ink.fillRect(0, 0, 1, 1);
    }
    return [...ink.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }
  function light(rgb) {
    const [r, g, b] = rgb.map((c) => (c / 255 <= 0.03928 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  }
  function opacity(element, name) {
    let all = Number(getComputedStyle(element)[name]);
    for (let at = element; at.matches?.("svg *"); at = at.parentElement) all *= Number(getComputedStyle(at).opacity);
    return all;
  }
  function behind(place) {
    for (let at = place; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (colour !== "rgba(0, 0, 0, 0)" && colour !== "transparent") return colour;
    }
    return "white";
  }
  function contrast(ground, colour, alpha) {
    const [a, b] = [over([...ground, [colour, alpha]]), over(ground)].map(light);
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  }
  const found = [];
  for (const svg of document.querySelectorAll("svg.marks")) {
    if (!svg.checkVisibility()) continue;
    const page = behind(svg);
    const below = [];
    for (const element of svg.querySelectorAll("path, rect, text")) {
      const style = getComputedStyle(element);
      const box = element.getBoundingClientRect();
      if (element.localName !== "text") {
        if (style.fill !== "none" && box.width > 6 && box.height > 6) below.push([box, style.fill, opacity(element, "fillOpacity")]);
        continue;
      }
      const alpha = opacity(element, "fillOpacity");
      if (!element.textContent.trim() || alpha === 0 || !box.width) continue;
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      const under = below.filter(([b]) => b.left <= x && x <= b.right && b.top <= y && y <= b.bottom);
      const ground = [[page, 1], ...under.map(([, colour, part]) => [colour, part])];
      const ratio = contrast(ground, style.fill, alpha);
      const size = parseFloat(style.fontSize);
      const large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
      if (ratio < (large ? 3 : 4.5)) {
        found.push(`${svg.getAttribute("aria-label")}: "${element.textContent}" ${style.fill} over ${under.map((u) => u[1])} ${ratio.toFixed(2)}`);
      }
    }
    for (const rule of svg.querySelectorAll(".role-mark.mark-rule line")) {
      const style = getComputedStyle(rule);
      if (style.stroke === style.color) continue;
      const ratio = contrast([[page, 1]], style.stroke, opacity(rule, "strokeOpacity"));
      if (ratio < 3) found.push(`${svg.getAttribute("aria-label")}: a rule ${style.stroke} ${ratio.toFixed(2)}`);
    }
  }
  return found;
})()
