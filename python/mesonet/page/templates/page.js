// Vega, the charts and the rest are packed: they are most of the page, and shrink to a fifth.
async function unpacked(name) {
  const text = document.getElementById("packed-" + name).textContent;
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).text();
}
const page = { drawn: new Map(), afterDrawing: [] };
(() => {
  const options = {
    mode: "vega-lite",
    renderer: "svg",
    actions: { export: true, source: false, compiled: false, editor: false },
    tooltip: { theme: matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light" },
    config: { aria: false },
    patch: access.silenced,
    i18n: { CLICK_TO_VIEW_ACTIONS: "Save this chart" },
  };
  let specs;
  async function load() {
    const script = document.createElement("script");
    script.textContent = await unpacked("vega");
    document.head.append(script);
    return JSON.parse(await unpacked("charts"));
  }
  // A narrow page takes charts that say how (`usermeta`): panels below one another, each with its own
  // names, and as wide as there is room.
  function fitted(spec, room) {
    const narrow = spec.usermeta?.narrow;
    if (!narrow || room >= narrow.below) return spec;
    const made = structuredClone(spec);
    const width = Math.max(room - narrow.margin, 180);
    made.config = { ...made.config, legend: { ...made.config?.legend, columns: 2 } };
    (function visit(view) {
      if (view.hconcat) {
        view.vconcat = view.hconcat;
        delete view.hconcat;
      }
      if (view.encoding?.y?.axis === null) delete view.encoding.y.axis;
      if (view.encoding?.color?.legend) view.encoding.color.legend.columns = 2;
      if (typeof view.width === "number") view.width = width;
      if (view.title?.text) view.title.text = broken(view.title.text, width / 6);
      for (const inner of [...(view.vconcat ?? []), ...(view.layer ?? [])]) visit(inner);
    })(made);
    return made;
  }
  // Lines of at most so many letters.
  function broken(text, letters) {
    const lines = [""];
    for (const word of [text].flat().join(" ").split(" ")) {
      const longer = `${lines.at(-1)} ${word}`.trim();
      if (longer.length > letters && lines.at(-1)) lines.push(word);
      else lines[lines.length - 1] = longer;
    }
    return lines;
  }
  async function draw(place) {
    if (page.drawn.has(place)) return;
    page.drawn.set(place, null);
    try {
      specs ??= load();
      const spec = fitted((await specs)[place.dataset.chart], place.clientWidth);
      const made = await vegaEmbed(place, spec, options);
      page.drawn.set(place, made.view);
      const svg = place.querySelector("svg");
      if (!svg) return;
      // Charts shrink to a narrower page, but only as far as they can still be read.
      svg.style.maxWidth = "100%";
      svg.style.height = "auto";
      access.name(place, made.view);
      const least = place.closest(".glance") ? 0.6 : 0.78;
      svg.style.minWidth = `${Math.round(least * svg.width.baseVal.value)}px`;
      for (const act of page.afterDrawing) act(place, made.view);
    } catch (error) {
      place.textContent = "This chart could not be drawn: " + error.message;
      console.error(error);
    }
  }

  // Panels hide only once this runs, so that without it everything is on the page.
  function show(group, value) {
    for (const panel of document.querySelectorAll(`[data-panel="${group}"]`)) {
      panel.classList.toggle("hidden", panel.dataset.value !== value);
    }
    work();
  }

  // One page at a time, by the part of the address after "#": a section, or a place inside one.
  const pages = [...document.querySelectorAll("[data-paged] section.page")];
  const menu = document.querySelector("[data-menu]");
  let active = pages[0];
  function here(id) {
    for (const link of document.querySelectorAll(".toc a")) {
      link.classList.toggle("here", link.hash.slice(1) === id);
    }
    if (menu) menu.value = id;
  }
  function route() {
    const id = decodeURIComponent(location.hash.slice(1));
    const target = id ? document.getElementById(id) : null;
    active = target?.closest("section.page") ?? pages[0];
    for (const one of pages) one.classList.toggle("active", one === active);
    here(active.id);
    document.documentElement.classList.toggle("inside", active !== pages[0]);
    for (const old of document.querySelectorAll(".sought")) old.classList.remove("sought");
    if (target && target !== active) {
      for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) {
        fold.open = true;
      }
      target.classList.add("sought");
      target.scrollIntoView({ block: "center", inline: "nearest" });
    } else if (id) {
      (innerWidth > 1088 || active === pages[0] ? active : document.querySelector(".menu")).scrollIntoView();
    }
    work();
  }

  // What can be seen first; the rest when there is nothing else to do, so that printing has it too.
  const places = [...document.querySelectorAll("[data-chart]")];
  const later = ".hidden, details:not([open])";
  const idle = window.requestIdleCallback ?? ((then) => setTimeout(then, 30));
  const next = () =>
    places.find((place) => !page.drawn.has(place) && (!active || active.contains(place)) && !place.closest(later)) ??
    places.find((place) => !page.drawn.has(place));
  let working = false;
  async function work() {
    if (working) return;
    working = true;
    await Promise.resolve();
    for (let place = next(); place; place = next()) {
      const seen = !place.closest(later) && (!active || active.contains(place));
      if (!seen) await new Promise((then) => idle(then, { timeout: 400 }));
      await draw(place);
      await new Promise((then) => setTimeout(then));
    }
    working = false;
    document.documentElement.dataset.ready = "yes";
  }

  for (const select of document.querySelectorAll("[data-picker]")) {
    select.addEventListener("change", () => show(select.dataset.picker, select.value));
    show(select.dataset.picker, select.value);
  }
  if (pages.length) {
    document.documentElement.classList.add("paged");
    addEventListener("hashchange", route);
    route();
  } else {
    // All sections below one another: the list of contents says which one is read.
    const watch = new IntersectionObserver((seen) => {
      for (const { target, isIntersecting } of seen) if (isIntersecting) here(target.id);
    }, { rootMargin: "-20% 0px -75% 0px" });
    for (const one of document.querySelectorAll("main > section")) watch.observe(one);
    here("summary");
    work();
  }
  menu?.addEventListener("change", () => (location.hash = menu.value));
  const print = document.querySelector("[data-print]");
  if (print) {
    print.hidden = false;
    print.addEventListener("click", async () => {
      print.disabled = true;
      for (const place of places) await draw(place);
      print.disabled = false;
      window.print();
    });
  }

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

  // The map counts up its time step.
  for (const button of document.querySelectorAll("[data-play]")) {
    const place = button.closest("figure").querySelector("[data-chart]");
    let timer;
    button.addEventListener("click", () => {
      const slider = place.querySelector("input[type=range]");
      if (!slider) return;
      if (timer) {
        clearInterval(timer);
        timer = undefined;
        button.textContent = "Play";
        return;
      }
      button.textContent = "Pause";
      timer = setInterval(() => {
        slider.value = (Number(slider.value) + 1) % (Number(slider.max) + 1);
        slider.dispatchEvent(new Event("input", { bubbles: true }));
      }, 250);
    });
  }
})();
