"use strict";
(() => {
  const options = {
    mode: "vega-lite",
    renderer: "svg",
    actions: { export: true, source: false, compiled: false, editor: false },
    tooltip: { theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light" },
  };
  // Vega and the charts are packed: they are most of the page, and shrink to a fifth.
  async function unpacked(name) {
    const text = document.getElementById("packed-" + name).textContent;
    const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  }
  async function load() {
    const script = document.createElement("script");
    script.textContent = await unpacked("vega");
    document.head.append(script);
    return JSON.parse(await unpacked("charts"));
  }
  async function draw(place, specs) {
    await vegaEmbed(place, specs[place.dataset.chart], options);
    const svg = place.querySelector("svg");
    if (!svg) return;
    // Charts shrink to a narrower page, but only as far as they can still be read.
    svg.style.maxWidth = "100%";
    svg.style.height = "auto";
    svg.style.minWidth = `${Math.round(0.78 * svg.width.baseVal.value)}px`;
  }

  // Panels hide only once this runs, so that without it everything is on the page.
  function show(group, value) {
    for (const panel of document.querySelectorAll(`[data-panel="${group}"]`)) {
      panel.classList.toggle("hidden", panel.dataset.value !== value);
    }
  }
  for (const select of document.querySelectorAll("[data-picker]")) {
    select.addEventListener("change", () => show(select.dataset.picker, select.value));
    show(select.dataset.picker, select.value);
  }

  // What can be seen first; the rest in idle time, so that printing has it too.
  const places = [...document.querySelectorAll("[data-chart]")];
  const later = ".hidden, details:not([open])";
  const visible = places.filter((place) => !place.closest(later));
  const rest = places.filter((place) => place.closest(later));
  (async () => {
    let specs;
    for (const place of [...visible, ...rest]) {
      try {
        specs ??= await load();
        await draw(place, specs);
      } catch (error) {
        place.textContent = "This chart could not be drawn: " + error.message;
      }
      await new Promise((next) => setTimeout(next));
    }
    document.documentElement.dataset.ready = "yes";
  })();

  for (const input of document.querySelectorAll("[data-filter]")) {
    const rows = [...document.getElementById(input.dataset.filter).tBodies[0].rows];
    const count = document.querySelector(`[data-count="${input.dataset.filter}"]`);
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      let shown = 0;
      for (const row of rows) {
        const text = row.textContent.toLowerCase();
        const match = words.every((word) => text.includes(word));
        row.hidden = !match;
        shown += match;
      }
      count.textContent = words.length ? `${shown} of ${rows.length}` : "";
    });
  }

  const links = new Map([...document.querySelectorAll(".toc a")].map((a) => [a.hash.slice(1), a]));
  if ("IntersectionObserver" in window) {
    const seen = new IntersectionObserver((entries) => {
      for (const entry of entries) {
        if (!entry.isIntersecting) continue;
        for (const link of links.values()) link.classList.remove("here");
        links.get(entry.target.id)?.classList.add("here");
      }
    }, { rootMargin: "-10% 0px -80% 0px" });
    for (const section of document.querySelectorAll("main > section")) seen.observe(section);
  }
})();
