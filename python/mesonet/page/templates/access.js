"use strict";
// Names and keys of charts, and keys for what scrolls.
const access = (() => {
  // Vega-Lite calls entries of a legend that can be clicked so.
  const ENTRIES = 'g[class*="_legend_labels"] text';

  function pressed(label) {
    const box = label.getBoundingClientRect();
    const place = { clientX: box.x + box.width / 2, clientY: box.y + box.height / 2 };
    for (const kind of ["pointerdown", "mousedown", "pointerup", "mouseup", "click"]) {
      const Kind = kind.startsWith("pointer") ? PointerEvent : MouseEvent;
      label.dispatchEvent(new Kind(kind, { bubbles: true, cancelable: true, view: window, ...place }));
    }
  }
  function keysOfLegend(label, _, entries) {
    label.setAttribute("tabindex", "0");
    label.setAttribute("role", "button");
    label.setAttribute("aria-pressed", "false");
    label.setAttribute("aria-label", `${label.textContent}: bring to the front`);
    label.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" && event.key !== " ") return;
      event.preventDefault();
      // Pressed again, it lets go: that is a click beside all entries.
      const again = label.getAttribute("aria-pressed") === "true";
      for (const other of entries) other.setAttribute("aria-pressed", String(other === label && !again));
      pressed(again ? label.ownerSVGElement : label);
    });
  }

  // A selection named "zoom" that is bound to the scale of time: what mouse and wheel do, by keys.
  const MOVES = { "+": [0.35, -0.35], "=": [0.35, -0.35], "-": [-0.35, 0.35], ArrowLeft: [-0.2, -0.2], ArrowRight: [0.2, 0.2] };
  // A view throws at a name that it does not have.
  function attempt(look) {
    try {
      return look();
    } catch {
      return undefined;
    }
  }
  function keysOfZoom(svg, view) {
    const whole = attempt(() => view.scale("x").domain());
    if (!whole || !attempt(() => [view.signal("zoom_time")])) return false;
    svg.setAttribute("tabindex", "0");
    svg.addEventListener("keydown", (event) => {
      if (event.target !== svg || event.ctrlKey || event.metaKey || event.altKey) return;
      const [from, to] = view.signal("zoom_time") ?? whole;
      const move = MOVES[event.key]?.map((part) => part * (to - from));
      if (!move && event.key !== "0") return;
      event.preventDefault();
      view.signal("zoom_time", move ? [from + move[0], to + move[1]] : null).run();
    });
    return true;
  }

  // Words in a colour of neither dark nor light are hard to read on one of the pages: ink is added.
  function legible(svg) {
    for (const word of svg.querySelectorAll('text[fill^="#"]')) {
      const fill = word.getAttribute("fill");
      const mean = [1, 3, 5].reduce((sum, at) => sum + parseInt(fill.slice(at, at + 2), 16) / 3, 0);
      word.style.fill = mean > 48 && mean < 216 ? `color-mix(in srgb, ${fill} 50%, currentColor)` : "";
    }
  }

  let count = 0;
  // The caption of a figure, or else the text before it.
  function caption(place) {
    const figure = place.closest("figure");
    let found = figure?.querySelector("figcaption");
    for (let before = figure; !found && before; before = before.previousElementSibling ?? before.parentElement?.closest("section *")) {
      if (before.matches("p:not(.kicker, .picker, .download)")) found = before;
    }
    found ??= place.closest("section")?.querySelector(".asks, h2");
    if (!found?.textContent.trim()) return "";
    found.id ||= `caption-${++count}`;
    return found.id;
  }
  // One name for a chart instead of thousands of marks that are read out one by one.
  function silenced(spec) {
    for (const mark of spec.marks ?? []) {
      mark.aria = false;
      silenced(mark);
    }
    return spec;
  }
  // The picture has the name, so that what lies beside it in its place can be reached, too.
  function name(place, view) {
    const svg = place.querySelector("svg.marks");
    const entries = [...svg.querySelectorAll(ENTRIES)];
    entries.forEach(keysOfLegend);
    for (const entry of entries) {
      for (let group = entry.parentElement; group !== svg; group = group.parentElement) group.removeAttribute("aria-hidden");
    }
    const zooms = keysOfZoom(svg, view);
    const words = place.getAttribute("aria-label") + (zooms ? ". Keys: + − to zoom, arrows to move, 0 for all" : "");
    svg.setAttribute("role", entries.length ? "group" : "img");
    svg.setAttribute("aria-label", words);
    const described = caption(place);
    if (described) svg.setAttribute("aria-describedby", described);
    place.removeAttribute("role");
    place.removeAttribute("aria-label");
    legible(svg);
    const changes = { subtree: true, childList: true, attributeFilter: ["fill"] };
    new MutationObserver(() => legible(svg)).observe(svg, changes);
    const menu = place.querySelector("details > summary");
    if (menu) {
      menu.setAttribute("aria-label", "Save this chart");
      menu.parentElement.title = "Save this chart";
    }
  }

  // What is larger than its frame can be scrolled by keys; what is not takes no place in their order.
  function title(frame) {
    const near = frame.closest("details, figure")?.querySelector("summary, figcaption");
    for (let before = frame; !near && before; before = before.previousElementSibling) {
      if (before.matches("h2, h3")) return before.textContent;
    }
    return (near ?? frame.closest("section")?.querySelector("h2"))?.textContent.trim() ?? "Table";
  }
  function reach(frame) {
    const more = frame.scrollWidth > frame.clientWidth + 1 || frame.scrollHeight > frame.clientHeight + 1;
    if (more) {
      frame.setAttribute("tabindex", "0");
      frame.setAttribute("role", "group");
      frame.setAttribute("aria-label", `Scrolls: ${title(frame)}`);
    } else {
      for (const attribute of ["tabindex", "role", "aria-label"]) frame.removeAttribute(attribute);
    }
  }
  const watch = new ResizeObserver((seen) => {
    for (const { target } of seen) reach(target.closest(".scroll, .toc"));
  });
  for (const frame of document.querySelectorAll(".scroll")) {
    watch.observe(frame);
    if (frame.firstElementChild) watch.observe(frame.firstElementChild);
  }
  return { name, silenced };
})();
