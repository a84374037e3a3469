(() => {
  const bar = document.querySelector(".highlighting");
  const card = document.querySelector(".runcard");
  const selected = { condition: "", alternative: "" };
  let known = { settings: {}, runs: [] };
  const ready = unpacked("known").then((text) => (known = JSON.parse(text)));

  // Vega binds every mark to its datum: what has a condition or an algorithm can be highlighted.
  const kinds = new Set(["symbol", "rect", "text", "rule", "bar", "tick"]);
  function about(element) {
    const item = element.__data__;
    if (!item?.datum || !kinds.has(item.mark?.marktype) || item.mark.role === "axis-label") return;
    const datum = item.datum;
    const condition = datum.condition == null ? "" : String(datum.condition);
    const alternative = String(datum.alternative ?? datum.group ?? "");
    return condition || alternative ? { condition, alternative, datum } : undefined;
  }
  const labels = new Set([...document.querySelectorAll("[data-highlight-alternative]")].map((each) => each.dataset.highlightAlternative));
  function misses(what) {
    const wrong = (key, value) => selected[key] && value && value !== selected[key];
    return wrong("condition", what.condition) || (labels.has(what.alternative) && wrong("alternative", what.alternative));
  }
  function paint(place) {
    const any = selected.condition || selected.alternative;
    for (const element of place.querySelectorAll("svg path, svg text, svg rect, svg line")) {
      const what = any && about(element);
      element.classList.toggle("dimmed", Boolean(what && misses(what)));
    }
  }
  function apply() {
    for (const place of page.drawn.keys()) paint(place);
    for (const cell of document.querySelectorAll("[data-condition]")) {
      cell.classList.toggle("highlighted", cell.dataset.condition === selected.condition);
    }
    for (const button of document.querySelectorAll("[data-highlight-alternative]")) {
      button.setAttribute("aria-pressed", String(button.dataset.highlightAlternative === selected.alternative));
    }
    bar.querySelector("select").value = selected.condition;
    bar.querySelector("[data-clear]").hidden = !(selected.condition || selected.alternative);
    const settings = known.settings[selected.condition] ?? [];
    bar.querySelector("[data-settings]").textContent = settings.map(([name, level]) => `${name}: ${level}`).join(" · ");
    document.documentElement.dataset.highlighted = `${selected.condition}/${selected.alternative}`;
  }
  function choose(key, value) {
    selected[key] = selected[key] === value ? "" : value;
    apply();
  }
  page.afterDrawing.push((place, view) => {
    if (selected.condition || selected.alternative) paint(place);
    view.addEventListener("click", (_, item) => {
      const condition = item?.datum?.condition;
      if (condition != null) choose("condition", String(condition));
    });
    view.addEventListener("mouseover", (_, item) => tell(item?.datum));
  });

  function tell(datum) {
    if (!datum || datum.condition == null) return;
    const condition = String(datum.condition);
    const label = String(datum.alternative ?? datum.group ?? "");
    const mine = known.runs.filter((run) => String(run[0]) === condition && (!labels.has(label) || run[1] === label));
    if (!mine.length) return;
    const shown = labels.has(label) ? mine.slice(0, 3) : [];
    const head = document.createElement("b");
    head.textContent = `Condition ${condition}` + (labels.has(label) ? `, ${label}` : "");
    card.replaceChildren(head);
    for (const [, , replicate, run, command] of shown) {
      const line = document.createElement("code");
      line.textContent = command || `run ${run}`;
      line.title = `Repeats replicate ${replicate} bit for bit`;
      card.append(line);
    }
    if (!shown.length) {
      const settings = document.createElement("span");
      settings.textContent = (known.settings[condition] ?? []).map(([name, level]) => `${name}: ${level}`).join(" · ");
      card.append(settings);
    }
    const close = document.createElement("button");
    close.type = "button";
    close.textContent = "×";
    close.setAttribute("aria-label", "Close");
    close.addEventListener("click", () => (card.hidden = true));
    card.append(close);
    card.hidden = false;
  }

  bar.querySelector("select").addEventListener("change", (event) => {
    selected.condition = event.target.value;
    apply();
  });
  for (const button of bar.querySelectorAll("[data-highlight-alternative]")) {
    button.addEventListener("click", () => choose("alternative", button.dataset.highlightAlternative));
  }
  bar.querySelector("[data-clear]").addEventListener("click", () => {
    selected.condition = selected.alternative = "";
    apply();
  });
  document.addEventListener("click", (event) => {
    const cell = event.target.closest?.("td[data-condition], th[data-condition]");
    if (cell) choose("condition", cell.dataset.condition);
  });
  document.addEventListener("mouseover", (event) => {
    const cell = event.target.closest?.("td[data-condition]");
    if (cell) tell({ condition: cell.dataset.condition });
  });
  ready.then(() => (bar.hidden = !known.runs.length));
})();
