"use strict";
// One side: its knobs, and what a run of them shows.
const GROUPS = {
  Link: { rate: "Rate", rtt: "Round trip", buffer: "Buffer", queue: "Queue", loss: "Random loss", ecn: "ECN for all" },
  "First flows": { first: "Algorithm", first_flows: "Flows" },
  "Second flows": { second: "Algorithm", second_flows: "Flows", second_rtt: "Round trip", second_start: "Start" },
  Run: { duration: "Duration", seed: "Seed" },
};
const percent = (value) => `${(100 * value).toPrecision(3)} %`;
const milliseconds = (value) => `${(1000 * value).toPrecision(3)} ms`;
const NUMBERS = {
  utilization: ["Utilization", percent],
  delay_p50: ["Queueing delay, median", milliseconds],
  delay_p95: ["95th percentile", milliseconds],
  retransmitted: ["Retransmitted", percent],
  marked: ["Marked", percent],
  jain: ["Jain's index", (value) => value.toPrecision(3)],
};
// Space beside a panel for its axis [pixels].
const MARGIN = 76;

function worded(key, knob, value) {
  if (key === "second_rtt" && Number(value) === 0) return "the same";
  return `${value} ${knob.unit ?? ""}`.trim();
}
function element(name, text = "", attributes = {}) {
  const node = document.createElement(name);
  node.textContent = text;
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  return node;
}

class Side {
  constructor(name, options, turned) {
    this.name = name;
    this.options = options;
    this.turned = turned;
    this.root = document.getElementById("side").content.firstElementChild.cloneNode(true);
    this.root.dataset.side = name;
    this.root.setAttribute("aria-label", `Setting ${name.toUpperCase()}`);
    this.find(".knobs").append(...Object.entries(GROUPS).map(([title, knobs]) => this.group(title, knobs)));
    this.find(".knobs").addEventListener("submit", (event) => event.preventDefault());
    for (const button of this.root.querySelectorAll("[data-copy]")) button.addEventListener("click", () => this.copy(button.dataset.copy));
    this.drawn = vegaEmbed(this.find(".chart"), structuredClone(options.chart), { renderer: "svg", actions: false, config: { aria: false } });
    new ResizeObserver(() => this.fit()).observe(this.find(".chart"));
  }
  find(selector) {
    return this.root.querySelector(selector);
  }
  group(title, knobs) {
    const group = element("fieldset");
    group.append(element("legend", title), ...Object.entries(knobs).map(([key, label]) => this.knob(key, label)));
    return group;
  }
  knob(key, label) {
    const { steps, enum: words } = this.options.knobs[key];
    const row = element("label", label);
    const names = words?.map((word) => [word, word]) ?? this.options.algorithms;
    const input = element(steps ? "input" : "select", "", { name: key });
    if (steps) {
      for (const [name, value] of [["type", "range"], ["min", 0], ["max", steps.length - 1]]) input.setAttribute(name, value);
      row.append(element("b"));
    } else {
      for (const [name, summary] of names) {
        if (name === "none" && key === "first") continue;
        input.append(element("option", name, { value: name, title: summary, ...(name === "own" && !this.options.own ? { disabled: "" } : {}) }));
      }
    }
    input.addEventListener("input", () => this.turned(this, key, String(steps ? steps[input.value] : input.value)));
    row.append(input);
    return row;
  }
  show(setting) {
    this.setting = setting;
    this.find("h2").textContent = state.b ? this.name.toUpperCase() : "";
    for (const input of this.find(".knobs").elements) {
      const knob = this.options.knobs[input.name];
      if (!knob) continue;
      const value = setting[input.name];
      if (knob.steps) {
        const distances = knob.steps.map((step) => Math.abs(step - value));
        input.value = distances.indexOf(Math.min(...distances));
        const words = worded(input.name, knob, value);
        input.previousElementSibling.textContent = words;
        input.setAttribute("aria-valuetext", words);
      } else input.value = value;
      if (/^second_/.test(input.name)) input.disabled = setting.second === "none";
    }
  }
  refuse(problems) {
    this.find(".problems").replaceChildren(...problems.map((it) => element("li", it.loc ? `${it.loc}: ${it.message}` : it.message)));
    for (const part of [".numbers", ".legend", ".chart"]) this.find(part).classList.toggle("stale", problems.length > 0);
    if (!problems.length) return;
    this.run = null;
    this.find(".status").textContent = "No run of this setting.";
  }
  take({ colours, run }) {
    this.run = run;
    this.ink = {};
    run.legend.forEach(([, flows], place) => flows.forEach((flow) => (this.ink[flow] = colours[place])));
    const entries = run.legend.map(([label], place) => {
      const entry = element("li", label);
      const line = element("i");
      line.style.background = colours[place];
      entry.prepend(line);
      return entry;
    });
    this.find(".legend").replaceChildren(...entries);
    const numbers = [["Measured", run.measured, ([begin, end]) => `${begin} to ${end} s`]];
    numbers.push(...Object.entries(NUMBERS).map(([key, [label, form]]) => [label, run.numbers[key], form]));
    for (const [group, label] of Object.entries(run.labels)) {
      numbers.push([`A flow of ${label}`, run.numbers[`rate_${group}`], (value) => `${value.toPrecision(3)} Mbit/s`]);
      if ("2" in run.labels) numbers.push([`Share of ${label}`, run.numbers[`share_${group}`], percent]);
    }
    this.find(".numbers").replaceChildren(...numbers.map(([label, value, form]) => {
      const row = element("div");
      row.append(element("dt", label), element("dd", value === null ? "–" : form(value)));
      return row;
    }));
  }
  rows(table) {
    const names = Object.keys(table);
    return table.time.map((_, place) => {
      const row = Object.fromEntries(names.map((name) => [name, table[name][place]]));
      row.colour = this.ink[row.flow];
      return row;
    });
  }
  // Largest values, for axes that both sides share.
  tops() {
    const { flows, queue } = this.run;
    const largest = (...lists) => lists.flat().reduce((most, value) => Math.max(most, value ?? 0), 0);
    return {
      until: Number(this.setting.duration),
      top_rate: 1.05 * largest(flows.rate, Number(this.setting.rate)),
      top_cwnd: 1.05 * largest(flows.cwnd_high),
      top_srtt: 1.05 * largest(flows.srtt),
      top_queue: 1.05 * largest(queue.high, this.run.room),
    };
  }
  width() {
    return Math.max(this.find(".chart").clientWidth - MARGIN, 180);
  }
  async draw(tops) {
    const { view } = await this.drawn;
    for (const [name, value] of Object.entries(tops)) view.signal(name, value);
    view.signal("rate", Number(this.setting.rate)).signal("room", this.run.room).signal("width", this.width());
    view.data("flows", this.rows(this.run.flows)).data("queue", this.rows(this.run.queue));
    await view.runAsync();
    const svg = this.find(".chart svg");
    svg.setAttribute("role", "img");
    svg.setAttribute("aria-label", "Rate, window, round trip, queue, losses and marks over time; the numbers above sum them up");
  }
  async fit() {
    const { view } = await this.drawn;
    if (view.signal("width") !== this.width()) view.signal("width", this.width()).run();
  }
  async copy(kind) {
    const text = this.find(".copied");
    text.value = this.run?.copies[kind] ?? "";
    text.hidden = false;
    text.select();
    // A page that came over a network without encryption may not write to the clipboard.
    const done = await navigator.clipboard?.writeText(text.value).then(() => true, () => false);
    this.find(".copies [role=status]").textContent = done ? "Copied." : "Selected; copy it with Ctrl-C.";
  }
}
